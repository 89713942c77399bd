/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coverage.h - what of the runtime ran, where it was built with --enable-coverage (coverage.c)
 */
#ifndef HEDDLE_PRELOAD_COVERAGE_H
#define HEDDLE_PRELOAD_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef HEDDLE_COVERAGE

#pragma GCC visibility push(hidden)

/* Counts in the file from now on. To be called once, as early as can be. */
void coverage_begin(void);
/* Does the counters' mapping begin here? It is no part of the program. */
bool coverage_owns(uint64_t start);

#pragma GCC visibility pop

#else

static inline void coverage_begin(void)
{
}

static inline bool coverage_owns(uint64_t start)
{
	(void)start;
	return false;
}

#endif

#endif
