/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.h - which events of a random execution anybody may still ask about
 *
 * online.txt, G4 to G8, says why these are all.
 */
#ifndef HEDDLE_ENGINE_ONLINE_MARKS_H
#define HEDDLE_ENGINE_ONLINE_MARKS_H

#include "engine/online/floors.h"

struct marks {
	struct engine *e;
	const struct floors *floors;
	const uint32_t
		*old; /* the events before `from` that are looked at, and then all; ascending */
	uint32_t nold, from;
	uint8_t *keep;    /* of each event, by its place */
	uint32_t *events; /* marks_list(): those that stay, ascending */
	uint32_t nevents;
	uint32_t recent;       /* of each thread so many events stay in any case */
	const uint32_t **rows; /* clocks that a thread may learn */
	uint32_t nrows;
	uint32_t *
		known; /* numbers in column t of them, ascending: scratch of one thread at a time */
};

/* An answer that a search in a list may give stays, with what stands beside it. */
void marks_listed(struct marks *m, uint32_t pos);
/* Lists what is marked by now. Of a read-modify-write both parts stay. */
void marks_list(struct marks *m);

/* All, and lists them, in memory that is the graph's scratch. */
void marks_make(struct marks *m);

/* How many events are looked at. */
static inline uint32_t marks_most(const struct marks *m)
{
	return m->nold + m->e->graph.n - m->from;
}

/* The first event of the thread that stays in any case. */
static inline uint32_t marks_low(const struct marks *m, uint32_t tid)
{
	uint32_t n = m->e->graph.count[tid], low = n > m->recent ? n - m->recent : 0;
	uint32_t before = m->e->online->giving.low[tid];

	return low > before ? low : before;
}

#endif
