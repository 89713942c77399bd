/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workers.c - a search that is large enough for one worker to give others a part of it
 *
 * Eight increments by three threads, three, three and two: 8! / (3! 3! 2!) orders.
 *
 * case increments: ok 560
 * case increments -j 2: ok 560
 * case increments -j 3: ok 560
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int n;

static void *increment(void *arg)
{
	for (int i = (long)arg == 2; i < 3; i++)
		atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
	return arg;
}

static void increments(void)
{
	THREADS(3, increment);
	assert(atomic_load(&n) == 8);
}

CASES(CASE(increments))
