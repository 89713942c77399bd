/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repeat.c - the common case of engine_step(): the operation is in the graph already
 *
 * See repeat.h. This is what engine.c does in repeat() and finish() for operations that need
 * no thought, without a detour: anything that is not as it should be is left to
 * engine_step(), which says what is wrong.
 */
#include "engine/repeat.h"

#include "engine/state.h"

uint32_t engine_done(const struct engine *e, uint32_t tid)
{
	return e->thread[tid].done;
}

bool engine_known(const struct engine *e, uint32_t tid)
{
	return e->thread[tid].done < e->graph.count[tid];
}

/* Is the location the operation's, with its initial value taken in this run? */
static inline bool met(struct engine *e, const struct event *ev, const struct op *op)
{
	struct location *l = &e->graph.locs[ev->loc];

	if (l->addr != op->addr)
		return false;
	if (l->run != e->run) {
		l->run = e->run;
		l->initial = e->config.initial(e->config.ctx, op->addr, op->size, op->kind);
	}
	return true;
}

/* Is it the thread's next event in the graph, without anything that wants a closer look? */
static inline bool is_plain_repeat(const struct engine *e, const struct event *ev,
				   const struct op *op)
{
	return ev->kind == op->kind && ev->pc == op->pc && ev->size == op->size &&
	       !(ev->flags & EV_BLOCKED) && !((ev->flags & EV_AWAIT) && e->topping) &&
	       (ev->flags || (op->kind >= OP_CREATE && op->kind <= OP_JOIN));
}

/* The rest of an operation that is no read, write or fence. */
static void begin_or_end(struct engine *e, const struct event *ev, struct op_result *res)
{
	if (ev->kind == OP_CREATE) {
		res->tid = ev->peer;
		thread_create(e, ev);
	} else if (ev->kind == OP_END) {
		thread_set(e, ev->tid, THREAD_ENDED);
	}
}

int engine_repeat_later(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	struct thread *th = &e->thread[tid];
	const struct event *ev;

	if (th->done >= g->count[tid] || e->config.mode != ENGINE_EXPLORE)
		return ENGINE_OVER;
	ev = &g->ev[g->at[tid][th->done]];
	if (!is_plain_repeat(e, ev, op) || ev->rf >= RF_NONE || happened(e, ev->rf))
		return ENGINE_OVER;
	th->pending = *op;
	thread_set(e, tid, THREAD_WAITS);
	return e->running ? __builtin_ctzll(e->running) : engine_next_to_repeat(e);
}

uint32_t engine_repeat(struct engine *e, uint32_t tid, const struct op *op, struct op_result *res,
		       const uint32_t **clock)
{
	struct graph *g = &e->graph;
	struct thread *th = &e->thread[tid];
	const struct event *ev;
	uint32_t pos, last, events = 1;

	if (th->done >= g->count[tid] || e->config.mode != ENGINE_EXPLORE)
		return 0;
	pos = last = g->at[tid][th->done];
	ev = &g->ev[pos];
	if (!is_plain_repeat(e, ev, op))
		return 0;
	if (ev->rf < RF_NONE && !happened(e, ev->rf))
		return 0;
	if (op->kind == OP_STORE && !value_eq(ev->written, op->arg))
		return 0;
	if (ev->loc != NO_LOC && !met(e, ev, op))
		return 0;
	res->value = ev->read;
	res->wrote = 0;
	if (ev->flags & EV_WRITE) {
		res->wrote = 1;
		res->stored = ev->written;
	} else if (ev->flags & EV_EXCLUSIVE) {
		res->wrote = 1;
		last = g->at[tid][ev->index + 1];
		res->stored = g->ev[last].written;
		events = 2;
	}
	*clock = graph_hb(g, last);
	thread_set(e, tid, THREAD_RUNS);
	e->step_at[tid][th->steps++] = pos;
	e->ran[e->nran].pos = pos;
	e->ran[e->nran++].tid = tid;
	th->done += events;
	e->repeating -= events;
	if (!ev->flags)
		begin_or_end(e, ev, res);
	return th->done;
}

static bool silent(const struct graph *g, const struct event *ev)
{
	if (ev->flags & (EV_WRITE | EV_BLOCKED))
		return false;
	switch (ev->kind) {
	case OP_LOAD:
	case OP_FENCE:
		return true;
	case OP_CAS:
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return !(ev->flags & EV_EXCLUSIVE);
	case OP_CHOOSE:
		return ev->fn;
	case OP_RMW:
		return (ev->order_success == ORDER_RLX || ev->order_success == ORDER_ACQ) &&
		       value_eq(ev->read, g->ev[g->at[ev->tid][ev->index + 1]].written);
	default:
		return false;
	}
}

uint32_t engine_settled(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t last =
		e->topping ? 0 : g->count[tid]; /* awaits are looked at again, from their windows */

	while (last) {
		const struct event *ev = &g->ev[g->at[tid][last - 1]];
		bool is_write_part = is_rmw_write(ev);

		/* It is as silent as the read before it. */
		if (is_write_part)
			ev = &g->ev[g->at[tid][last - 2]];
		if (!silent(g, ev))
			break;
		last -= 1 + is_write_part;
	}
	return last;
}
