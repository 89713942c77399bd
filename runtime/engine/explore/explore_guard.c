/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_guard.c - threads that come to a semaphore or the like: when they are in the graph, and when it is a choice to wait
 *
 * The rules are those of explore.txt, C. A thread is asked whether anything lets it pass by adding its operation, and
 * taking it back.
 *
 * Callers: explore.c. What is found is kept with the thread, for run_enabled().
 */
#include "engine/explore/explore.h"

/* (C3) */
void guard_waits_outside(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	const uint32_t tid = g->ev[pos].tid, loc = g->ev[pos].loc;

	graph_truncate(g, pos);
	e->thread[tid].guard_at = e->done[tid] + 1;
	e->thread[tid].guard_in_vain = g->locs[loc].last + 2;
}

/* Does anything let the thread pass, even if others have taken it? */
static bool may_come_in(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	const struct op *op = &e->thread[tid].pending;
	char *mark = arena_mark(&g->scratch);
	struct candidate *c;
	uint32_t pos, n;
	bool blocks;

	if (!guard_may_block(op->kind))
		return true;
	pos = run_add_read(e, tid, op);
	c = arena_take(&g->scratch, (g->n + 1) * sizeof(*c));
	n = run_candidates(e, pos, c, &blocks);
	arena_reset(&g->scratch, mark);
	if (n)
		graph_truncate(g, pos);
	else
		guard_waits_outside(e, pos);
	return n;
}

/* (C1) */
bool guard_others_move(struct engine *e, uint32_t tid)
{
	if (thread_set_any(&e->aside))
		return true;
	THREAD_SET_EACH(t, &e->waiting)
		if (t != tid && run_enabled(e, t) && may_come_in(e, t))
			return true;
	return false;
}
