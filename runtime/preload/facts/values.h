/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.h - is the program explored by values (-e value)?
 *
 * Then one execution stands for all in which the reads return the same. What else depends on who read from whom, and is no
 * operation, would be of that one execution alone: how accesses are ordered by happens-before, time, files. A
 * program in which that matters is explored by reads-from, from the start (FACT_BY_READS). runtime/engine/value/value.txt
 */
#ifndef HEDDLE_PRELOAD_VALUES_H
#define HEDDLE_PRELOAD_VALUES_H

#include "preload/core/context.h"
#include "preload/facts/facts.h"

#pragma GCC visibility push(hidden)

/* The program is, or, in a replay, was. */
static inline bool values_explored(void)
{
	return unlikely(shared->config.equivalence == EQUIV_VALUE) && !fact_in_use(FACT_BY_READS);
}

/* Something depends on more than values: if the program is explored by these, leaves, for the search to start again. `why` is said in a note. */
void values_give_up(const char *why);
/* That, or NULL, is said in the note, if nothing else is. */
void values_say_why(const char *why);

/* Begins to take the time of the search by values; config.ticks of the engine, or NULL: by something else. */
uint64_t (*values_ticks(void))(void);
/* What the search by values has counted goes to the controller. */
void values_count(const struct engine_stats *stats);

/* The equivalence by which the engine is to explore. */
enum engine_equivalence values_equivalence(void);

#pragma GCC visibility pop

#endif
