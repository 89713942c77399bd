/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict_cancels.c - threads that were stopped since their read-modify-writes cancel out
 *
 * Such a thread is in its loop for ever, when nobody else does anything any more, if its last round found what the
 * next one finds, when that is done alone: the last value of the location, and then what it wrote itself. If it found
 * something else, the execution in which the round is done last says more. (await.txt, E5)
 */
#include "engine/verdict.h"

bool verdict_cancels(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	/* A lock, which D is about, stores something else, too. */
	for (uint32_t i = verdict_round_from(e, tid); i < g->count[tid]; i++) {
		const struct event *ev = &g->ev[g->at[tid][i]];

		if (ev->kind == OP_RMW && is_rmw_write(ev) &&
		    !value_eq(ev->written, g->ev[g->at[tid][i - 1]].read))
			return true;
	}
	return false;
}

/* The write of the read-modify-write that read this one, or NO_POS. */
static uint32_t next_in_row(const struct graph *g, uint32_t write)
{
	for (uint32_t p = g->locs[g->ev[write].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (is_rmw_write(&g->ev[p]) && graph_rmw_source(g, &g->ev[p]) == write)
			return p;
	return NO_POS;
}

/* The thread's last write, which is one of its last round; looks may have come behind it. */
static uint32_t last_write(const struct graph *g, uint32_t tid)
{
	uint32_t i = g->count[tid] - 1;

	while (!is_rmw_write(&g->ev[g->at[tid][i]]))
		i--;
	return g->at[tid][i];
}

static uint32_t end_of_row(const struct graph *g, uint32_t write)
{
	uint32_t next;

	while ((next = next_in_row(g, write)) != NO_POS)
		write = next;
	return write;
}

bool verdict_cancels_again(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t last = end_of_row(g, last_write(g, tid));
	struct value there = g->ev[last].written;

	for (uint32_t i = verdict_round_from(e, tid); i < g->count[tid]; i++) {
		const struct event *ev = &g->ev[g->at[tid][i]];

		if (is_rmw_write(ev))
			there = ev->written;
		else if (!value_eq(ev->read, there))
			return false;
	}
	return value_eq(there, g->ev[last].written);
}

static bool is_stuck(const struct engine *e, uint32_t tid)
{
	return e->thread[tid].state == THREAD_STUCK && e->thread[tid].pending.peer;
}

/* Has the thread's last round anything there? */
static bool looks_at(const struct engine *e, uint32_t tid, uint32_t loc)
{
	const struct graph *g = &e->graph;

	for (uint32_t i = verdict_round_from(e, tid); i < g->count[tid]; i++)
		if (g->ev[g->at[tid][i]].loc == loc)
			return true;
	return false;
}

/* Has it anything where a thread has rounds that cancel out? */
static bool takes_part(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	for (uint32_t t = 0; t < e->nthreads; t++)
		if (is_stuck(e, t) && verdict_cancels(e, t) &&
		    looks_at(e, tid, g->ev[g->at[t][g->count[t] - 1]].loc))
			return true;
	return false;
}

uint32_t verdict_cancel_parties(const struct engine *e)
{
	uint32_t n = 0, together = 0;
	bool anywhere = false;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		if (!is_stuck(e, t) || !takes_part(e, t))
			continue;
		n++;
		anywhere |= e->thread[t].pending.fn == STUCK_ANYWHERE;
		together += e->thread[t].pending.fn == STUCK_TOGETHER;
	}
	if (n > 1 && together == n)
		return CANCEL_TOGETHER;
	return n > 1 && anywhere ? CANCEL_ANYWHERE : n;
}

bool engine_cancels(const struct engine *e, uint32_t tid)
{
	return tid < e->nthreads && is_stuck(e, tid) && verdict_cancels(e, tid);
}

/* Does each write of the location that is not in the row which ends there come before the first one in it? */
static bool is_row_of_all(const struct graph *g, uint32_t end)
{
	uint32_t first = end, before, n = 1;

	while ((before = graph_rmw_source(g, &g->ev[first])) < RF_NONE &&
	       is_rmw_write(&g->ev[before])) {
		first = before;
		n++;
	}
	for (uint32_t p = g->locs[g->ev[end].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && (p == first || !happens_before(g, p, first)))
			n--;
	return !n;
}

bool engine_together_at(const struct engine *e, uint32_t tid, struct op *at, struct value *last)
{
	const struct graph *g = &e->graph;
	uint32_t end = end_of_row(g, last_write(g, tid));
	const struct location *l = &g->locs[g->ev[end].loc];

	*at = (struct op){ .addr = l->addr, .size = (uint8_t)l->size };
	*last = g->ev[end].written;
	return is_row_of_all(g, end);
}

bool engine_is_together(const struct engine *e, uint32_t tid, const struct op *at)
{
	uint32_t loc = graph_find_location(&e->graph, at->addr, at->size);

	return tid < e->nthreads && is_stuck(e, tid) && loc != NO_LOC && looks_at(e, tid, loc);
}
