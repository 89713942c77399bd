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
	uint8_t *keep;    /* of each event, by its place */
	uint32_t *events; /* those that were kept last time, and all since; ascending */
	uint32_t nevents;
	uint32_t recent;       /* of each thread so many events stay in any case */
	const uint32_t **rows; /* clocks that a thread may learn */
	uint32_t nrows;
	uint32_t *
		known; /* numbers in column t of them, ascending: scratch of one thread at a time */
};

/* An answer that a search in a list may give stays, with what stands beside it. */
void marks_listed(struct marks *m, uint32_t pos);
/* Of a read-modify-write both parts stay. */
void marks_parts(struct marks *m);

/* All from its memory, the graph's scratch. */
void marks_make(struct marks *m);

/* The first event of the thread that stays in any case. */
static inline uint32_t marks_low(const struct marks *m, uint32_t tid)
{
	uint32_t n = m->e->graph.count[tid], low = n > m->recent ? n - m->recent : 0;
	uint32_t before = m->e->online->giving.low[tid];

	return low > before ? low : before;
}

#endif
