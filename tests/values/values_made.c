/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), executions that the engine makes without the program (runtime/engine/value/value.txt, V14)
 *
 * Two threads do their part only if they read 1. What each does for itself runs of the program have shown before it is known what comes of both.
 *
 * case leaves_both -e value: bug assertion
 * case leaves_both -e value --no-memo: bug assertion
 * case returns_both -e value: bug assertion
 * case finds_freed -e value: bug use-after-free
 * case finds_unwritten -e value: bug assertion
 * case finds_small -e value: bug out-of-bounds
 * case adds_up -e value: bug assertion
 * case unseen_by_main -e value: bug assertion at assert(seen != 2)
 * case race_of_both -e value: bug data-race
 * case race_with_main -e value: bug data-race
 * case race_of_late -e value: bug data-race
 * case frees_beside -e value: bug use-after-free
 * case race_in_one -e value: bug data-race
 * case waits_for_each_other -e value: bug deadlock at pthread_mutex_lock(&lock2); // first
 * case apart_in_time -e value: ok 8
 * case apart_in_time -e value --no-memo: ok 8
 * case handed_on -e value: ok 8
 * case handed_on -e value --no-memo: ok 8
 * case handed_on -e rf: ok 8
 * case begins_otherwise -e value: ok 20
 * case begins_otherwise -e value --no-memo: ok 20
 * case numbers_them -e value: ok 27
 * case numbers_them -e value --no-memo: ok 27
 * case sums_up -e value: ok 20
 * case sums_up -e value --no-memo: ok 20
 * case assumes -e value: ok 20
 * case each_another -e value: ok 4900
 * case some_fail -e value: bug assertion
 * case counts -e value: ok 463
 * case counts -e value --no-memo: ok 463
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int first, second;
static int left1, left2, shared;
static int *block;
static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER, lock2 = PTHREAD_MUTEX_INITIALIZER;

static int reads(atomic_int *turn)
{
	return atomic_load_explicit(turn, memory_order_relaxed);
}

enum {
	WAYS = 9
};

/* One of both is told to do its part, four times; and then both. */
static void *directs(void *arg)
{
	const int way = heddle_choose(WAYS), last = way == WAYS - 1;

	atomic_store_explicit(&first, way % 2 == 0, memory_order_relaxed);
	atomic_store_explicit(&second, way % 2 || last, memory_order_relaxed);
	return arg;
}

/*
 * Returns what they return, as two bits. What each does is done several times before both do their parts: when it is found that several threads access the same bytes, it
 * takes some for all to be known again.
 */
static int both(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t t[3];
	void *got[2];

	pthread_create(&t[2], NULL, directs, NULL);
	shared = 0;
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], &got[0]);
	pthread_join(t[1], &got[1]);
	pthread_join(t[2], NULL);
	return (got[0] != NULL) | (got[1] != NULL) << 1;
}

/* A thread that does this if it reads 1, and says whether it has. */
#define THREAD(name, turn, does)                         \
	static void *name(void *arg)                     \
	{                                                \
		if (!reads(&(turn)))                     \
			return NULL;                     \
		does return arg ? arg : (void *)&(turn); \
	}

THREAD(looks, second, {})

/* ---- What those find who join them --------------------------------------------------------------- */

static void *leaves1(void *arg)
{
	left1 = reads(&first);
	return arg;
}

static void *leaves2(void *arg)
{
	left2 = reads(&second);
	return arg;
}

static void leaves_both(void)
{
	both(leaves1, leaves2);
	assert(left1 + left2 < 2); /* bug: leaves_both */
}

THREAD(returns1, first, {})

static void returns_both(void)
{
	assert(both(returns1, looks) != 3); /* bug: returns_both */
}

static void *frees_it(void *arg)
{
	if (reads(&first))
		free(block);
	return arg;
}

static void finds_freed(void)
{
	block = calloc(1, sizeof(*block));
	if (both(frees_it, looks))
		assert(*block == 0); /* bug: finds_freed */
}

static void *makes_it(void *arg)
{
	block = reads(&first) ? malloc(sizeof(*block)) : calloc(1, sizeof(*block));
	return arg;
}

static void finds_unwritten(void)
{
	if (both(makes_it, looks))
		assert(*block == 0); /* bug: finds_unwritten */
}

