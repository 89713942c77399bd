/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program, of threads that wait in loops: rounds that are left out (runtime/engine/memo.txt, K4; preload/await/await.txt, L2)
 *
 * A thread writes what another one reads in a round that is left out, or behind a third one that does not wait: all that it reads is the same. Only one
 * of two threads begins, so where it reads from the third one nobody waits.
 *
 * also -O0: other stretches of code lie between the operations
 *
 * case writes_behind_round: bug data-race at shared = 1;
 * case writes_behind_round --no-memo: bug data-race at shared = 1;
 * case writes_behind_round -m relaxed: bug data-race at shared = 1;
 * case writes_behind_round -m rc20: bug data-race at shared = 1;
 * case shared_before_round: bug data-race at shared = 1;
 * case shared_before_round --no-memo: bug data-race at shared = 1;
 * case shared_before_round -m relaxed: bug data-race at shared = 1;
 * case shared_before_round -j 2: bug data-race at shared = 1;
 * case shared_behind_round: bug data-race at shared = 1;
 * case shared_behind_round --no-memo: bug data-race at shared = 1;
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int who, go, passed, late;
static int shared, seen;

static int begins(void)
{
	int nobody = 0;

	return atomic_compare_exchange_strong_explicit(&who, &nobody, 1, RLX, RLX);
}

static void *waits(void *arg)
{
	if (begins()) {
		while (!atomic_load_explicit(&go, RLX))
			seen = shared;
		atomic_store_explicit(&passed, 1, RLX);
	}
	return arg;
}

static void *passes_at_once(void *arg)
{
	if (begins())
		atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *writes(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		shared = 1;
	return arg;
}

static void *comes_late(void *arg)
{
	atomic_store_explicit(&late, 1, RLX);
	return arg;
}

static void writes_behind_round(void)
{
	pthread_t t[4];

	assert(pthread_create(&t[0], NULL, passes_at_once, NULL) == 0);
	assert(pthread_create(&t[1], NULL, writes, NULL) == 0);
	assert(pthread_create(&t[2], NULL, waits, NULL) == 0);
	assert(pthread_create(&t[3], NULL, comes_late, NULL) == 0);
	atomic_store_explicit(&go, 1, RLX);
	atomic_load_explicit(&late, RLX);
}

/* It is known who accesses what the round reads, and that was done in executions that were made, before the round is known. */
static void shared_before_round(void)
{
	shared = 0;
	writes_behind_round();
}

static atomic_int turn;

static void *sets(void *arg)
{
	atomic_store_explicit(&go, 1, RLX);
	return arg;
}

static void *waits_late(void *arg)
{
	return atomic_load_explicit(&turn, RLX) && atomic_load_explicit(&late, RLX) ? waits(arg)
										    : arg;
}

static void *writes_early(void *arg)
{
	return atomic_load_explicit(&late, RLX) ? arg : writes(arg);
}

/* The round is known before anybody else has accessed what it reads. */
static void shared_behind_round(void)
{
	pthread_t t[5];

	assert(pthread_create(&t[0], NULL, writes_early, NULL) == 0);
	assert(pthread_create(&t[1], NULL, comes_late, NULL) == 0);
	assert(pthread_create(&t[2], NULL, waits_late, NULL) == 0);
	assert(pthread_create(&t[3], NULL, sets, NULL) == 0);
	assert(pthread_create(&t[4], NULL, passes_at_once, NULL) == 0);
	atomic_store_explicit(&turn, 1, RLX);
}

CASES(CASE(writes_behind_round), CASE(shared_before_round), CASE(shared_behind_round))
