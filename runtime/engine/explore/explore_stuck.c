/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_stuck.c - threads that wait for values when nothing can move (see run/await.c)
 *
 * They are stuck for good, which is a bug, if what they would see if they looked now keeps them
 * where they are, and stays the last word. The graph does not say so: an await that waits
 * observes nothing. So where it may be so, the graph is executed without the awaits that wait in it,
 * and all look for good (EV_LOOKS), at writes that may be the last of their locations. The verdict on
 * them is verdict.c's.
 *
 * To execute a graph again is dear, and most are not worth it, as is seen from what
 * is certain (await_may_be_stuck()): what a thread has read in the round that it would do
 * for ever has been overwritten; or no value that may be the last of a location keeps all of
 * those that wait there. (explore.txt, S5; wra: S6)
 */
#include "engine/explore/explore.h"

static bool comes_after(const struct graph *g, uint32_t write, uint32_t pos)
{
	return (g->ev[pos].flags & EV_WRITE) &&
	       (write == RF_INIT || await_comes_first(g, write, pos));
}

/*
 * Is no write known to come after it? Only executions are saved by that, no proof needs it: the verdict asks as much of the writes
 * that were looked at (model_may_end(); wra: all_go_round()). Of random programs (fuzz_explore rc11: races, mutual, objects+,
 * crowd, await) 22 to 63 % more executions end in nothing if await_last_words() does not ask, 2 to 23 % more if keeps_all()
 * does not. What only read-modify-writes follow that store what they read is left to the last of these.
 */
static bool may_be_latest(const struct graph *g, uint32_t loc, uint32_t write)
{
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (comes_after(g, write, p))
			return false;
	return true;
}

/* May its value be the last? Read-modify-writes that store what they read may follow. */
static bool value_may_last(const struct graph *g, uint32_t loc, uint32_t write)
{
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (comes_after(g, write, p) &&
		    !(is_rmw_write(&g->ev[p]) && value_eq(g->ev[p].read, g->ev[p].written)))
			return false;
	return true;
}

uint32_t await_last_words(struct engine *e, uint32_t pos, struct candidate *c, uint32_t n)
{
	const struct graph *g = &e->graph;
	const struct event *ev = &g->ev[pos];
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++)
		if (await_stays_with(e, &waits_of(g, ev)->mask, ev->loc, c[i].write) &&
		    may_be_latest(g, ev->loc, c[i].write))
			c[left++] = c[i];
	return left;
}

/* How many events of the thread come before the operation that waits. */
static uint32_t events_before(const struct engine *e, uint32_t tid)
{
	uint32_t n = e->graph.count[tid];

	return e->done[tid] == n ? n : n - 1;
}

bool await_waits(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	const struct thread *th = &e->thread[tid];
	uint32_t n = g->count[tid];

	if (th->state != THREAD_WAITS || !e->awaits)
		return false;
	if (e->done[tid] == n)
		return th->pending.await;
	return n && (g->ev[g->at[tid][n - 1]].flags & (EV_AWAIT | EV_BLOCKED)) ==
			    (EV_AWAIT | EV_BLOCKED);
}

/* Could all that the waiting thread has read in its last round be the last word? */
static bool round_may_last(struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t left = await_mask_of(e, tid)->round;

	for (uint32_t i = events_before(e, tid); i-- > 0 && left > 1;) {
		const struct event *ev = &g->ev[g->at[tid][i]];

		if (is_rmw_write(ev))
			continue; /* counted with its read */
		left--;
		if ((ev->flags & EV_READ) && !value_may_last(g, ev->loc, ev->rf))
			return false;
	}
	return true;
}

static uint32_t location_of(const struct engine *e, uint32_t tid)
{
	const struct op *op = &e->thread[tid].pending;

	return graph_find_location(&e->graph, op->addr, op->size);
}

/* Would that write, being the last, keep all threads that wait at the location where they are? */
static bool keeps_all(struct engine *e, uint32_t loc, uint32_t write)
{
	if (!may_be_latest(&e->graph, loc, write))
		return false;
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (await_waits(e, t) && location_of(e, t) == loc &&
		    !await_stays_with(e, await_mask_of(e, t), loc, write))
			return false;
	return true;
}

static bool may_stay(struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t loc = location_of(e, tid);

	if (!round_may_last(e, tid))
		return false;
	if (keeps_all(e, loc, RF_INIT))
		return true;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && keeps_all(e, loc, p))
			return true;
	return false;
}

bool await_may_be_stuck(struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct thread *th = &e->thread[t];

		if (th->state == THREAD_STOPPED || (th->state == THREAD_STUCK && !th->pending.peer))
			return false;
		if (run_is_void(e, t))
			return false;
		if (await_waits(e, t) && !may_stay(e, t))
			return false;
	}
	return true;
}