static void *makes_small(void *arg)
{
	block = malloc((reads(&first) ? 1 : 2) * sizeof(*block));
	return arg;
}

static void finds_small(void)
{
	if (both(makes_small, looks))
		block[1] = 1; /* bug: finds_small */
}

/* What the second one left is looked at only where the first one has left something. */
static void adds_up(void)
{
	both(leaves1, leaves2);
	if (left1)
		assert(!left2); /* bug: adds_up */
}

static void unseen_by_main(void)
{
	int seen;

	both(leaves1, leaves2);
	__asm__ volatile("movl %1, %0\n\taddl %2, %0" : "=&r"(seen) : "m"(left1), "m"(left2));
	assert(seen != 2);
}

/* For values_made_counts.test. Which bytes it is that main reads is known by and by. */
static void sums_up(void)
{
	int sum = 0;

	both(leaves1, leaves2);
	if (left1)
		sum += left2;
	assert(sum < 2);
}

/* Main reads something else behind each of them, so none is known before the program has done it. */
enum {
	NUMBERS = 70
};

static void *returns_any(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)heddle_choose(NUMBERS);
}

static void each_another(void)
{
	pthread_t t[2];
	void *got[2];

	pthread_create(&t[0], NULL, returns_any, NULL);
	pthread_create(&t[1], NULL, returns_any, NULL);
	pthread_join(t[0], &got[0]);
	pthread_join(t[1], &got[1]);
	atomic_store(&first, (int)(intptr_t)got[0] * NUMBERS + (int)(intptr_t)got[1]);
}

/* ---- What may be beside each other --------------------------------------------------------------- */

static void *writes_shared(void *arg)
{
	if (reads(&first))
		shared = 1;
	return arg;
}

static void *reads_shared(void *arg)
{
	if (reads(&second))
		left2 = shared; /* bug: race_of_both */
	return arg;
}

static void race_of_both(void)
{
	both(writes_shared, reads_shared);
}

static void *writes_if_first(void *arg)
{
	if (reads(&first))
		left1 = 1; /* bug: race_with_main */
	return arg;
}

/* Main reads it if it is told to. Who joined the other thread would know of it. */
static void race_with_main(void)
{
	pthread_t t[2];

	pthread_create(&t[1], NULL, directs, NULL);
	left1 = 0;
	pthread_create(&t[0], NULL, writes_if_first, NULL);
	if (reads(&second))
		left2 = left1;
	pthread_join(t[1], NULL);
}

static void *writes_if_second(void *arg)
{
	if (reads(&second))
		left1 = 2; /* bug: race_of_late */
	return arg;
}

/* The second one is created behind the end of another one, and not of the first. */
static void race_of_late(void)
{
	pthread_t t[3];

	pthread_create(&t[1], NULL, directs, NULL);
	left1 = 0;
	pthread_create(&t[0], NULL, writes_if_first, NULL);
	pthread_join(t[1], NULL);
	pthread_create(&t[2], NULL, writes_if_second, NULL);
}

static void *reads_block(void *arg)
{
	if (reads(&second))
		left2 = *block; /* bug: frees_beside */
	return arg;
}

static void frees_beside(void)
{
	block = calloc(1, sizeof(*block));
	both(frees_it, reads_block);
}

/* Most accesses are under a lock, so they are operations. */
static void *forgets_lock(void *arg)
{
	if (reads(&first)) {
		shared = 2;
		return arg;
	}
	pthread_mutex_lock(&lock1);
	shared = 2;
	pthread_mutex_unlock(&lock1);
	return arg;
}

static void *locks_if_second(void *arg)
{
	if (!reads(&second))
		return arg;
	pthread_mutex_lock(&lock1);
	left2 = shared; /* bug: race_in_one */
	pthread_mutex_unlock(&lock1);
	return arg;
}

static void race_in_one(void)
{
	both(forgets_lock, locks_if_second);
}

static void *locks_one_way(void *arg)
{
	if (!reads(&first))
		return arg;
	pthread_mutex_lock(&lock1);
	pthread_mutex_lock(&lock2); // first
	pthread_mutex_unlock(&lock2);
	pthread_mutex_unlock(&lock1);
	return arg;
}

