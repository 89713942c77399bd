/* SPDX-License-Identifier: BSD-2-Clause */
/* heap_free.h - the program frees a block of the heap */
#ifndef HEDDLE_PRELOAD_HEAP_FREE_H
#define HEDDLE_PRELOAD_HEAP_FREE_H

#include "preload/memory/heap.h"

#pragma GCC visibility push(hidden)

/* Frees a block; reports double-free and invalid-free. NULL is fine. */
void heap_free(void *p, enum heap_family family, uint64_t pc);

#pragma GCC visibility pop

#endif
