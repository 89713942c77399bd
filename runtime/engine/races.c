/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * races.c - plain accesses that race with atomic ones
 *
 * Each plain access to a location that has events asks (access/promote.c). At random that is O(k) for k threads: the last
 * event of each at each location is known (online/modification.h).
 */
#include "base/must.h"
#include "engine/engine.h"
#include "engine/inspect.h"
#include "engine/online/online.h"
#include "engine/run/state.h"

/* Does a plain access by the thread, now, race with that event? */
static bool races_now(const struct engine *e, uint32_t tid, const struct event *ev, bool is_write)
{
	return ev->tid != tid && ev->index < e->done[ev->tid] &&
	       ev->index >= engine_clock(e, tid)[ev->tid] &&
	       (is_write || (ev->flags & (EV_WRITE | EV_EXCLUSIVE)));
}

/* How many events of others happened that the thread's next one does not come after. */
static uint32_t count_unordered(const struct engine *e, uint32_t tid)
{
	const uint32_t *clock = engine_clock(e, tid);
	uint32_t n = 0;

	for (uint32_t t = 0; t < e->nthreads; t++)
		if (t != tid && e->done[t] > clock[t])
			n += e->done[t] - clock[t];
	return n;
}

/* Is there one of them that races, at that location? */
static bool any_unordered_races(const struct engine *e, uint32_t tid, uint32_t loc, bool is_write)
{
	const struct graph *g = &e->graph;

	for (uint32_t t = 0; t < e->nthreads; t++)
		for (uint32_t i = engine_clock(e, tid)[t]; i < e->done[t]; i++) {
			const struct event *ev = &g->ev[g->at[t][i]];

			if (ev->loc == loc && races_now(e, tid, ev, is_write))
				return true;
		}
	return false;
}

/* Of the last events of the location, at most so many, the first that races; NO_POS: there is none. *left: how many more there may be. */
static uint32_t first_of_location(const struct engine *e, uint32_t tid, uint32_t loc, bool is_write,
				  uint32_t *left)
{
	const struct graph *g = &e->graph;
	uint32_t p = g->locs[loc].last;

	for (; p != NO_POS && *left; p = g->ev[p].prev_at_loc, --*left)
		if (races_now(e, tid, &g->ev[p], is_write))
			return p;
	*left = p != NO_POS;
	return NO_POS;
}

/* At random the last event of each thread at the location is known. */
static bool any_at_random(const struct engine *e, uint32_t tid, uint32_t loc, bool is_write)
{
	bool any = mod_unknown(&e->online->mo, loc, tid, engine_clock(e, tid), !is_write);

#ifdef HEDDLE_CHECKS
	uint32_t all = UINT32_MAX;

	must(any == (first_of_location(e, tid, loc, is_write, &all) != NO_POS));
#endif
	return any;
}

/*
 * Else either all events of the location are looked at or, where these are more, all that are unordered: those may be many
 * where threads hardly meet, and the others where they meet at each turn.
 */
static bool any_races(const struct engine *e, uint32_t tid, uint32_t loc, bool is_write)
{
	uint32_t left;

	if (e->online)
		return any_at_random(e, tid, loc, is_write);
	left = count_unordered(e, tid);
	if (first_of_location(e, tid, loc, is_write, &left) != NO_POS)
		return true;
	return left && any_unordered_races(e, tid, loc, is_write);
}

/*
 * The last one that was executed: that is the same in a replay, and which was inserted last is not; but in random testing
 * events are inserted when they are executed.
 */
static uint32_t last_that_races(const struct engine *e, uint32_t tid, uint32_t loc, bool is_write)
{
	const struct graph *g = &e->graph;
	uint32_t p = g->locs[loc].last;

	if (e->online) {
		while (!races_now(e, tid, &g->ev[p], is_write))
			p = g->ev[p].prev_at_loc;
		return p;
	}
	for (uint32_t i = e->nran; i-- > 0;) {
		p = e->ran[i].pos;
		if (p != NO_POS && g->ev[p].loc == loc && races_now(e, tid, &g->ev[p], is_write))
			break;
	}
	return p;
}

bool engine_race_with_atomics(const struct engine *e, uint32_t tid, uint64_t addr, bool is_write,
			      struct engine_step_record *conflict)
{
	const struct graph *g = &e->graph;
	uint32_t loc = graph_find_location(g, addr, 1);

	if (loc == NO_LOC || !any_races(e, tid, loc, is_write))
		return false;
	inspect_event(e, last_that_races(e, tid, loc, is_write), conflict);
	return true;
}
