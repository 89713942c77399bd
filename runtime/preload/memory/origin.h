/* SPDX-License-Identifier: BSD-2-Clause */
/* origin.h - in a replay: where the block that it is about was allocated, and freed */
#ifndef HEDDLE_PRELOAD_ORIGIN_H
#define HEDDLE_PRELOAD_ORIGIN_H

#include "preload/memory/heap.h"
#include "wire/shared.h"

#pragma GCC visibility push(hidden)

/* A block was allocated, or freed: its call stack is kept if it is the one (config.block). */
void origin_allocated(const struct heap_block *block);
void origin_freed(const struct heap_block *block);

/* Makes the side of a bug the allocation of the block, or its freeing. */
void origin_of(struct bug_side *side, const struct heap_block *block);
void origin_end_of(struct bug_side *side, const struct heap_block *block);

/* Which call frees blocks of that family: of bug_side.call. */
enum side_call origin_freeing(enum heap_family family);

#pragma GCC visibility pop

#endif
