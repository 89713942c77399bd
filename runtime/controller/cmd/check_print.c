/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_print.c - see check_print.h
 *
 * Of a refusal: one line for each case, with its cycle, and below it the reasons of the mo that
 * it uses. A long list of reasons is cut, since nobody reads it; the JSON has them all.
 */
#include "config.h"

#include "controller/cmd/check_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"

enum {
	MOST_REASONS = 24,
	MOST_STEPS = 64,
	LONGEST_NAME = 1024 /* those of traces are shorter, too */
};

/* "1.2", or init. */
static const char *event_name(const struct execution *x, uint32_t e, char out[32])
{
	if (e < x->n)
		snprintf(out, 32, "%u.%u", x->tid[e], execution_index(x, e));
	else
		strcpy(out, "init");
	return out;
}

/* The name of a location, which is any text; JSON must be UTF-8. Good until the next call. */
static const char *location_name(const struct execution *x, uint32_t loc)
{
	static char name[LONGEST_NAME];

	snprintf(name, sizeof(name), "%s", x->name[loc]);
	text_sanitize(name, sizeof(name));
	return name;
}

/* ---- Why not, for people --------------------------------------------------------------------- */

/* In a cycle of psc with other events as well, those that psc relates stand in brackets. */
static void print_event(const struct execution *x, const struct verdict_step *s, bool brackets)
{
	char name[32];

	printf(brackets && s->psc ? "[%s]" : "%s", event_name(x, s->event, name));
}

static void print_cycle(const struct execution *x, const struct verdict *v,
			const struct verdict_case *c)
{
	const struct verdict_step *s = v->steps + c->cycle;
	bool some = false, all = true;

	for (uint32_t i = 0; i < c->ncycle; i++) {
		some |= s[i].psc;
		all &= s[i].psc;
	}
	for (uint32_t i = 0; i < c->ncycle; i++) {
		if (i == MOST_STEPS) {
			printf("... (%u more) -> ", c->ncycle - i);
			break;
		}
		print_event(x, &s[i], some && !all);
		printf(" -%s-> ", s[i].relation);
	}
	print_event(x, &s[0], some && !all);
	putchar('\n');
}

/* " a -mo-> b, c -mo-> d" for the reasons of one kind. */
static uint32_t print_pairs(const struct execution *x, const struct verdict *v,
			    const struct verdict_case *c, enum reason_kind kind, const char *word)
{
	char name[32];
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &v->reasons[c->reasons + i];

		if (r->kind != kind)
			continue;
		if (n++ == MOST_REASONS) {
			printf(", ...");
			break;
		}
		printf("%s %s -mo-> ", n > 1 ? "," : word, event_name(x, r->from, name));
		printf("%s", event_name(x, r->to, name));
	}
	return n;
}

static void print_path(const struct execution *x, const struct verdict *v,
		       const struct verdict_reason *r)
{
	char name[32];

	for (uint32_t i = 0; i < r->npath; i++) {
		const struct verdict_step *s = &v->steps[r->path + i];

		if (i == MOST_STEPS) {
			printf("...");
			break;
		}
		printf("%s", event_name(x, s->event, name));
		if (s->relation)
			printf(" -%s-> ", s->relation);
	}
	putchar('\n');
}

static void print_reasons(const struct execution *x, const struct verdict *v,
			  const struct verdict_case *c, const char *indent)
{
	uint32_t n = 0;
	char name[32];

	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &v->reasons[c->reasons + i];

		if (r->kind != REASON_SINCE || n++ >= MOST_REASONS)
			continue;
		printf("%s%s -mo-> ", indent, event_name(x, r->from, name));
		printf("%s since ", event_name(x, r->to, name));
		print_path(x, v, r);
	}
	if (n > MOST_REASONS)
		printf("%s(%u more reasons; --json has all)\n", indent, n - MOST_REASONS);
}

void check_print_refusal(const struct execution *x, const struct verdict *v)
{
	if (v->loc != EX_NONE)
		printf("  location %s\n", location_name(x, v->loc));
	printf("  %s", v->axiom);
	if (v->ncases == 1 && !v->searched) {
		printf(": ");
		print_cycle(x, v, v->cases);
		print_reasons(x, v, v->cases, "  ");
		return;
	}
	printf(" fails in every order of the writes%s\n",
	       v->searched ? ", as a search of them all has shown; in one of them" : "");
	for (uint32_t i = 0; i < v->ncases; i++) {
		const struct verdict_case *c = &v->cases[i];

		putchar(' ');
		if (print_pairs(x, v, c, REASON_ASSUMED, " with") &&
		    print_pairs(x, v, c, REASON_REFUTED, ", and so"))
			;
		else
			print_pairs(x, v, c, REASON_REFUTED, " so");
		printf(": ");
		print_cycle(x, v, c);
		print_reasons(x, v, c, "    ");
	}
}

