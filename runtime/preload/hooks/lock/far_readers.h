/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * far_readers.h - how often threads hold read-write locks for reading that have no room in the locks
 *
 * hook_rwlock.c keeps that in the lock itself for the threads that can be explored. Those beyond, in random
 * testing, have a few entries each.
 */
#ifndef HEDDLE_PRELOAD_FAR_READERS_H
#define HEDDLE_PRELOAD_FAR_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_set.h"

#pragma GCC visibility push(hidden)

static inline bool is_far(uint32_t tid)
{
	return tid >= HEDDLE_EXPLORED_THREADS;
}

/* How often thread tid, a far one, holds the lock. */
uint32_t far_depth(uint32_t tid, const void *lock);
void far_add(uint32_t tid, const void *lock, int by);
/* Nobody holds it: it was made, or written, anew. */
void far_forget(const void *lock);

#pragma GCC visibility pop

#endif
