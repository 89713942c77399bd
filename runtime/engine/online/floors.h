/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floors.h - which writes of a random execution nobody can read any more
 *
 * Of each thread that goes on there is what it knows at least when it does its next thing: what it knows now;
 * what its creator knew, before its start; what the thread that it joins knows by now. What is below that is out of
 * its reach for good (online.txt, G1). Under sc and tso the same is said by moments (G2), under wra of each write (G3).
 */
#ifndef HEDDLE_ENGINE_ONLINE_FLOORS_H
#define HEDDLE_ENGINE_ONLINE_FLOORS_H

#include "engine/online/online.h"

struct floors {
	struct thread_set goes_on; /* threads that do */
	const struct modification *mo;
	uint32_t *clock; /* of each: rows of graph.width */
	uint64_t since;  /* sc, tso: the earliest moment at which any of them can do something */
	uint64_t since_of[HEDDLE_MAX_THREADS]; /* each of them */
};

static inline uint32_t *floors_clock(const struct floors *f, uint32_t tid)
{
	return f->clock + (size_t)tid * f->mo->g->width;
}

/* What the threads know by now; the rows are in the graph's scratch memory. */
void floors_find(struct engine *e, struct floors *f);

/*
 * Takes the writes that nobody can read out of mo. window: and those, of memory, that are followed by so
 * many, whoever could read them; 0: none. Were there any of those?
 */
bool floors_give_up(struct engine *e, const struct floors *f, uint32_t window);

/* How many writes of memory can be read now, but for the last ones, and those that were put between others in mo. */
uint64_t floors_left(const struct engine *e);

#endif
