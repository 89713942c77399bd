/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program where some have bugs, behind which the other threads go on, and by several workers that each know
 * what they have seen (runtime/engine/memo.txt, K10)
 *
 * same.test compares the counts with and without a memo.
 *
 * case counts: ok 720
 * case counts -j 2: ok 720
 * case counts -j 3 -e mo: ok 720
 * case assumes: ok 144
 * case assumes -j 2: ok 144
 * case asserts -k: bug assertion
 * case asserts -k -j 2: bug assertion
 * case locks: bug assertion
 * case locks -k -j 2: bug assertion
 * case unlocks: bug lock-misuse
 * case unlocks -k -j 2: bug lock-misuse
 * case hands_over: bug assertion
 * case hands_over -k -j 3: bug assertion
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cases.h"
#include "heddle.h"

#define RLX memory_order_relaxed

static atomic_int turn, passed;
static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *takes_turn(void *arg)
{
	atomic_fetch_add_explicit(&turn, 1, RLX);
	return arg;
}

/* 6! orders. */
static void counts(void)
{
	THREADS(6, takes_turn);
}

static void *assumes_not_to_be_first(void *arg)
{
	heddle_assume(atomic_fetch_add_explicit(&turn, 1, RLX) || !arg);
	atomic_fetch_add_explicit(&passed, 1, RLX);
	return arg;
}

/* In all others main waits for the one that stopped. */
static void assumes(void)
{
	THREADS(4, assumes_not_to_be_first);
}

/* Others read what comes before the bug. */
static void *is_not_to_be_second(void *arg)
{
	const int before = atomic_fetch_add_explicit(&turn, 1, RLX);

	atomic_store_explicit(&passed, before, RLX);
	assert(before != 1 || arg); /* bug: asserts */
	atomic_load_explicit(&passed, RLX);
	return arg;
}

static void asserts(void)
{
	THREADS(4, is_not_to_be_second);
}

static void *keeps_lock(void *arg)
{
	int before;

	pthread_mutex_lock(&lock);
	before = data++;
	assert(before != 2 || arg); /* bug: locks */
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Where the first thread comes last but one it has a bug, and the lock: others wait for ever then. */
static void locks(void)
{
	THREADS(4, keeps_lock);
}

static void *unlocks_early(void *arg)
{
	if (atomic_fetch_add_explicit(&turn, 1, RLX) == 1 && !arg)
		pthread_mutex_unlock(&lock); /* bug: unlocks */
	atomic_fetch_add_explicit(&passed, 1, RLX);
	return arg;
}

static void unlocks(void)
{
	THREADS(4, unlocks_early);
}

static void *hands(void *arg)
{
	if (atomic_fetch_add_explicit(&turn, 1, RLX) != (int)(intptr_t)arg)
		return arg;
	data = 7;
	atomic_store_explicit(&passed, 1, memory_order_release);
	return arg;
}

static void *receives(void *arg)
{
	if (atomic_load_explicit(&passed, memory_order_acquire))
		assert(data != 7); /* bug: hands_over */
	atomic_fetch_add_explicit(&turn, 1, RLX);
	return arg;
}

static void hands_over(void)
{
	pthread_t t[3];

	assert(pthread_create(&t[0], NULL, hands, (void *)(intptr_t)1) == 0);
	assert(pthread_create(&t[1], NULL, receives, NULL) == 0);
	assert(pthread_create(&t[2], NULL, takes_turn, NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

CASES(CASE(counts), CASE(assumes), CASE(asserts), CASE(locks), CASE(unlocks), CASE(hands_over))
