/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.c - what each thread does next: the trees of steps (memo.h)
 *
 * Where a thread is follows from the graph: from its first step it goes down, by what its events have read. That is done anew in
 * each run, as far as somebody asks.
 */
#include "engine/run/memo.h"

#include <string.h>

size_t memo_bytes(uint32_t capacity)
{
	return sizeof(struct memo) + 64 + 2 * ARENA_SKEW +
	       capacity / 4 * sizeof(struct memo_step) + (size_t)capacity * sizeof(uint32_t);
}

void memo_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	struct memo *m = arena_take(a, sizeof(*m));

	m->most = capacity / 4;
	m->step = arena_table(a, m->most * sizeof(*m->step));
	m->behind = arena_table(a, capacity * sizeof(*m->behind));
	m->nsteps = 1;
	e->memo = m;
}

void memo_empty(struct engine *e)
{
	struct memo *m = e->memo;

	m->nsteps = 1;
	memset(m->root, 0, sizeof(m->root));
	m->made = m->given_up = 0;
}

void memo_begin(struct engine *e)
{
	struct memo *m = e->memo;

	memset(m->at, 0, sizeof(m->at[0]) * e->nthreads);
	memset(m->index, 0, sizeof(m->index[0]) * e->nthreads);
	m->unknown = false;
}

void memo_lose(struct engine *e, const char *why, bool again)
{
	struct memo *m = e->memo;

	if (!m || m->lost)
		return;
	m->lost = true;
	m->why = why;
	if (again && m->made)
		e->restart |= RESTART_MEMO;
}

void memo_meets(struct engine *e, const struct location *l, struct value now)
{
	if (l->run && !value_eq(l->initial, now))
		memo_lose(e, "what a location holds at first is not always the same", true);
}

/* ---- Where threads are ----------------------------------------------------------------------------- */

/* A new step; 0: there is no room. */
static uint32_t new_step(struct engine *e, uint32_t above, uint32_t index, struct value came)
{
	struct memo *m = e->memo;

	if (m->nsteps == m->most) {
		memo_lose(e, "there is no room for more steps", false);
		return 0;
	}
	m->step[m->nsteps] = (struct memo_step){
		.above = above,
		.index = index,
		.came = came,
		.op = { .kind = OP_KINDS },
	};
	return m->nsteps++;
}

/* Where the thread comes by that; 0: it was never there, or, if it is to be made, there is no room. */
static uint32_t below(struct engine *e, uint32_t at, struct value came, uint32_t index, bool make)
{
	struct memo *m = e->memo;
	uint32_t i;

	for (i = m->step[at].first; i; i = m->step[i].other)
		if (value_eq(m->step[i].came, came))
			return i;
	if (!make)
		return 0;
	i = new_step(e, at, index, came);
	if (i) {
		m->step[i].other = m->step[at].first;
		m->step[at].first = i;
	}
	return i;
}

static uint32_t go_to(struct engine *e, uint32_t tid, uint32_t index, bool make);

/* The step behind an event of another thread, by its place. */
static uint32_t step_behind(struct engine *e, uint32_t pos, bool make)
{
	const struct event *ev = &e->graph.ev[pos];

	if (e->memo->index[ev->tid] <= ev->index && !go_to(e, ev->tid, ev->index + 1, make))
		return 0;
	return e->memo->behind[pos];
}

/*
 * What the thread learns by the event: what it reads; when it begins, all that its creator knew; when it has joined another one, what
 * that returned. False: that is not known.
 */
static bool came_of(struct engine *e, const struct event *ev, bool make, struct value *came)
{
	const struct memo *m = e->memo;
	uint32_t i;

	*came = value_of(0);
	if (ev->kind == OP_START || ev->kind == OP_JOIN) {
		i = step_behind(e, ev->rf, make);
		*came = ev->kind == OP_START ? value_of(i) : m->step[m->step[i].above].op.arg;
		return i;
	}
	if (ev->flags & EV_READ || ev->kind == OP_CHOOSE)
		*came = ev->read;
	if (ev->kind == OP_COND_SIGNAL) /* in an exploration a set is one word (waiting.h): who waits, and whom it takes; */
		came->hi = ev->choice;
	else if ((ev->flags & EV_EXCLUSIVE) &&
		 (ev->kind == OP_FUTEX_WAKE || ev->kind == OP_FUTEX_REQUEUE)) /* and who is left */
		came->hi = e->graph.ev[e->graph.at[ev->tid][ev->index + 1]].written.lo;
	return true;
}

/* The step of a thread behind so many of its events; 0: as below(). */
static uint32_t go_to(struct engine *e, uint32_t tid, uint32_t index, bool make)
{
	const struct graph *g = &e->graph;
	struct memo *m = e->memo;

	if (!m->at[tid]) {
		if (!m->root[tid])
			m->root[tid] = new_step(e, 0, 0, value_of(0));
		m->at[tid] = m->root[tid];
	}
	while (m->at[tid] && m->index[tid] < index) {
		const uint32_t pos = g->at[tid][m->index[tid]];
		const struct event *ev = &g->ev[pos];
		uint32_t next = m->index[tid] + 1;
		struct value came;

		if ((ev->flags & EV_READ) && (ev->flags & EV_EXCLUSIVE))
			next++;
		if (!came_of(e, ev, make, &came))
			return 0;
		m->behind[pos] = below(e, m->at[tid], came, next, make);
		if (!m->behind[pos])
			return 0;
		m->at[tid] = m->behind[pos];
		m->index[tid] = next;
	}
	return m->at[tid];
}

const struct memo_step *memo_step(struct engine *e, uint32_t tid)
{
	const uint32_t i = e->memo->lost ? 0 : go_to(e, tid, e->done[tid], false);

	return i && e->memo->step[i].op.kind != OP_KINDS ? &e->memo->step[i] : NULL;
}

/* ---- What they do ---------------------------------------------------------------------------------- */

static bool is_same(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->size == b->size && a->pc == b->pc &&
	       a->order == b->order && a->order_fail == b->order_fail && a->fn == b->fn &&
	       a->await == b->await && a->peer == b->peer && value_eq(a->arg, b->arg) &&
	       value_eq(a->expected, b->expected);
}

void memo_learn(struct engine *e, uint32_t tid, const struct op *op)
{
	struct memo *m = e->memo;
	uint32_t i;

	if (m->lost || m->making)
		return;
	if (op->kind == OP_YIELD || op->kind == OP_PAUSE) {
		memo_lose(e, "a thread lets others go first", false);
		return;
	}
	i = go_to(e, tid, e->done[tid], true);
	if (!i)
		return;
	if (m->step[i].op.kind == OP_KINDS)
		m->step[i].op = *op;
	else if (!is_same(&m->step[i].op, op))
		memo_lose(e, "a thread did not do the same again", true);
}

void memo_told(struct engine *e, uint32_t tid, const struct await_mask *told)
{
	struct memo *m = e->memo;
	uint32_t i;

	if (m->lost || m->making)
		return;
	i = go_to(e, tid, e->done[tid], true);
	if (i)
		await_mask_add(&m->step[i].mask, told);
}
