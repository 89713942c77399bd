/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * granule_marks.h - what locations lie in eight bytes, found one by one
 *
 * In the form of shadow_cell.bytes (memory/bytes.h). Where locations overlap they become several of
 * the smallest size; so it matters in which order they were found, and all workers go by the same.
 */
#ifndef HEDDLE_PRELOAD_GRANULE_MARKS_H
#define HEDDLE_PRELOAD_GRANULE_MARKS_H

#include <stdint.h>

#include "wire/facts.h"

#pragma GCC visibility push(hidden)

/* The marks with a location of 1, 2, 4 or 8 bytes added. */
uint32_t marks_with(uint32_t marks, uint64_t addr, uint32_t size);

/* How large the location is whose first byte is number `at`; 0: none begins there. */
unsigned marks_size_at(uint32_t marks, unsigned at);

/*
 * Those of the facts of a kind that are in force, found by place: for replays, where addresses may be others.
 */
uint32_t marks_by_place(enum fact_kind kind, uint64_t granule);

#pragma GCC visibility pop

#endif
