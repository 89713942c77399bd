/* SPDX-License-Identifier: BSD-2-Clause */
/* time.h - how time passes for threads (hook_time.c) */
#ifndef HEDDLE_PRELOAD_TIME_H
#define HEDDLE_PRELOAD_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Can a call wait on this clock, and until then (if not, EINVAL)? And it did: the calling thread's clock is there. */
bool time_has_clock(clockid_t clock);
bool time_can_wait(clockid_t clock, const struct timespec *until);
void time_passed(clockid_t clock, const struct timespec *until);

/* What has passed for the calling thread; what is left for it until a time of this clock. */
uint64_t time_own_ns(void);
uint64_t time_until_ns(clockid_t clock, const struct timespec *t);
/* Why there is no timer of this clock: EINVAL or ENOTSUP; 0 if there is. */
int time_no_timer(clockid_t clock);

/* A timespec that POSIX allows? */
bool time_valid(const struct timespec *t);
/* The calling thread has waited until then, or (not absolute) that long. */
void time_waited(const struct timespec *t, bool absolute, clockid_t clock);
/* Before there are threads: a call has waited in the kernel, that long if it timed out (NULL: it has none). Returns result. */
int time_waited_alone(int result, bool timed_out, const struct timespec *t);

#pragma GCC visibility pop

#endif
