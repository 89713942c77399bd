/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed.h - what a thread leaves in memory that another one may find who joins it
 *
 * For executions that the engine makes where it goes by values (engine/value/value.txt, V14): who joins a thread reads what that returns, and what it has written.
 * Of memory those bytes count that several threads have
 * accessed, in any runs, but for its own stack and thread-local memory; and all blocks that it has allocated or freed.
 */
#ifndef HEDDLE_PRELOAD_HANDED_H
#define HEDDLE_PRELOAD_HANDED_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The calling thread accesses these bytes of a granule; or it would do so. */
void handed_access(uint64_t granule, uint8_t mask, bool is_write);
void handed_tries(uint64_t granule, uint8_t mask);
/* It allocates a block, or frees one, of which that is known there. */
void handed_allocates(uint64_t addr, uint64_t size);
void handed_frees(uint64_t header);
/* It comes to an operation: tells the engine. */
void handed_tell(void);

#pragma GCC visibility pop

#endif
