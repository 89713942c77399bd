/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_time.h - time in a process that has let go of heddle: the kernel's, from where the program's clocks stood
 *
 *	if (!shared)
 *		return REAL(sem_timedwait)(s, KERNEL_TIME(CLOCK_REALTIME, until));
 */
#ifndef HEDDLE_PRELOAD_KERNEL_TIME_H
#define HEDDLE_PRELOAD_KERNEL_TIME_H

#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* The program's clock stands there now, and the kernel's goes on for it: that process is about to be none of heddle's. */
void kernel_time_begins(clockid_t clock, uint64_t now_ns);

/* By how much the program's clock is ahead of the kernel's, in nanoseconds; 0 where it is the kernel's. */
int64_t kernel_time_ahead(clockid_t clock);
/* What the program is told, where the kernel's clock stands there. */
void kernel_time_told(clockid_t clock, struct timespec *t);

/* A time of the program as one of the kernel, in *room; or until itself, where that is the same, or none. */
const struct timespec *kernel_time(clockid_t clock, const struct timespec *until,
				   struct timespec *room);
#define KERNEL_TIME(clock, until) kernel_time(clock, until, &(struct timespec){ 0 })

#pragma GCC visibility pop

#endif
