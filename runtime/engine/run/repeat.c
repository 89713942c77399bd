/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repeat.c - the common case of engine_step(): the operation is in the graph already
 *
 * See repeat.h. This is what engine.c does in repeat() and finish() for operations that need
 * no thought, without a detour: anything that is not as it should be is left to
 * engine_step(), which says what is wrong.
 */
#include "engine/run/repeat.h"

#include "engine/run/run.h"

uint32_t engine_done(const struct engine *e, uint32_t tid)
{
	return e->done[tid];
}

bool engine_known(const struct engine *e, uint32_t tid)
{
	return e->done[tid] < e->graph.count[tid] || around_follows(e);
}

bool engine_fixes(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	return around_follows(e) ||
	       (e->done[tid] < g->count[tid] && g->at[tid][e->done[tid]] < e->around.fixed);
}

/* Is it the thread's next event in the graph, without anything that wants a closer look? */
static inline bool is_plain_repeat(const struct engine *e, const struct event *ev,
				   const struct op *op)
{
	return ev->kind == op->kind && ev->pc == op->pc && ev->size == op->size &&
	       (!(ev->flags & (EV_BLOCKED | EV_AWAIT)) ||
		(!(ev->flags & EV_BLOCKED) && !e->topping)) &&
	       (ev->flags || (op->kind >= OP_CREATE && op->kind <= OP_JOIN));
}

int engine_next_to_repeat(const struct engine *e)
{
	const struct graph *g = &e->graph;

	THREAD_SET_EACH(t, &e->waiting) {
		uint32_t done = e->done[t];
		const struct event *ev;

		if (done >= g->count[t])
			continue;
		ev = &g->ev[g->at[t][done]];
		if (!(ev->flags & EV_BLOCKED) && (ev->rf >= RF_NONE || happened(e, ev->rf)) &&
		    !is_aside(e, t))
			return (int)t;
	}
	return ENGINE_OVER;
}

int engine_repeat_later(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	const struct event *ev;

	if (e->done[tid] >= g->count[tid] || e->config.mode != ENGINE_EXPLORE)
		return ENGINE_OVER;
	ev = &g->ev[g->at[tid][e->done[tid]]];
	if (!is_plain_repeat(e, ev, op) || ev->rf >= RF_NONE || happened(e, ev->rf))
		return ENGINE_OVER;
	e->thread[tid].pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	return thread_set_any(&e->running) ? (int)thread_set_first(&e->running)
					   : engine_next_to_repeat(e);
}

/*
 * What is seldom stands apart from engine_repeat(), which so needs to save few registers: the location was not met
 * in this run yet,
 */
static __attribute__((noinline)) uint32_t meet_and_repeat(struct engine *e, uint32_t tid,
							  const struct op *op,
							  struct op_result *res,
							  const uint32_t **clock,
							  struct location *l)
{
	run_meet_anew(e, op, (uint32_t)(l - e->graph.locs));
	return engine_repeat(e, tid, op, res, clock);
}

/* and the rest of an operation that is no read, write or fence. Returns done. */
static __attribute__((noinline)) uint32_t begin_or_end(struct engine *e, const struct event *ev,
						       struct op_result *res, uint32_t done)
{
	if (ev->kind == OP_CREATE) {
		res->tid = ev->peer;
		thread_create(e, ev);
	} else if (ev->kind == OP_END) {
		thread_becomes(e, ev->tid, THREAD_ENDED);
	}
	return done;
}

/* By values, clocks are others. */
static __attribute__((noinline)) uint32_t done_otherwise(struct engine *e, const struct event *ev,
							 struct op_result *res,
							 const uint32_t **clock)
{
	if (!ev->flags)
		begin_or_end(e, ev, res, 0);
	*clock = e->repeated(e, ev->tid);
	return e->done[ev->tid];
}

uint32_t engine_repeat(struct engine *e, uint32_t tid, const struct op *op, struct op_result *res,
		       const uint32_t **clock)
{
	struct graph *g = &e->graph;
	const struct event *ev;
	uint32_t pos, last, done = e->done[tid];

	if (done >= g->count[tid] || e->config.mode != ENGINE_EXPLORE)
		return 0;
	pos = last = g->at[tid][done];
	ev = &g->ev[pos];
	if (!is_plain_repeat(e, ev, op))
		return 0;
	if (ev->rf < RF_NONE && !happened(e, ev->rf))
		return 0;
	if (ev->loc != NO_LOC) {
		struct location *l = &g->locs[ev->loc];

		if (l->addr != op->addr)
			return 0;
		if (l->run != e->begun)
			return meet_and_repeat(e, tid, op, res, clock, l);
	}
	res->wrote = 0;
	if (ev->flags & EV_WRITE) {
		if (op->kind == OP_STORE && !value_eq(ev->written, op->arg))
			return 0;
		res->wrote = 1;
		res->stored = ev->written;
	} else if (ev->flags & EV_EXCLUSIVE) {
		res->wrote = 1;
		last = g->at[tid][++done];
		res->stored = g->ev[last].written;
		e->repeating--;
	}
	res->value = ev->read;
	*clock = graph_hb(g, last);
	e->ran[e->nran].tid = tid;
	e->ran[e->nran++].pos = pos;
	e->done[tid] = ++done;
	e->repeating--;
	thread_becomes(e, tid, THREAD_RUNS);
	if (e->repeated)
		return done_otherwise(e, ev, res, clock);
	return ev->flags ? done : begin_or_end(e, ev, res, done);
}

/* The write part of a read-modify-write stands behind its read. Without an order of all writes of a
 * location (wra) no write is silent. */
static bool stores_what_it_read(const struct engine *e, const struct event *ev)
{
	const struct graph *g = &e->graph;

	return !e->model->admits && ev->index + 1 < g->count[ev->tid] &&
	       value_eq(ev->read, g->ev[g->at[ev->tid][ev->index + 1]].written);
}

static bool silent(const struct engine *e, const struct event *ev)
{
	if (ev->flags & (EV_WRITE | EV_BLOCKED))
		return false;
	switch (ev->kind) {
	case OP_LOAD:
	case OP_FENCE:
		return true;
	case OP_CAS:
		return !(ev->flags & EV_EXCLUSIVE) || stores_what_it_read(e, ev);
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return !(ev->flags & EV_EXCLUSIVE);
	case OP_CHOOSE:
		return ev->fn;
	case OP_RMW:
		return stores_what_it_read(e, ev);
	default:
		return false;
	}
}

uint32_t engine_settled(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t last = g->count[tid];

	if (e->topping && !e->around.n)
		return 0; /* awaits are looked at again, from their windows */
	while (last) {
		const struct event *ev = &g->ev[g->at[tid][last - 1]];
		bool is_write_part = is_rmw_write(ev);

		if (g->at[tid][last - 1] < e->around.fixed)
			break;
		/* It is as silent as the read before it. */
		if (is_write_part)
			ev = &g->ev[g->at[tid][last - 2]];
		if (!e->topping && !silent(e, ev))
			break;
		last -= 1 + is_write_part;
	}
	return last;
}
