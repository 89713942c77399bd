/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain_line.c - an explanation as one line
 *
 *	AXIOM: CYCLE; a -mo-> b since PATH; ...
 *
 * The steps of a cycle are event -relation-> event; what its mo and fr steps rest on follows.
 * Where writes had to be tried in one order and the other, each case is named first ("with a
 * -mo-> b: CYCLE"), and what earlier cases refuted holds from then on ("so b -mo-> a").
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "offline/explain_read.h"

struct line {
	const struct explanation *e;
	char *out;
	size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(l->n < l->size ? l->out + l->n : NULL, l->n < l->size ? l->size - l->n : 0,
		      format, ap);
	va_end(ap);
	l->n += n > 0 ? (size_t)n : 0;
}

static void say_event(struct line *l, uint32_t event, bool brackets)
{
	const char *open = brackets ? "[" : "", *close = brackets ? "]" : "";

	if (event == EX_INIT)
		say(l, "%sinit%s", open, close);
	else
		say(l, "%s%u.%u%s", open, l->e->x.tid[event], l->e->step[event], close);
}

/* Then there is no cycle, but a write between the two that read it. */
static bool is_atomicity(const struct line *l)
{
	const char *axiom = l->e->v.axiom;

	return !strcmp(axiom, "atomicity") || !strcmp(axiom, "weak atomicity");
}

/* In a cycle of psc with other events as well, those that psc relates stand in brackets. */
static void say_cycle(struct line *l, const struct verdict_case *c)
{
	const struct verdict_step *s = l->e->v.steps + c->cycle;
	bool some = false, all = true;

	for (uint32_t i = 0; i < c->ncycle; i++) {
		some |= s[i].psc;
		all &= s[i].psc;
	}
	for (uint32_t i = 0; i <= c->ncycle; i++) {
		say_event(l, s[i % c->ncycle].event, some && !all && s[i % c->ncycle].psc);
		if (is_atomicity(l) && i + 1 == c->ncycle) {
			say(l, ", two read-modify-writes of one write");
			return;
		}
		if (i < c->ncycle)
			say(l, " -%s-> ", s[i].relation);
	}
}

static void say_mo(struct line *l, const struct verdict_reason *r)
{
	say_event(l, r->from, false);
	say(l, " -mo-> ");
	say_event(l, r->to, false);
}

/* " with a -mo-> b, c -mo-> d" */
static bool say_pairs(struct line *l, const struct verdict_case *c, enum reason_kind kind,
		      const char *word)
{
	bool any = false;

	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &l->e->v.reasons[c->reasons + i];

		if (r->kind != kind)
			continue;
		say(l, "%s ", any ? "," : word);
		say_mo(l, r);
		any = true;
	}
	return any;
}

static void say_reasons(struct line *l, const struct verdict_case *c)
{
	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &l->e->v.reasons[c->reasons + i];

		if (r->kind != REASON_SINCE)
			continue;
		say(l, "; ");
		say_mo(l, r);
		say(l, " since ");
		for (uint32_t k = 0; k < r->npath; k++) {
			const struct verdict_step *s = &l->e->v.steps[r->path + k];

			say_event(l, s->event, false);
			if (s->relation)
				say(l, " -%s-> ", s->relation);
		}
	}
}

size_t explanation_line(const struct explanation *e, char *out, size_t size)
{
	struct line l = { .e = e, .out = out, .size = size };
	const struct verdict *v = &e->v;

	if (size)
		*out = 0;
	say(&l, "%s", v->axiom);
	if (v->searched)
		say(&l, ": every modification order has a cycle; in one,");
	else if (v->ncases > 1)
		say(&l, ": every modification order has a cycle;");
	else
		say(&l, ":");
	for (uint32_t i = 0; i < v->ncases; i++) {
		const struct verdict_case *c = &v->cases[i];
		bool any = say_pairs(&l, c, REASON_ASSUMED, i ? "; with" : " with");

		any |= say_pairs(&l, c, REASON_REFUTED, any ? ", and so" : i ? "; so" : " so");
		say(&l, any ? ": " : " ");
		say_cycle(&l, c);
		say_reasons(&l, c);
	}
	return l.n;
}
