/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gone.c - see gone.h; letters refer to online.txt
 */
#include "engine/online/gone.h"

#include <string.h>

enum {
	MANY = 1 << 13 /* locations that are gone, and that some thread does not know all of */
};

void gone_note(struct engine *e, uint64_t addr)
{
	struct modification *o;
	uint32_t loc;

	if (e->graph.parts)
		return;
	o = &e->online->mo;
	loc = graph_find_location(&e->graph, addr, 1);
	if (loc == NO_LOC || loc >= o->rows || e->graph.locs[loc].last == NO_POS || o->at[loc].gone)
		return;
	o->at[loc].gone = true;
	e->online->giving.any_gone = true;
}

/* The clock of a thread that goes on: of its last event, or of its creation if it has not started. */
static const uint32_t *clock_of(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	if (g->count[tid])
		return graph_hb(g, g->at[tid][g->count[tid] - 1]);
	return graph_hb(g, graph_at(g, e->thread[tid].creator, e->thread[tid].create_index));
}

/* Does each of these threads know of all that was done there? */
static bool all_know(const struct engine *e, const struct thread_set *threads, uint32_t loc)
{
	THREAD_SET_EACH(tid, threads) {
		if (mod_unknown(&e->online->mo, loc, tid, clock_of(e, tid), false))
			return false;
	}
	return true;
}

static bool may_bury(const struct engine *e, const struct thread_set *goes_on, uint32_t loc,
		     uint32_t *nunknown)
{
	const struct online *on = e->online;

	if (on->way != WAY_RC11 || on->sc.first == NO_POS || on->sc.fences_last)
		return true;
	if (all_know(e, goes_on, loc))
		return true;
	++*nunknown;
	return false;
}

static void bury(struct engine *e, uint32_t loc)
{
	struct modification *o = &e->online->mo;
	struct graph *g = &e->graph;
	struct location *l = &g->locs[loc];

	/* Who comes all the same finds what was there. */
	l->initial = graph_value(g, loc, l->mo_last);
	for (uint32_t pos = l->last; pos != NO_POS; pos = g->ev[pos].prev_at_loc) {
		struct event *ev = &g->ev[pos];

		o->listed[pos] = 0;
		if (!(ev->flags & EV_PLACED))
			continue;
		ev->mo_before = RF_INIT;
		ev->mo_after = NO_POS;
	}
	memset(&o->last[(size_t)loc * o->stride], 0xff, o->stride * sizeof(*o->last));
	o->at[loc].oldest = o->at[loc].chain = RF_INIT;
	l->last = l->mo_first = l->taker = NO_POS;
	l->mo_last = RF_INIT;
}

/* G9 */
void gone_bury(struct engine *e, const struct thread_set *goes_on)
{
	const struct graph *g = &e->graph;
	const struct modification *o = &e->online->mo;
	uint32_t nunknown = 0;

	if (!e->online->giving.any_gone)
		return;
	for (uint32_t loc = 0; loc < g->nlocs && loc < o->rows; loc++)
		if (g->locs[loc].last != NO_POS && o->at[loc].gone &&
		    may_bury(e, goes_on, loc, &nunknown))
			bury(e, loc);
	if (nunknown > MANY)
		e->online->sc.fences_last = true;
}
