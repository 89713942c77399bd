/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_lock.h - the lock of a stream, as it lies in libc's memory
 *
 * Internal to stream.c and hook_flockfile.c.
 */
#ifndef HEDDLE_PRELOAD_STREAM_LOCK_H
#define HEDDLE_PRELOAD_STREAM_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* glibc's; a mutex of the engine is known by its first word (mutex_native_state()). */
struct stream_lock {
	int taken, depth;
	void *owner;
};

/* The calling thread has it: threads have the TLS of real ones (blocks.c), by which libc knows them. */
static inline bool stream_is_mine(const struct stream_lock *l)
{
	return l->owner == __builtin_thread_pointer();
}

/* Is the lock a mutex of the engine? Makes it one, which leaves, but in a replay. */
bool stream_explored(const struct stream_lock *l);
void stream_explore(struct stream_lock *l);

#pragma GCC visibility pop

#endif
