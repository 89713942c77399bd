/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * split_marks.h - where atomic accesses of several sizes meet
 *
 * There each location is as small as the smallest of them, and a larger access is an operation
 * of each (access/parts.h). When two sizes first meet the search starts again, with both
 * accesses among the facts (facts.h): a location is the same in all executions. At random the execution goes on before that,
 * though it is none any more, for what else there is to be learned (access/overlap.h).
 */
#ifndef HEDDLE_PRELOAD_SPLIT_MARKS_H
#define HEDDLE_PRELOAD_SPLIT_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Is there any such place? */
extern bool split_any;

/* Sizes have met in this execution, which is none from then on: it goes on, and no bug is told of it. */
extern bool split_learning;

/* The locations of a granule where that is so, as in shadow_cell.bytes; 0: none. */
uint32_t split_marks(uint64_t granule);

/* What is the same for all locations that one access may take, where several sizes meet; else 0. (engine_config.cell) */
uint64_t split_cell(void *ctx, uint64_t addr, unsigned size);

/* Can accesses there be named, for a later run? */
bool split_can_be_named(uint64_t addr);

/*
 * An access overlaps one of another size. Notes both, and leaves the execution; returns if both are known, and in
 * force.
 */
void split_meet(uint64_t addr, unsigned size, uint64_t other, unsigned other_size);

/* Notes an access, and goes on: was it news? */
bool split_note(uint64_t addr, unsigned size);
/* Is something known of the granule that is not in force? */
bool split_waits(uint64_t granule);

#pragma GCC visibility pop

#endif
