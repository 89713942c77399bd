/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_mo.c - what exploration by modification order adds to explore.c
 *
 * With `mo` equivalence two executions are the same only if every location's modification
 * order is, too. So a new write branches over its places in it, and maximally added means
 * latest in mo (TruSt, POPL 2022, as published; ../shared/design/explore_mo_reference.py).
 * The graph keeps mo as a list per location (graph_place()), coherence.c adds it to what must
 * come before what, and the searches of sc and tso follow it: nothing is left open then.
 *
 * Callers: explore.c and revisit.c.
 */
#include "engine/state.h"

/* Is the graph consistent with mo as it is at the location of this write? */
static bool placed_well(struct engine *e, uint32_t write)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct coherence o;
	bool ok;

	coherence_build(&o, g, g->count, g->ev[write].loc, NO_POS);
	ok = !o.cyclic;
	arena_reset(&g->scratch, mark);
	if (ok && e->model->consistent)
		ok = e->model->consistent(g, g->count, NULL, 0);
	return ok;
}

static bool fits_behind(struct engine *e, uint32_t write, uint32_t behind)
{
	bool ok;

	graph_place(&e->graph, write, behind);
	ok = placed_well(e, write);
	graph_unplace(&e->graph, write);
	return ok;
}

bool mo_place_rmw(struct engine *e, uint32_t write)
{
	struct graph *g = &e->graph;

	graph_place(g, write, graph_rmw_source(g, &g->ev[write]));
	return placed_well(e, write);
}

bool mo_place(struct engine *e, uint32_t write, uint32_t read)
{
	struct graph *g = &e->graph;
	uint32_t behind = RF_INIT, chosen = RF_NONE;

	if (is_rmw_write(&g->ev[write]))
		return mo_place_rmw(e, write);
	for (;;) {
		uint32_t next = behind == RF_INIT ? g->locs[g->ev[write].loc].mo_first
						  : g->ev[behind].mo_after;

		if (fits_behind(e, write, behind)) {
			if (chosen != RF_NONE)
				e->work[e->nwork++] = (struct work){ .kind = WORK_PLACE,
								     .stamp = write,
								     .read = read,
								     .rf = chosen };
			chosen = behind;
		}
		if (next == NO_POS)
			break;
		behind = next;
	}
	if (chosen == RF_NONE)
		return false;
	graph_place(g, write, chosen);
	return true;
}

bool mo_latest(const struct graph *g, const uint32_t *cut, uint32_t loc, uint32_t write)
{
	uint32_t w = write == RF_INIT ? g->locs[loc].mo_first : g->ev[write].mo_after;

	while (w != NO_POS && !in_cut(&g->ev[w], cut))
		w = g->ev[w].mo_after;
	return w == NO_POS;
}
