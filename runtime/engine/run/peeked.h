/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peeked.h - the event that an operation would be, and how it gets into a graph that is only made forward
 *
 * Random testing does no more than that for each operation, so it is inline. What an operation means is run.c's.
 */
#ifndef HEDDLE_ENGINE_RUN_PEEKED_H
#define HEDDLE_ENGINE_RUN_PEEKED_H

#include "engine/graph/append.h"
#include "engine/run/run.h"

/* The orders of an operation on a library object. */
void run_library_orders(const struct op *op, unsigned *success, unsigned *fail);

static inline void run_orders(const struct op *op, unsigned *success, unsigned *fail)
{
	*success = *fail = op->order;
	if (op->kind == OP_CAS)
		*fail = op->order_fail;
	else if (op->kind > OP_FENCE)
		run_library_orders(op, success, fail);
}

/*
 * The event of an operation at that location, or NO_LOC, where graph_add() wants it. Every member is set, or the compiler
 * would clear them all before.
 */
static inline struct event *run_event_at(struct engine *e, uint32_t tid, const struct op *op,
					 uint32_t loc)
{
	struct event *ev = graph_next(&e->graph);
	unsigned success, fail;

	e->graph.parts |= op->kind <= OP_RMW && op->peer;

	run_orders(op, &success, &fail);
	*ev = (struct event){
		.kind = op->kind,
		.flags = 0,
		.order = (uint8_t)success,
		.order_success = success & 15,
		.order_fail = fail & 15,
		.size = op->size,
		.fn = op->fn,
		.tid = (uint16_t)tid,
		.index = 0,
		.loc = loc,
		.rf = RF_NONE,
		.prev_at_loc = NO_POS,
		.read = { 0, 0 },
		.written = { 0, 0 },
		.last_release = 0,
		.last_fence = 0,
		.choice = 0,
		.slot = NO_POS,
		.slot_rank = UINT32_MAX,
		.asked = NO_POS,
		.asks = NO_LOC,
		.peer = op->peer,
		.arg = op->arg,
		.expected = op->expected,
		.pc = op->pc,
	};
	return ev;
}

static inline struct event *run_event(struct engine *e, uint32_t tid, const struct op *op)
{
	return run_event_at(e, tid, op,
			    op->addr ? graph_location(&e->graph, op->addr, op->size) : NO_LOC);
}

/* Of an operation that only writes. */
static inline void run_set_written(struct event *ev, const struct op *op)
{
	ev->flags = EV_WRITE;
	ev->written = op->kind == OP_STORE ? op->arg : value_of(op->kind == OP_ONCE_DONE ? 2 : 0);
}

/*
 * Appends the event that run_event() has made last, which is the next one still: a read that goes on with that write and
 * choice (the guard says how), as run_add_read() and run_set_read() would in an execution that is made forward, where nothing was
 * asked of it before; or a write.
 */
static inline uint32_t run_add_peeked_read(struct engine *e, uint32_t rf, uint32_t choice,
					   enum guard guard)
{
	struct graph *g = &e->graph;
	struct event *ev = &g->ev[g->n];

	must(guard != GUARD_BLOCKS);
	if (guard == GUARD_WRITES)
		ev->flags |= EV_EXCLUSIVE;
	else
		ev->order = ev->order_fail;
	ev->rf = rf;
	ev->choice = choice;
	ev->read = graph_value(g, ev->loc, rf);
	return ev->index ? graph_append(g, NO_POS) : graph_add(g, ev);
}

static inline uint32_t run_add_peeked_write(struct engine *e, const struct op *op)
{
	struct event *ev = &e->graph.ev[e->graph.n];

	run_set_written(ev, op);
	return ev->index ? graph_append(&e->graph, NO_POS) : graph_add(&e->graph, ev);
}

/* Likewise run_add_write_part(), directly behind the read. */
static inline uint32_t run_append_write_part(struct engine *e, uint32_t read)
{
	struct graph *g = &e->graph;
	const struct event *from = &g->ev[read];
	struct event *ev = graph_next(g);

	*ev = *from;
	graph_guard(g, from, from->rf, from->choice, &ev->written);
	ev->flags = EV_WRITE | EV_EXCLUSIVE;
	ev->rf = RF_NONE;
	return graph_append(g, from->rf);
}

#endif