/* ---- Why not, as JSON ------------------------------------------------------------------------ */

static json_t *steps_json(const struct execution *x, const struct verdict_step *s, uint32_t n)
{
	json_t *steps = json_array();
	char name[32];

	for (uint32_t i = 0; i < n; i++) {
		json_t *step = json_pack("{s:s}", "event", event_name(x, s[i].event, name));

		if (s[i].relation)
			json_object_set_new(step, "relation", json_string(s[i].relation));
		if (s[i].psc)
			json_object_set_new(step, "psc", json_true());
		json_array_append_new(steps, step);
	}
	return steps;
}

static json_t *reasons_json(const struct execution *x, const struct verdict *v,
			    const struct verdict_case *c)
{
	static const char *const kinds[] = { "since", "assumed", "refuted" };
	json_t *reasons = json_array();
	char name[32];

	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &v->reasons[c->reasons + i];
		json_t *one = json_pack("{s:s}", "from", event_name(x, r->from, name));

		json_object_set_new(one, "to", json_string(event_name(x, r->to, name)));
		json_object_set_new(one, "kind", json_string(kinds[r->kind]));
		if (r->kind == REASON_SINCE)
			json_object_set_new(one, "path",
					    steps_json(x, v->steps + r->path, r->npath));
		else if (r->kind == REASON_REFUTED)
			json_object_set_new(one, "case", json_integer(r->by));
		json_array_append_new(reasons, one);
	}
	return reasons;
}

void check_refusal_json(json_t *into, const struct execution *x, const struct verdict *v)
{
	json_t *cases = json_array();

	for (uint32_t i = 0; i < v->ncases; i++) {
		const struct verdict_case *c = &v->cases[i];

		json_array_append_new(cases,
				      json_pack("{s:o,s:o}", "cycle",
						steps_json(x, v->steps + c->cycle, c->ncycle),
						"reasons", reasons_json(x, v, c)));
	}
	json_object_set_new(into, "axiom", json_string(v->axiom));
	json_object_set_new(into, "location",
			    v->loc == EX_NONE ? json_null()
					      : json_string(location_name(x, v->loc)));
	json_object_set(into, "cycle", json_object_get(json_array_get(cases, 0), "cycle"));
	json_object_set_new(into, "searched", json_boolean(v->searched));
	json_object_set_new(into, "cases", cases);
}

/* ---- Witnesses ------------------------------------------------------------------------------- */

/* The writes of each location by their rank; *at: where each location's begin. */
static uint32_t *sort_writes(const struct execution *x, const struct verdict *v, uint32_t **at)
{
	uint32_t *start = offline_zeroed((size_t)x->nlocs + 1, sizeof(*start)), *write;

	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			start[x->loc[e] + 1]++;
	for (uint32_t l = 0; l < x->nlocs; l++)
		start[l + 1] += start[l];
	write = offline_room(x->n, sizeof(*write));
	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			write[start[x->loc[e]] + v->rank[e] - 1] = e;
	*at = start;
	return write;
}

void check_print_witness(const struct execution *x, const struct verdict *v)
{
	uint32_t *at, *write;
	char name[32];

	if (!v->rank)
		return;
	write = sort_writes(x, v, &at);
	for (uint32_t l = 0; l < x->nlocs; l++) {
		printf("  mo %s: init", location_name(x, l));
		for (uint32_t i = at[l]; i < at[l + 1]; i++)
			printf(" %s", event_name(x, write[i], name));
		putchar('\n');
	}
	free(write);
	free(at);
	if (!v->total)
		return;
	fputs("  order:", stdout);
	for (uint32_t i = 0; i < x->n; i++)
		printf(" %s", event_name(x, v->total[i], name));
	putchar('\n');
}

void check_witness_json(json_t *into, const struct execution *x, const struct verdict *v)
{
	json_t *all = json_object();
	uint32_t *at, *write = sort_writes(x, v, &at);
	char name[32];

	for (uint32_t l = 0; l < x->nlocs; l++) {
		json_t *order = json_array();

		for (uint32_t i = at[l]; i < at[l + 1]; i++)
			json_array_append_new(order, json_string(event_name(x, write[i], name)));
		json_object_set_new(all, location_name(x, l), order);
	}
	free(write);
	free(at);
	json_object_set_new(into, "mo", all);
}
