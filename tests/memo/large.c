/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with so much memory that each execution runs in a process of its own, and what that has seen of memory goes with it
 * (runtime/engine/memo.txt, K6)
 *
 * case races: bug data-race at data = 2;
 * case races --no-memo: bug data-race at data = 2;
 * case races --backend=rollback: bug data-race at data = 2;
 * case races -j 2: bug data-race at data = 2;
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

#define RLX memory_order_relaxed

char large[80 << 20];

static atomic_int first, second;
static int data;

static void *writes_one(void *arg)
{
	if (!atomic_load_explicit(&first, RLX))
		data = 1;
	return arg;
}

static void *writes_two(void *arg)
{
	if (!atomic_load_explicit(&second, RLX))
		data = 2;
	return arg;
}

/* Each write is seen alone first. */
static void races(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, writes_one, NULL) == 0);
	assert(pthread_create(&t[1], NULL, writes_two, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	atomic_store_explicit(&second, 1, RLX);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

CASES(CASE(races))
