/* SPDX-License-Identifier: BSD-2-Clause */
/* orders.c - what threads did between events, and events of others: in which order, when an execution is over */
#include "engine/engine.h"
#include "engine/run/state.h"

bool engine_after(const struct engine *e, uint32_t tid, uint32_t n, uint32_t of, uint32_t c)
{
	const struct graph *g = &e->graph;

	return n && n <= e->done[tid] && graph_hb(g, graph_at(g, tid, n - 1))[of] > c;
}

bool engine_crosses(const struct engine *e, uint64_t addr, unsigned size, uint32_t tid, uint32_t c,
		    const uint32_t *clock, bool writes)
{
	const struct graph *g = &e->graph;
	uint32_t loc = graph_find_location(g, addr, size);

	for (uint32_t p = loc == NO_LOC ? NO_POS : g->locs[loc].last; p != NO_POS;
	     p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if (ev->tid != tid && (writes || ev->flags & EV_WRITE) &&
		    ev->index >= clock[ev->tid] && graph_hb(g, p)[tid] <= c)
			return true;
	}
	return false;
}
