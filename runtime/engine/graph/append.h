/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * append.h - what a new event learns, and the shortest way to add one to a graph that is only made forward
 *
 * What clocks are: clock.c.
 */
#ifndef HEDDLE_ENGINE_APPEND_H
#define HEDDLE_ENGINE_APPEND_H

#include "engine/graph/graph.h"

/*
 * Four entries of a clock. The stride is a multiple of 4, and entries are below 2^31, so that
 * they can be compared as what every x86-64 compares in one instruction.
 */
typedef int32_t four __attribute__((vector_size(16), aligned(4), may_alias));

static inline four *fours(uint32_t *clock)
{
	return (four *)clock;
}

static inline const four *const_fours(const uint32_t *clock)
{
	return (const four *)clock;
}

/* Most programs have four threads or fewer, so no loop is prepared for more. */
static inline void row_copy(uint32_t *into, const uint32_t *from, uint32_t n)
{
	uint32_t i = 0;

	do {
		*fours(into + i) = *const_fours(from + i);
	} while ((i += 4) < n);
}

static inline void row_clear(uint32_t *clock, uint32_t n)
{
	uint32_t i = 0;

	do {
		*fours(clock + i) = (four){ 0 };
	} while ((i += 4) < n);
}

static inline void row_join(uint32_t *into, const uint32_t *from, uint32_t n)
{
	uint32_t i = 0;

	do {
		four a = *fours(into + i), b = *const_fours(from + i), greater = b > a;

		*fours(into + i) = (b & greater) | (a & ~greater);
	} while ((i += 4) < n);
}

static inline bool clock_is_edge(const struct event *ev)
{
	return ev->kind == OP_START || ev->kind == OP_JOIN || ev->kind == OP_COND_WOKEN ||
	       ev->kind == OP_BARRIER_PASS;
}

static inline bool event_is_library(const struct event *ev)
{
	return ev->loc != NO_LOC && ev->size == 0;
}

static inline bool clock_synchronises(const struct graph *g, const struct event *ev)
{
	if (!(ev->flags & EV_READ) || ev->rf >= RF_NONE || !order_acquires(ev->order))
		return false;
	return g->sync != SYNC_PO || event_is_library(ev);
}

/* The event at pos learns what it reads from, or waits for: not RF_NONE. porf, hb: its clocks */
static inline void clock_learn(struct graph *g, const struct event *ev, uint32_t *porf,
			       uint32_t *hb)
{
	const struct event *from = &g->ev[ev->rf];
	const uint32_t n = g->stride, at = from->index, tid = from->tid;
	const size_t row = (size_t)ev->rf * n;

	if (tid != ev->tid)
		row_join(porf, g->porf + row, n);
	if (g->sync == SYNC_PORF)
		row_copy(hb, porf, n);
	else if (clock_is_edge(ev))
		row_join(hb, g->hb + row, n);
	else if (clock_synchronises(g, ev))
		row_join(hb, g->msg + row, n);
	if (hb[tid] <= at) {
		g->beyond_hb = true;
		/* a try that succeeds synchronises */
		g->beyond_hb_else |= !op_tries_lock(ev->kind);
	}
}

/* The message of the write at pos, whose clocks are there. */
void graph_message(struct graph *g, uint32_t pos);

static inline void append_write(struct graph *g, struct event *ev, uint32_t pos, struct location *l,
				uint32_t replaces)
{
	ev->taker = ev->head = NO_POS;
	if (ev->flags & EV_EXCLUSIVE) {
		uint32_t *takers = replaces == RF_INIT ? &l->taker : &g->ev[replaces].taker;

		ev->next_taker = *takers;
		*takers = pos;
	}
	if (g->sync == SYNC_PORF)
		return;
	if (l->speaks || event_begins_message(ev))
		graph_message(g, pos);
	else
		row_clear(graph_msg(g, pos), g->stride);
}

/*
 * As graph_add(), for an access to memory that is not its thread's first event: what it is, and what it reads, is in the next
 * event, which graph_next() has given. replaces: of the write part of a read-modify-write, what that reads.
 */
static inline __attribute__((always_inline)) uint32_t graph_append(struct graph *g,
								   uint32_t replaces)
{
	const uint32_t pos = g->n, n = g->stride;
	struct event *ev = &g->ev[pos];
	const uint32_t tid = ev->tid, index = g->count[tid];
	uint32_t *at = &g->at[tid][index];
	const uint32_t before = at[-1];
	const struct event *last = &g->ev[before];
	uint32_t *porf = g->porf + (size_t)pos * n, *hb = g->hb + (size_t)pos * n;
	const size_t from = (size_t)before * n;
	struct location *l = &g->locs[ev->loc];

	ev->last_release = last->last_release;
	ev->last_fence = last->last_fence;
	row_copy(porf, g->porf + from, n);
	row_copy(hb, g->hb + from, n);
	porf[tid] = hb[tid] = index + 1;
	ev->index = index;
	*at = pos;
	g->count[tid] = index + 1;
	g->n = pos + 1;
	ev->prev_at_loc = l->last;
	l->last = pos;
	if (ev->order == ORDER_SC && !is_rmw_write(ev)) {
		g->nsc++;
		l->nsc++;
	}
	if (ev->flags & EV_WRITE)
		append_write(g, ev, pos, l, replaces);
	else if (ev->rf < RF_NONE)
		clock_learn(g, ev, porf, hb);
	return pos;
}

#endif
