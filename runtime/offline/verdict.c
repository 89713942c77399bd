/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.c - what an offline checker says: building it, step by step
 *
 * Steps of cycles and paths lie in one array, each cycle's and each path's together; so a
 * cycle or path is finished before the next is begun.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/check.h"

void verdict_release(struct verdict *v)
{
	free(v->rank);
	free(v->total);
	free(v->cases);
	free(v->reasons);
	free(v->steps);
	memset(v, 0, sizeof(*v));
}

void verdict_fails(struct verdict *v, const char *axiom, uint32_t loc)
{
	uint64_t states = v->states;

	verdict_release(v);
	v->states = states;
	v->axiom = axiom;
	v->loc = loc;
	verdict_case(v);
}

/* Room for one more thing behind n. */
static void *one_more(void *p, uint32_t n, size_t size)
{
	return n & (n - 1) ? p : offline_grow(p, n ? (size_t)n * 2 : 1, size);
}

void verdict_case(struct verdict *v)
{
	v->cases = one_more(v->cases, v->ncases, sizeof(*v->cases));
	v->cases[v->ncases++] = (struct verdict_case){ .cycle = v->nsteps, .reasons = v->nreasons };
	v->in_path = false;
}

void verdict_reason(struct verdict *v, enum reason_kind kind, uint32_t from, uint32_t to)
{
	v->reasons = one_more(v->reasons, v->nreasons, sizeof(*v->reasons));
	v->reasons[v->nreasons++] =
		(struct verdict_reason){ .kind = kind, .from = from, .to = to, .path = v->nsteps };
	v->cases[v->ncases - 1].nreasons++;
	v->in_path = true;
}

void verdict_cycle(struct verdict *v)
{
	v->cases[v->ncases - 1].cycle = v->nsteps;
	v->in_path = false;
}

void verdict_step(struct verdict *v, uint32_t event, const char *relation)
{
	v->steps = one_more(v->steps, v->nsteps, sizeof(*v->steps));
	v->steps[v->nsteps++] = (struct verdict_step){ event, false, relation };
	if (v->in_path)
		v->reasons[v->nreasons - 1].npath++;
	else
		v->cases[v->ncases - 1].ncycle++;
}

/* Threads that wait for each other's writes: po from where one waits to what it owes. */
/* The cycle, from the n events that execution_sort() could order. */
static void porf_cycle(struct verdict *v, const struct execution *x, const uint32_t *sort,
		       uint32_t n)
{
	uint32_t *at = offline_room(x->k, sizeof(*at)), length;
	uint32_t *circle = execution_circle(x, sort, n, at, &length);

	verdict_fails(v, "acyclic(po u rf)", EX_NONE);
	for (uint32_t i = 0; i < length; i++) {
		uint32_t w = x->rf[at[circle[i]]], from = at[x->tid[w]];

		if (w != from)
			verdict_step(v, from, "po");
		verdict_step(v, w, "rf");
	}
	free(at);
	free(circle);
}

uint32_t *verdict_begin(struct verdict *v, const struct execution *x)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	uint32_t sorted = execution_sort(x, sort);

	memset(v, 0, sizeof(*v));
	if (sorted == x->n)
		return sort;
	porf_cycle(v, x, sort, sorted);
	free(sort);
	return NULL;
}
