/* SPDX-License-Identifier: BSD-2-Clause */
/* place.c - where threads are, by how they are created and joined */
#include "engine/engine.h"
#include "engine/run/state.h"

/* Is all that the other thread has done, and will do, before what thread tid does next? */
static bool is_over(const struct engine *e, uint32_t other, const uint32_t *clock)
{
	return e->thread[other].state == THREAD_ENDED && e->done[other] <= clock[other];
}

bool engine_by_itself(const struct engine *e, uint32_t tid, const uint32_t *clock)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (t != tid && e->thread[t].state != THREAD_NONE && !is_over(e, t, clock))
			return false;
	return true;
}

struct engine_place engine_place(const struct engine *e, uint32_t tid)
{
	struct engine_place p = { .created = e->thread[tid].created };
	const uint32_t *clock = engine_clock(e, tid);

	for (uint32_t t = 0; t < e->nthreads; t++)
		if (t != tid && is_over(e, t, clock))
			p.over |= (uint64_t)1 << t;
	return p;
}

bool engine_is_apart(const struct engine *e, uint32_t tid, const struct engine_place *there,
		     uint32_t other)
{
	if (there->over >> other & 1)
		return true;
	while (other && e->name[other].parent != tid)
		other = e->name[other].parent;
	return other && e->name[other].rank >= there->created;
}

/* Has the thread read anything, or joined another one, or one that created it before it did? */
static bool knows_of_others(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	for (uint32_t end = g->count[tid];;) {
		for (uint32_t i = 0; i < end; i++) {
			const struct event *ev = &g->ev[g->at[tid][i]];

			if ((ev->flags & EV_READ) || ev->kind == OP_JOIN)
				return true;
		}
		if (!tid || !end)
			return tid;
		end = g->ev[g->ev[g->at[tid][0]].rf].index;
		tid = g->ev[g->ev[g->at[tid][0]].rf].tid;
	}
}

bool engine_may_follow(const struct engine *e, uint32_t tid, const uint32_t *clock, uint32_t other)
{
	return !is_over(e, other, clock) && !engine_by_itself(e, tid, clock) &&
	       knows_of_others(e, tid);
}
