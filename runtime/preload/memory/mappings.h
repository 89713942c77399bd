/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mappings.h - what the program has mapped, by who did and as which of its mappings
 *
 * That names an address the same in every run (place.h), as a block of the heap is named. Where it lies says it too, but not to people, and
 * not for what the program itself has given an address.
 *
 * Internal to runtime/preload: hook_map.c tells, place.c asks.
 */
#ifndef HEDDLE_PRELOAD_MAPPINGS_H
#define HEDDLE_PRELOAD_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct mapping {
	uint64_t at, size;     /* size 0: none */
	uint32_t thread, rank; /* of its thread's mappings, from 0 */
	bool gone;             /* it was unmapped */
};

/* The calling thread has mapped [at, at + size), whatever was there; or that is no more. */
void mappings_add(uint64_t at, uint64_t size);
void mappings_remove(uint64_t at, uint64_t size);

/* The newest mapping that addr lies in; false: none, or so many came since that it is forgotten. */
bool mappings_find(uint64_t addr, struct mapping *out);
/* Has any been made since the root point? */
bool mappings_since_root(void);
/* Has addr been in one mapping at most, in all of the execution? */
bool mappings_once(uint64_t addr);

#pragma GCC visibility pop

#endif
