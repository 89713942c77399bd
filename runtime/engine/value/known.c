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

enum {
	FIRST_BITS = 10
};

size_t known_slots(uint32_t most)
{
	return (size_t)table_slots(table_bits((uint64_t)most + 1, FIRST_BITS));
}

void known_empty(struct engine *e)
{
	struct value_search *v = e->value;

	v->nsteps = v->step_bits = 0;
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

/* The slot of the step with that name, or where it belongs: 1 + its place among the steps. */
static uint32_t *find(struct value_search *v, struct engine_id name)
{
	uint32_t *slot;

	TABLE_FIND(slot, v->step_slot, v->step_bits, name.a,
		   !*slot || (v->step[*slot - 1].name.a == name.a &&
			      v->step[*slot - 1].name.b == name.b));
	return slot;
}

/* Small at first, so that a search that learns little touches little memory. */
static void widen(struct value_search *v)
{
	v->step_bits = table_wider(v->step_bits, FIRST_BITS);
	memset(v->step_slot, 0, table_slots(v->step_bits) * sizeof(*v->step_slot));
	for (uint32_t i = 0; i < v->nsteps; i++)
		*find(v, v->step[i].name) = i + 1;
}

/* 1 + a new step, in its slot, or 0: there is no room, and nothing is known from now on. */
static uint32_t new_step(struct value_search *v, uint32_t above, uint32_t index,
			 struct value_came came, struct engine_id name)
{
	struct engine_id reads = name;

	if (v->nsteps == v->most) {
		v->lost = true;
		return 0;
	}
	if (table_full(v->nsteps, v->step_bits))
		widen(v);
	if (above)
		reads = name_behind(v->step[above - 1].reads, came.told ? value_of(0) : came.value);
	*find(v, name) = v->nsteps + 1;
	v->step[v->nsteps++] = (struct value_step){
		.above = above,
		.index = index,
		.came = came.value,
		.name = name,
		.reads = reads,
		.told = came.told,
		.handed = came.handed || (above && v->step[above - 1].handed),
		.op = { .kind = OP_KINDS },
	};
	return v->nsteps;
}

/* Before it has done anything. */
static uint32_t first_step(struct value_search *v, uint32_t tid)
{
	const struct engine_id name = { table_mix(1, tid), table_mix(2, tid) };

	return new_step(v, 0, 0, (struct value_came){ .told = false }, name);
}

uint32_t known_behind(struct value_search *v, uint32_t step, struct value came)
{
	struct value_step *s = &v->step[step - 1];

	if (s->latest && value_eq(v->step[s->latest - 1].came, came))
		return s->latest;
	return *find(v, name_behind(s->name, came));
}

uint32_t known_behind_or_new(struct value_search *v, uint32_t step, uint32_t index,
			     struct value_came came)
{
	uint32_t i = known_behind(v, step, came.value);
	struct value_step *s = &v->step[step - 1];

	if (!i)
		i = new_step(v, step, index, came, name_behind(s->name, came.value));
	s->latest = i;
	return i;
}

/* Goes up to where the thread had so many events. */
static struct value_step *step_at(struct value_search *v, uint32_t tid, uint32_t index)
{
	if (!v->root[tid])
		v->root[tid] = v->at[tid] = first_step(v, tid);
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

/* The thread did not repeat itself. */
static void did_otherwise(struct engine *e)
{
	e->value->lost = true;
	value_was_mistaken(e);
}

/* A run of this engine is at the step, or has been, and so at all before it. */
static void makes_own(struct value_search *v, struct value_step *s)
{
	while (s && !s->own) {
		s->own = true;
		s = s->above ? &v->step[s->above - 1] : NULL;
	}
}

void known_learn(struct engine *e, uint32_t tid, const struct op *op)
{
	struct value_step *s = known_step(e, tid);
	const uint32_t loc = op->addr ? graph_find_location(&e->graph, op->addr, op->size) : NO_LOC;
	const bool first = loc != NO_LOC && e->graph.locs[loc].last == NO_POS;

	if (!s)
		return;
	makes_own(e->value, s);
	if (s->op.kind == OP_KINDS)
		s->op = *op;
	else if (!is_same(&s->op, op))
		did_otherwise(e);
	if (!first)
		return;
	if (s->began && !value_eq(s->initial, e->graph.locs[loc].initial))
		did_otherwise(e);
	s->began = true;
	s->initial = e->graph.locs[loc].initial;
}

bool known_has_ended(struct engine *e, uint32_t tid)
{
	const struct value_step *s = known_step(e, tid);

	return s && s->above && e->value->step[s->above - 1].own;
}

/* 1 + the step on the way to that one where its thread had so many events. */
static uint32_t step_before(const struct value_search *v, uint32_t i, uint32_t index)
{
	while (v->step[i - 1].index > index)
		i = v->step[i - 1].above;
	must(v->step[i - 1].index == index);
	return i;
}

/* 1 + the step behind that event of a thread. */
static uint32_t step_of(const struct value_search *v, const struct event *ev)
{
	return step_before(v, v->at[ev->tid], ev->index + 1);
}

/* The history of a thread up to the step, as one value: what it may have handed over is a function of that. */
static struct value_came told_by(const struct value_search *v, uint32_t step)
{
	const struct value_step *s = &v->step[step - 1];

	return (struct value_came){ .value = { .lo = s->name.a, .hi = s->name.b },
				    .told = true,
				    .handed = s->handed };
}

struct value_came known_created(const struct value_search *v, uint32_t step, uint32_t index)
{
	return told_by(v, step_before(v, step, index));
}

struct value_came known_joined(const struct value_search *v, uint32_t step)
{
	const struct value_step *end = &v->step[v->step[step - 1].above - 1];
	struct engine_id told;

	if (!v->makes || end->age != v->age)
		return told_by(v, step);
	told = name_behind(end->hands, end->op.arg); /* which is what it returns */
	told = name_behind(told, value_of(v->age));
	return (struct value_came){ .value = { .lo = told.a, .hi = told.b },
				    .told = true,
				    .handed = true };
}

/* What the operation read, and how it went on, as one value. */
static struct value value_came_of(const struct engine *e, const struct event *ev)
{
	const struct graph *g = &e->graph;

	if (ev->kind == OP_FUTEX_WAKE) /* likewise: who slept, and who does now */
		return (struct value){ .lo = ev->read.lo,
				       .hi = g->ev[g->at[ev->tid][ev->index + 1]].written.lo };
	if (ev->kind == OP_COND_SIGNAL) /* in an exploration that is one word (waiting.h) */
		return (struct value){ .lo = ev->read.lo, .hi = ev->choice };
	return ev->flags & EV_READ || ev->kind == OP_CHOOSE ? ev->read : value_of(0);
}

static struct value_came came_of(const struct engine *e, const struct event *ev)
{
	const struct graph *g = &e->graph;

	if (ev->kind == OP_START)
		return told_by(e->value, step_of(e->value, &g->ev[ev->rf]));
	if (ev->kind == OP_JOIN)
		return known_joined(e->value, step_of(e->value, &g->ev[ev->rf]));
	return (struct value_came){ .value = value_came_of(e, ev) };
}

void known_goes(struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];
	struct value_search *v = e->value;
	struct value_step *s = v->lost ? NULL : step_at(v, ev->tid, ev->index);
	uint32_t i;

	if (!s)
		return;
	i = known_behind_or_new(v, v->at[ev->tid], e->graph.count[ev->tid], came_of(e, ev));
	if (i)
		v->at[ev->tid] = i;
}

/* ---- What threads hand over ------------------------------------------------------------------------ */

void engine_shares_more(struct engine *e)
{
	if (e->value)
		e->value->age++;
}

void engine_hands_over(struct engine *e, uint32_t tid, uint64_t a, uint64_t b)
{
	struct value_search *v = e->value;
	struct value_step *s, *above;
	struct engine_id hands = { 0, 0 };
	uint32_t i;

	if (!v || !v->makes || v->lost || !step_at(v, tid, e->graph.count[tid]))
		return;
	for (i = v->at[tid]; v->step[i - 1].index > e->done[tid];)
		i = v->step[i - 1].above;
	s = &v->step[i - 1];
	must(s->index == e->done[tid]);
	above = s->above ? &v->step[s->above - 1] : NULL;
	if (above && above->age != v->age)
		return;
	if (above)
		hands = s->told ? name_behind(above->hands, s->came) : above->hands;
	if (a | b) /* else it has left nothing since */
		hands = name_behind(hands, (struct value){ a, b });
	if (s->age == v->age && (s->hands.a != hands.a || s->hands.b != hands.b))
		did_otherwise(e);
	s->hands = hands;
	s->age = v->age;
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

	for (uint32_t t = 0; t < e->nthreads && !v->lost; t++) {
		makes_own(v, known_step(e, t));
		for (uint32_t i = v->at[t]; i && !v->step[i - 1].met; i = v->step[i - 1].above) {
			struct value_step *s = &v->step[i - 1];

			s->met = s->index < e->graph.count[t];
			if (s->met && s->op.kind != OP_KINDS)
				meet(e, t, s);
		}
	}
}

/* ---- Where it was wrong, or is not to be gone by ---------------------------------------------------- */

void value_runs_always(struct engine *e, const char *why)
{
	struct value_search *v = e->value;

	if (v->makes)
		v->why_runs = why;
	v->makes = false;
}

bool value_was_mistaken(struct engine *e)
{
	struct value_search *v = e->value;

	if (!v->nwithout)
		return false;
	value_runs_always(e, "a thread did not do the same again");
	v->mistaken = true;
	e->restart |= RESTART_MEMO;
	return true;
}
