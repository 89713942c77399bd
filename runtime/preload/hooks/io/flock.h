/* SPDX-License-Identifier: BSD-2-Clause */
/* flock.h - locks of open files (hook_flock.c) */
#ifndef HEDDLE_PRELOAD_FLOCK_H
#define HEDDLE_PRELOAD_FLOCK_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/*
 * The calling thread, under the engine, has asked for the lock of an open file, or given it back, by a call that does not
 * wait. result: less than 0 with errno, which is kept. Does not return where what comes of it is not explored.
 */
void flock_done(int fd, bool locks, int result, const char *call);

/* The same, if it would wait: refused where somebody else has the lock. */
void flock_must_not_wait(int result, const char *call);

#pragma GCC visibility pop

#endif
