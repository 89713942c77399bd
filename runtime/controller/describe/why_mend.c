/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why_mend.c - see why_story.h: which orders of the program's atomic operations would exclude the execution
 *
 * Every atomic operation is given memory_order_seq_cst. If the execution is inconsistent then, place by place is weakened for as
 * long as it stays so: to what the source says, or else to acquire and release. What is left is necessary: no place of it alone
 * can be weaker. A place is a line of the source, since that is what its author changes, with all its operations in the execution.
 * The checkers have the last word (offline/check.h), so what is said holds of this execution under this model.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/describe/why_story.h"

enum {
	MOST_EVENTS = 500, /* that are looked at: each place asks for two checks of them all */
	MOST_PLACES = 100
};

struct source_line {
	char at[WHY_PLACE];
	unsigned kinds; /* EX_READ, EX_WRITE, of all its operations */
	bool on_cycle;
	uint8_t order; /* ORDER_NA: what the source says */
};

struct mend {
	struct story *s;
	struct source_line place[MOST_PLACES];
	unsigned nplaces;
	uint8_t *said; /* of each event: its order in the source */
	int *of;       /* its place, or -1 */
};

/* The part of seq_cst, or of acquire and release, that an operation of this kind can have. */
static uint8_t order_for(unsigned kind, uint8_t order)
{
	if (order == ORDER_SC)
		return ORDER_SC;
	return kind == EX_RMW ? ORDER_ACQ_REL : kind == EX_READ ? ORDER_ACQ : ORDER_REL;
}

/* An order is at least as strong as the one in the source, so that nothing is weakened. */
static uint8_t stronger(uint8_t said, uint8_t order)
{
	if ((said == ORDER_ACQ && order == ORDER_REL) || (said == ORDER_REL && order == ORDER_ACQ))
		return ORDER_ACQ_REL;
	return said > order ? said : order;
}

static void strengthen(struct mend *m)
{
	const struct execution *x = &m->s->x;

	for (uint32_t e = 0; e < x->n; e++) {
		const struct source_line *p = m->of[e] < 0 ? NULL : &m->place[m->of[e]];

		x->order[e] = p && p->order != ORDER_NA
				      ? stronger(m->said[e], order_for(x->kind[e], p->order))
				      : m->said[e];
	}
}

static bool excluded(struct mend *m)
{
	const struct execution *x = &m->s->x;
	struct verdict v;
	bool is;

	strengthen(m);
	is = checker_best(x, m->s->model)->check(x, m->s->model, false, &v) && !v.consistent;
	verdict_release(&v);
	return is;
}

static int place_of(struct mend *m, uint64_t pc)
{
	char at[WHY_PLACE];
	unsigned i = 0;

	why_at(m->s, pc, at);
	while (i < m->nplaces && strcmp(m->place[i].at, at))
		i++;
	if (i == MOST_PLACES)
		return -1;
	if (i == m->nplaces) {
		m->place[i] = (struct source_line){ .order = ORDER_SC };
		strcpy(m->place[i].at, at);
		m->nplaces++;
	}
	return (int)i;
}

/* False if there are too many places. */
static bool find_places(struct mend *m)
{
	const struct story *s = m->s;

	for (size_t i = 0; i < s->bug->nsteps; i++) {
		const struct step *step = &s->bug->steps[i];
		const uint32_t e = s->event[i];

		if (e == EX_NONE || !why_accesses(step) || s->x.order[e] == ORDER_NA)
			continue;
		m->of[e] = place_of(m, step->record.pc);
		if (m->of[e] < 0)
			return false;
		m->place[m->of[e]].kinds |= s->x.kind[e] & EX_RMW;
	}
	return true;
}

static void mark_cycle(struct mend *m, const struct verdict *v)
{
	for (uint32_t i = 0; i < v->nsteps; i++) {
		const uint32_t e = v->steps[i].event;

		if (e < m->s->x.n && m->of[e] >= 0)
			m->place[m->of[e]].on_cycle = true;
	}
}

/* Those off the cycle first: what is left is on it, if that is enough. */
static void weaken(struct mend *m)
{
	for (int on = 0; on <= 1; on++) {
		for (unsigned i = 0; i < m->nplaces; i++) {
			struct source_line *p = &m->place[i];

			if (p->on_cycle != on)
				continue;
			p->order = ORDER_NA;
			if (excluded(m))
				continue;
			p->order = ORDER_ACQ_REL;
			if (!excluded(m))
				p->order = ORDER_SC;
		}
	}
}

static const char *name_of(const struct source_line *p)
{
	static const char *const name[] = { [ORDER_ACQ] = "acquire",
					    [ORDER_REL] = "release",
					    [ORDER_ACQ_REL] = "acq_rel",
					    [ORDER_SC] = "seq_cst" };

	return name[order_for(p->kinds, p->order)];
}

/* "release at a.c:3 and acquire at a.c:9" */
static void say(struct mend *m)
{
	char *words = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&words, &size);
	unsigned left = 0;
	const char *last = "";

	if (!f)
		return;
	for (unsigned i = 0; i < m->nplaces; i++)
		left += m->place[i].order != ORDER_NA;
	for (unsigned i = 0; i < m->nplaces; i++) {
		const struct source_line *p = &m->place[i];

		if (p->order == ORDER_NA)
			continue;
		if (strcmp(last, name_of(p)))
			fprintf(f, "%s at ", name_of(p));
		fputs(p->at, f);
		last = name_of(p);
		fputs(--left > 1 ? ", " : left ? " and " : "", f);
	}
	fclose(f);
	why_say(m->s, "With %s this execution would not be possible.", words);
	free(words);
}

void why_mend(struct story *s, const struct verdict *v)
{
	struct mend m = { .s = s };

	if (s->x.n > MOST_EVENTS || checker_unfit(checker_best(&s->x, s->model), &s->x, s->model))
		return;
	m.said = malloc(s->x.n);
	m.of = malloc(s->x.n * sizeof(*m.of));
	if (m.said && m.of) {
		memcpy(m.said, s->x.order, s->x.n);
		memset(m.of, 0xff, s->x.n * sizeof(*m.of));
		if (find_places(&m) && excluded(&m)) {
			mark_cycle(&m, v);
			weaken(&m);
			say(&m);
		}
		memcpy(s->x.order, m.said, s->x.n);
	}
	free(m.said);
	free(m.of);
}
