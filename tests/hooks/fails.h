/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fails.h - how calls fail
 *
 * Cases as in cases.h, named after the call and its error: sem_init_EINVAL. What follows the error
 * is free: pthread_mutex_unlock_EPERM_of_another. All of them end well, natively
 * as well as under heddle: POSIX says what a call is to answer, not we.
 *
 * The head of such a file lists the ways in which its calls can fail, from the text of POSIX, and where
 * POSIX does not have them from the manual of the system:
 *
 *	ways CALL: ERROR ERROR...	each has a case; what does not go without one is said behind
 *		"; not": ways CALL: EINVAL; not ENOMEM (why)
 *	never fails: CALL CALL...	some test calls them
 *
 * tests/lint/ways.test holds every function that heddle intercepts against these lists.
 */
#ifndef FAILS_H
#define FAILS_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

/* A call that answers with its error, or 0. */
#define GIVES(error, call) give_(#call, __LINE__, error, call)

/* A call that answers -1 with its error in errno. */
#define FAILS(error, call) (errno = 0, fail_(#call, __LINE__, error, (long)(call)))

/* A call that answers NULL with its error in errno. */
#define NONE(error, call) (errno = 0, fail_(#call, __LINE__, error, keep_(call) ? 0l : -1l))

/* The same pointer; compilers must not think of what it came from, and leave that out. */
static inline void *keep_(const void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return (void *)(uintptr_t)p;
}

static inline void give_(const char *call, int line, int wanted, int got)
{
	if (got != wanted) {
		fprintf(stderr, "line %d: %s gives %d (%s), not %d\n", line, call, got,
			strerror(got), wanted);
		abort();
	}
}

static inline void fail_(const char *call, int line, int wanted, long got)
{
	int error = errno;

	if (got != -1 || error != wanted) {
		fprintf(stderr, "line %d: %s gives %ld with errno %d (%s), not -1 with %d\n", line,
			call, got, error, strerror(error), wanted);
		abort();
	}
}

/* Before there are threads, and in one of two: a call must answer the same there. */
#define BOTH(fn)                \
	do {                    \
		fn(NULL);       \
		THREADS(2, fn); \
	} while (0)

/* The same for what threads have in common: descriptors, and what the kernel keeps for a process. */
#define IN_TURN(fn)             \
	do {                    \
		fn(NULL);       \
		THREADS(1, fn); \
	} while (0)

/* A case whose body, a thread's function, runs so. */
#define IN_EACH(name)                        \
	static void *name##_once(void *arg); \
	static void name(void)               \
	{                                    \
		IN_TURN(name##_once);        \
	}                                    \
	static void *name##_once(void *arg)

/* A case that is one FAILS(), or one NONE(). */
#define EACH_FAILS(name, ...)       \
	IN_EACH(name)               \
	{                           \
		FAILS(__VA_ARGS__); \
		return arg;         \
	}
#define EACH_NONE(name, ...)       \
	IN_EACH(name)              \
	{                          \
		NONE(__VA_ARGS__); \
		return arg;        \
	}

#endif
