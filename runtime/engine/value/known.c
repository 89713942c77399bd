/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known.c - see known.h
 *
 * Of each thread the step is kept where it was last. When events are taken back it is found again by going up: what
 * is left of the thread is a part of what it had done.
 */
#include "engine/value/known.h"

#include <string.h>

#include "base/table.h"

void known_empty(struct engine *e)
{
	struct value_search *v = e->value;

	v->nsteps = 0;
	v->lost = false;
	memset(v->at, 0, sizeof(v->at));
	memset(v->root, 0, sizeof(v->root));
}

/* Of what a thread has read when it had that name and reads a value. */
static struct engine_id name_behind(struct engine_id name, struct value came)
{
	return (struct engine_id){
		table_mix(table_mix(name.a, came.lo), came.hi),
		table_mix(table_mix(name.b, came.hi + 1), came.lo),
	};
}

/* 1 + a new step, or 0: there is no room, and nothing is known from now on. */
static uint32_t new_step(struct value_search *v, uint32_t above, uint32_t index, struct value came)
{
	const struct engine_id before =
		above ? v->step[above - 1].name : (struct engine_id){ 1, 2 };

	if (v->nsteps == v->most) {
		v->lost = true;
		return 0;
	}
	v->step[v->nsteps++] = (struct value_step){
		.above = above,
		.index = index,
		.came = came,
		.name = name_behind(before, came),
		.op = { .kind = OP_KINDS },
	};
	return v->nsteps;
}

/* Goes up to where the thread had so many events. */
static struct value_step *step_at(struct value_search *v, uint32_t tid, uint32_t index)
{
	if (!v->root[tid])
		v->root[tid] = v->at[tid] = new_step(v, 0, 0, value_of(0));
	if (v->lost)
		return NULL;
	while (v->step[v->at[tid] - 1].index > index)
		v->at[tid] = v->step[v->at[tid] - 1].above;
	must(v->step[v->at[tid] - 1].index == index);
	return &v->step[v->at[tid] - 1];
}

struct value_step *known_step(struct engine *e, uint32_t tid)
{
	return e->value->lost ? NULL : step_at(e->value, tid, e->graph.count[tid]);
}

static bool is_same(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->size == b->size &&
	       a->order == b->order && a->peer == b->peer && value_eq(a->arg, b->arg) &&
	       value_eq(a->expected, b->expected);
}

void known_learn(struct engine *e, uint32_t tid, const struct op *op)
{
	struct value_step *s = known_step(e, tid);
	const uint32_t loc = op->addr ? graph_find_location(&e->graph, op->addr, op->size) : NO_LOC;
	const bool first = loc != NO_LOC && e->graph.locs[loc].last == NO_POS;

	if (!s)
		return;
	if (s->op.kind == OP_KINDS)
		s->op = *op;
	else if (!is_same(&s->op, op))
		e->value->lost = true;
	if (!first)
		return;
	s->varies |= s->began && !value_eq(s->initial, e->graph.locs[loc].initial);
	s->began = true;
	s->initial = e->graph.locs[loc].initial;
}

/* What the operation read, and how it went on, as one value. */
static struct value came_of(const struct graph *g, const struct event *ev)
{
	if (ev->kind == OP_FUTEX_WAKE) /* likewise: who slept, and who does now */
		return (struct value){ .lo = ev->read.lo,
				       .hi = g->ev[g->at[ev->tid][ev->index + 1]].written.lo };
	if (ev->kind == OP_COND_SIGNAL) /* in an exploration that is one word (waiting.h) */
		return (struct value){ .lo = ev->read.lo, .hi = ev->choice };
	return ev->flags & EV_READ || ev->kind == OP_CHOOSE ? ev->read : value_of(0);
}

void known_goes(struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];
	struct value_search *v = e->value;
	const struct value came = came_of(&e->graph, ev);
	struct value_step *s = v->lost ? NULL : step_at(v, ev->tid, ev->index);
	uint32_t i;

	if (!s)
		return;
	for (i = s->first; i; i = v->step[i - 1].other)
		if (value_eq(v->step[i - 1].came, came))
			break;
	if (!i) {
		i = new_step(v, v->at[ev->tid], e->graph.count[ev->tid], came);
		if (!i)
			return;
		v->step[i - 1].other = s->first;
		s->first = i;
	}
	v->at[ev->tid] = i;
}

/* If the thread's operation were the first one at its location, it would find what the first one found. (value.txt, V7) */
static void meet(const struct engine *e, uint32_t tid, struct value_step *s)
{
	const struct graph *g = &e->graph;
	const struct event *ev = &g->ev[g->at[tid][s->index]];

	if (s->began || ev->loc == NO_LOC)
		return;
	s->began = true;
	s->initial = g->locs[ev->loc].initial;
}

void known_over(struct engine *e)
{
	struct value_search *v = e->value;

	for (uint32_t t = 0; t < e->nthreads && !v->lost; t++)
		for (uint32_t i = v->at[t]; i && !v->step[i - 1].met; i = v->step[i - 1].above) {
			struct value_step *s = &v->step[i - 1];

			s->met = s->index < e->graph.count[t];
			if (s->met && s->op.kind != OP_KINDS)
				meet(e, t, s);
		}
}
