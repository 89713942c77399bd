/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reset.h - what becomes of the runtime's variables when the next execution begins
 *
 * Each of them is of one of these kinds, and is marked where it is defined:
 *
 *	no mark		at the begin of each execution it is what it was at the begin of the first. A function named by
 *			AT_BEGIN() (lifecycle.h) sees to that, if anything changes it.
 *	HEDDLE_IMAGE	put back with the program's memory (context.h); HEDDLE_IMAGE_SELDOM likewise
 *	LASTING()	outlives the execution with all back ends (lasting.h)
 *	KEPT(var);	what this process has found out, and what stays so, in all executions: caches, functions that were
 *			looked up, room that was mapped, how often something happened; entries with a stamp that says
 *			of which execution they are
 *	FRESH(var);	written before it is read: in one call, or when the thread begins that it is about
 *	FRESH_ROWS(var);	likewise, a large array of a row for each thread. The check looks at the rows of the
 *			threads that can be explored only: to write over the others would take longer than most cases
 *
 * HEDDLE_CHECK_RESET=yes in the environment checks that, in the first executions of a process: what is FRESH
 * is written over before each of them, and what has no mark is compared. The families of tests run
 * so (tests/cases.sh). A search that starts again, with other facts, begins anew.
 */
#ifndef HEDDLE_PRELOAD_RESET_H
#define HEDDLE_PRELOAD_RESET_H

#include "preload/core/context.h"

struct marked {
	void *at;
	size_t size;
};

#define MARKED_(kind, var)                      \
	static const struct marked kind##_##var \
		__attribute__((section("heddle_" #kind), used)) = { (void *)&var, sizeof(var) }

/* Behind the definition of a variable, in a file or in a function. */
#define KEPT(var)  MARKED_(kept, var)
#define FRESH(var) MARKED_(fresh, var)

#define FRESH_ROWS(var)                                                                           \
	static const struct marked fresh_##var __attribute__((section("heddle_fresh"), used)) = { \
		(void *)&var, HEDDLE_EXPLORED_THREADS * sizeof(var[0])                            \
	};                                                                                        \
	static const struct marked kept_##var                                                     \
		__attribute__((section("heddle_kept"),                                            \
			       used)) = { (void *)&var[HEDDLE_EXPLORED_THREADS],                  \
					  sizeof(var) - HEDDLE_EXPLORED_THREADS * sizeof(var[0]) }

#pragma GCC visibility push(hidden)

/* Before AT_BEGIN() is called, and behind that. */
void reset_before(void);
void reset_after(void);
/* The search starts again: what it begins with may be something else. */
void reset_anew(void);

#pragma GCC visibility pop

#endif
