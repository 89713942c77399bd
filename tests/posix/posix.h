/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix.h - what the programs of tests/posix share
 *
 * They are written as those of the Open POSIX test suite are: a case claims one thing that POSIX says of one
 * function, in real time and with real signals where it is run natively. heddle has to agree with all of them. A case
 * that has the name of a function, and two numbers, claims what that case of the suite does.
 */
#ifndef POSIX_H
#define POSIX_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "cases.h"

enum {
	MS = 1000000, /* nanoseconds */
	SHORT_MS = 20
};

static inline int64_t now_of(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

static inline int64_t now(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* So many milliseconds from now; negative: before. */
static inline struct timespec in_ms(clockid_t clock, int ms)
{
	int64_t ns = now_of(clock) + (int64_t)ms * MS;

	return (struct timespec){ ns / (1000 * MS), ns % (1000 * MS) };
}

static inline void sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * MS };

	assert(nanosleep(&t, NULL) == 0);
}

static inline sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	return set;
}

static inline void block(int sig)
{
	sigset_t set = only(sig);

	assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static inline void unblock(int sig)
{
	sigset_t set = only(sig);

	assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
}

static inline bool is_pending(int sig)
{
	sigset_t set;

	assert(sigpending(&set) == 0);
	return sigismember(&set, sig);
}

static inline void *nothing(void *arg)
{
	return arg;
}

#endif
