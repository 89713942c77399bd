/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unordered.h - for people: why one event does not happen before another
 *
 * Information flows from a to b along po and reads-from. If it flows, and a does not happen before b, then some of
 * those reads do not synchronise with the writes that they observe. Those are what a program has to change.
 */
#ifndef HEDDLE_OFFLINE_UNORDERED_H
#define HEDDLE_OFFLINE_UNORDERED_H

#include "engine/engine.h"
#include "offline/execution.h"

enum {
	UNORDERED_MOST = 4
};

/* A read that does not synchronise with the write that it observes. */
struct unordered {
	uint32_t write, read;
	bool releases; /* the write would, for a read that acquires: by its order, or a fence before it */
	bool acquires; /* the read would, likewise: by its order, or a fence behind it */
};

/*
 * A way from a to b by po and reads-from with the fewest reads that do not synchronise: these, in the order of the way, the
 * first UNORDERED_MOST of them, and how many there are; 0: there is no way, or a happens before b. O(n k)
 */
uint32_t unordered_reads(const struct execution *x, enum engine_model model, uint32_t a, uint32_t b,
			 struct unordered out[UNORDERED_MOST]);

#endif
