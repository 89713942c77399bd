/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queues.c - see queues.h
 *
 * To look at a queue (OP_FUTEX_LOOK), and at the word, and to go to sleep is one step for all other operations on the queue. Here it is as if the
 * thread had a lock from the look on: a look observes the last write of the queue, as that is what the wait behind it
 * has to find, and until that has come nobody else does anything to it. So there is never a choice about which write
 * an operation on a queue observes.
 */
#include "engine/value/queues.h"

#include "engine/run/run.h"

/* Has the thread looked at a queue, and perhaps at the word, and no more? That event, or NO_POS. */
static uint32_t open_look(const struct graph *g, uint32_t tid)
{
	uint32_t i = g->count[tid];

	if (i && g->ev[g->at[tid][i - 1]].kind == OP_LOAD)
		i--;
	if (!i || g->ev[g->at[tid][i - 1]].kind != OP_FUTEX_LOOK)
		return NO_POS;
	return g->at[tid][i - 1];
}

/* Is the thread in the queue that it takes itself out of, because of a signal, one of a futex? */
static bool leaves_queue(const struct graph *g, uint32_t tid, const struct op *leave)
{
	const uint32_t loc = graph_find_location(g, leave->addr, leave->size);

	for (uint32_t i = g->count[tid]; i-- > 0;)
		if (g->ev[g->at[tid][i]].loc == loc)
			return g->ev[g->at[tid][i]].kind == OP_FUTEX_WAIT;
	return false;
}

bool queue_may_come(const struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	const uint32_t look = open_look(g, tid);

	if (op->kind == OP_COND_LEAVE)
		return !leaves_queue(g, tid, op);
	if (look == NO_POS)
		return op->kind != OP_FUTEX_WAIT;
	if (op->kind == OP_LOAD)
		return g->ev[look].index + 1 == g->count[tid];
	return op->kind == OP_FUTEX_WAIT || op->kind == OP_BLOCK;
}

bool queue_source(const struct engine *e, uint32_t tid, uint32_t loc, uint32_t *write)
{
	const struct graph *g = &e->graph;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		const uint32_t look = t == tid ? NO_POS : open_look(g, t);

		if (look != NO_POS && g->ev[look].loc == loc)
			return false;
	}
	/* All writes are read-modify-writes, so they stand in a chain, and one is not taken. */
	*write = g->locs[loc].last;
	while (*write != RF_INIT &&
	       (!(g->ev[*write].flags & EV_WRITE) || g->ev[*write].taker != NO_POS))
		*write = g->ev[*write].prev_at_loc;
	return true;
}

static bool begins_sleep(const struct event *ev)
{
	return ev->kind == OP_COND_BEGIN || ev->kind == OP_FUTEX_WAIT;
}

uint32_t queue_waker(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	struct op op = { .kind = OP_COND_WOKEN };
	uint32_t i = g->count[tid];

	do {
		must(i--);
	} while (!begins_sleep(&g->ev[g->at[tid][i]]));
	op.addr = g->locs[g->ev[g->at[tid][i]].loc].addr;
	return run_waker(e, tid, &op);
}
