/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap.h - the program's heap under heddle
 *
 * Internal to runtime/target; hook_heap.c gives it the names that programs call.
 */
#ifndef HEDDLE_TARGET_HEAP_H
#define HEDDLE_TARGET_HEAP_H

#include "target/perform.h"

#pragma GCC visibility push(hidden)

/*
 * A block of size bytes at a multiple of align (a power of two), from the region of whoever
 * calls: a thread, the program before the root point, or the runtime. Its contents are zero
 * unless before the root point. NULL when the region is full.
 */
void *heap_alloc(uint64_t size, uint64_t align, uint64_t pc);

/* Bytes a live block has; 0 for a pointer that is no live block. */
uint64_t heap_size(const void *p);

/* Frees a block; reports double-free and invalid-free. NULL is fine. */
void heap_free(void *p, uint64_t pc);

#pragma GCC visibility pop

#endif