static void *locks_other_way(void *arg)
{
	if (!reads(&second))
		return arg;
	pthread_mutex_lock(&lock2);
	pthread_mutex_lock(&lock1);
	pthread_mutex_unlock(&lock1);
	pthread_mutex_unlock(&lock2);
	return arg;
}

static void waits_for_each_other(void)
{
	both(locks_one_way, locks_other_way);
}

static void *writes_on_one(void *arg)
{
	if (reads(&first) == 1)
		shared = 1;
	return arg;
}

static void *reads_on_two(void *arg)
{
	if (reads(&first) == 2)
		left2 = shared;
	return arg;
}

/* One of them does its part, as main has chosen. */
static void apart_in_time(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, writes_on_one, NULL);
	pthread_create(&t[1], NULL, reads_on_two, NULL);
	atomic_store_explicit(&first, 1 + heddle_choose(2), memory_order_relaxed);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* ---- What is in order ------------------------------------------------------------------------------ */

static void *takes_over(void *arg)
{
	left2 = left1 + reads(&second);
	return arg;
}

/* From the first thread to main, and from there to the second one. */
static void handed_on(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, leaves1, NULL);
	atomic_store_explicit(&first, 1, memory_order_relaxed);
	pthread_join(t[0], NULL);
	left1 += heddle_choose(2);
	pthread_create(&t[1], NULL, takes_over, NULL);
	atomic_store_explicit(&second, 1, memory_order_relaxed);
	pthread_join(t[1], NULL);
	assert(left2 - reads(&second) <= left1);
}

static atomic_int mixed;

/* What mixed holds at first is another thing where it is accessed before it is written plainly. */
static void *writes_mixed(void *arg)
{
	if (!reads(&first))
		atomic_fetch_add_explicit(&mixed, 1, memory_order_relaxed);
	*(int *)&mixed = 7;
	return arg;
}

static void begins_otherwise(void)
{
	int got = 7;

	if (both(writes_mixed, looks))
		got = reads(&mixed);
	assert(got == 7);
}

static void *takes_number(void *arg)
{
	return (void *)((intptr_t) * (int *)arg + reads(&first));
}

/* Each number is written when the threads before are there, in the same eight bytes as theirs. */
static void numbers_them(void)
{
	static int number[3];
	pthread_t t[3];
	void *got[3];

	for (int i = 0; i < 3; i++) {
		number[i] = i;
		pthread_create(&t[i], NULL, takes_number, &number[i]);
	}
	atomic_store_explicit(&first, 1, memory_order_relaxed);
	atomic_store_explicit(&first, 2, memory_order_relaxed);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &got[i]);
		number[i] = (int)(intptr_t)got[i];
	}
	for (int i = 0; i < 3; i++)
		assert(number[i] >= i && number[i] <= i + 2);
}

static void *assumes_it(void *arg)
{
	heddle_assume(!reads(&first) || heddle_choose(2));
	return arg;
}

static void assumes(void)
{
	both(assumes_it, looks);
}

static void *adds(void *arg)
{
	for (int i = 0; i < 2; i++)
		atomic_store(&first, atomic_load(&first) + 1);
	return arg;
}

/* For values_made.test */
static void counts(void)
{
	THREADS(3, adds);
}

static void *fails_at_four(void *arg)
{
	adds(arg);
	assert(atomic_load(&first) != 4); /* bug: some_fail */
	return arg;
}

/* Two threads may fail, alone or both, and the others go on, with -k. */
static void some_fail(void)
{
	THREADS(2, fails_at_four);
	left2 = 1;
	THREADS(1, adds);
}

CASES(CASE(leaves_both), CASE(returns_both), CASE(finds_freed), CASE(finds_unwritten),
      CASE(finds_small), CASE(adds_up), CASE(unseen_by_main), CASE(race_of_both),
      CASE(race_with_main), CASE(race_of_late), CASE(frees_beside), CASE(race_in_one),
      CASE(some_fail), CASE(waits_for_each_other), CASE(apart_in_time), CASE(handed_on),
      CASE(begins_otherwise), CASE(numbers_them), CASE(assumes), CASE(counts), CASE(each_another),
      CASE(sums_up))
