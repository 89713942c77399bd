/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_ends.c - which loops end, and which wait for ever
 *
 * case store_of_what_is_expected: bug await-stuck at while (!atomic_compare_exchange_strong(&x, &e, 2))
 * case store_of_what_is_there: ok 4
 * case fence_behind_the_look: ok 2
 * case fence_behind_the_look -m sc: ok 2
 * case fence_behind_own_exchange: ok 1
 * case another_first_round: bug await-stuck at if (atomic_load_explicit(where
 * case no_write_is_the_last -m wra: ok 1
 * case own_write_and_another -m wra: bug await-stuck at while (atomic_load_explicit(&x, RLX) != 3)
 * case own_write_hides_the_first -m wra: bug await-stuck at while (atomic_load_explicit(&x, RLX) != 0)
 * case looks_elsewhere_as_well -m wra: bug await-stuck at atomic_load_explicit(&y, RLX)
 * case all_writes_fail -m wra: bug await-stuck at while (atomic_load_explicit(&x, RLX) < 2)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int x, *where = &x;

static void run(int n, void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	void *(*fn[])(void *) = { a, b, c };
	pthread_t t[3];

	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *set_1(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *set_2(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *set_2_then_3(void *arg)
{
	atomic_store(&x, 2);
	atomic_store(&x, 3);
	return arg;
}

/* Succeeds where x is 2, and stores 2: for good. */
static void *swaps_2_for_2(void *arg)
{
	int e;

	do
		e = 2;
	while (!atomic_compare_exchange_strong(&x, &e, 2));
	return arg;
}

static void store_of_what_is_expected(void)
{
	run(2, swaps_2_for_2, set_2_then_3, NULL);
}

static void *swaps_2_for_2_relaxed(void *arg)
{
	int e, ok;

	do {
		e = 2;
		ok = atomic_compare_exchange_strong_explicit(&x, &e, 2, RLX, RLX);
	} while (!ok);
	return arg;
}

static void *exchanges_2(void *arg)
{
	atomic_exchange_explicit(&x, 2, RLX);
	return arg;
}

static void store_of_what_is_there(void)
{
	run(3, swaps_2_for_2_relaxed, set_2, exchanges_2);
}

static void *looks_and_fences(void *arg)
{
	for (;;) {
		int r = atomic_load_explicit(&x, RLX);

		atomic_thread_fence(memory_order_acquire);
		if (r == 1)
			break;
	}
	return arg;
}

static void *swaps_0_for_2(void *arg)
{
	int e = 0;

	atomic_compare_exchange_strong_explicit(&x, &e, 2, RLX, RLX);
	return arg;
}

/* 1 is the last value, whether the compare-and-swap comes first or fails. */
static void fence_behind_the_look(void)
{
	run(3, looks_and_fences, swaps_0_for_2, set_1);
}

static void *exchanges_and_looks(void *arg)
{
	atomic_exchange_explicit(&x, 2, RLX);
	return looks_and_fences(arg);
}

static void *answers(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 2)
		;
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void fence_behind_own_exchange(void)
{
	run(2, exchanges_and_looks, answers, NULL);
}

/* Nobody ever stores 1. That was told of the first round with 0, and taken for that with 2. */
static void *counts_one_round(void *arg)
{
	int k = 0;

	for (;;) {
		if (atomic_load_explicit(where, RLX) == 1)
			break;
		k = k < 1 ? k + 1 : 1;
	}
	return arg ? (void *)(long)k : NULL;
}

static void another_first_round(void)
{
	run(2, counts_one_round, swaps_0_for_2, NULL);
}

static void *waits_for_2(void *arg)
{
	while (atomic_load_explicit(&x, RLX) < 2)
		;
	return arg;
}

/* The two stores do not know of each other, so 2 may be read whatever else was. */
static void no_write_is_the_last(void)
{
	if (getenv("HEDDLE_TEST_NATIVELY"))
		return; /* no machine does that */
	run(3, waits_for_2, set_2, set_1);
}

/*
 * So many writes of each of two threads that a third is not followed through all of them, even if it has read
 * the last of one (SOURCES in await/alone.c). That it stays is told by each by itself: it sends it round.
 */
enum {
	MANY = 66
};

static void *set_1_many_times(void *arg)
{
	for (int i = 0; i < MANY; i++)
		atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *set_2_many_times(void *arg)
{
	for (int i = 0; i < MANY; i++)
		atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void all_writes_fail(void)
{
	run(3, waits_for_2, set_1_many_times, set_1_many_times);
}

/* Only the exploration asked what each write does; the execution has to come back all the same. */
static void *sets_2_and_waits_for_3(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	while (atomic_load_explicit(&x, RLX) != 3)
		;
	return arg;
}

static void own_write_and_another(void)
{
	run(3, sets_2_and_waits_for_3, set_1_many_times, set_1_many_times);
}

/* The initial value would do, but the thread has overwritten it. */
static void *sets_1_and_waits_for_0(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	while (atomic_load_explicit(&x, RLX) != 0)
		;
	return arg;
}

static void own_write_hides_the_first(void)
{
	run(3, sets_1_and_waits_for_0, set_2_many_times, set_2_many_times);
}

/* What it reads of y sends it nowhere by itself. */
static void *looks_at_y_until_4(void *arg)
{
	static atomic_int y;

	do
		atomic_load_explicit(&y, RLX);
	while (atomic_load_explicit(&x, RLX) != 4);
	return arg;
}

static void looks_elsewhere_as_well(void)
{
	run(3, looks_at_y_until_4, set_1_many_times, set_1_many_times);
}

CASES(CASE(store_of_what_is_expected), CASE(store_of_what_is_there), CASE(fence_behind_the_look),
      CASE(fence_behind_own_exchange), CASE(another_first_round), CASE(no_write_is_the_last),
      CASE(all_writes_fail), CASE(own_write_and_another), CASE(own_write_hides_the_first),
      CASE(looks_elsewhere_as_well))
