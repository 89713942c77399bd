/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_hide.c - under wra a round that is left out may have read what its thread's next write hides
 * then from others (runtime/preload/await/await.txt, K1; engine/explore/explore.txt, S7)
 *
 * case round_of_another_thread -m wra: bug await-stuck at while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
 * case round_of_another_location -m wra: bug await-stuck at while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
 * case round_of_two_reads -m wra: bug await-stuck at while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
 * case round_of_a_swap_that_fails -m wra: bug await-stuck at while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
 * case two_rounds_one_after_the_other -m wra: bug await-stuck at while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
 * case nothing_to_hide -m wra: ok 1
 * case write_before_the_loop -m wra: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int x, f, g, y;

static int look(atomic_int *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

static void set(atomic_int *at, int v)
{
	atomic_store_explicit(at, v, memory_order_relaxed);
}

static void run(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *), void *(*d)(void *))
{
	void *(*fn[])(void *) = { a, b, c, d };
	pthread_t t[4];

	if (getenv("HEDDLE_TEST_NATIVELY"))
		return; /* no machine does that */
	for (int i = 0; i < 4; i++)
		assert(!fn[i] || pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < 4; i++)
		assert(!fn[i] || pthread_join(t[i], NULL) == 0);
}

static void *waits_for_2(void *arg)
{
	set(&x, 1);
	while (atomic_load_explicit(&x, memory_order_relaxed) < 2)
		;
	return arg;
}

static void *sets_2(void *arg)
{
	set(&x, 2);
	return arg;
}

static void *sets_3(void *arg)
{
	set(&x, 3);
	return arg;
}

static void *sets_1_again(void *arg)
{
	while (look(&x) != 1)
		;
	set(&x, 1);
	return arg;
}

/* It finds 2, then 1. Whoever finds the 1 that it writes never finds 2. */
static void round_of_another_thread(void)
{
	run(waits_for_2, sets_2, sets_1_again, NULL);
}

static void *sets_2_and_f(void *arg)
{
	set(&x, 2);
	set(&f, 1);
	return arg;
}

static void *sets_1_after_f_is_2(void *arg)
{
	while (look(&f) != 2)
		;
	set(&x, 1);
	return arg;
}

static void *sets_f_to_2(void *arg)
{
	set(&f, 2);
	return arg;
}

/* What it finds is of another location: f is 1, so x was 2. */
static void round_of_another_location(void)
{
	run(waits_for_2, sets_2_and_f, sets_1_after_f_is_2, sets_f_to_2);
}

static void *sets_1_after_g(void *arg)
{
	while (!look(&g))
		look(&f);
	set(&x, 1);
	return arg;
}

static void *sets_g(void *arg)
{
	set(&g, 1);
	return arg;
}

/* The round that leaves the loop does not look at f. */
static void round_of_two_reads(void)
{
	run(waits_for_2, sets_2_and_f, sets_1_after_g, sets_g);
}

static void *swaps_1_for_1(void *arg)
{
	int expected;

	do
		expected = 1;
	while (!atomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_relaxed,
							memory_order_relaxed));
	return arg;
}

static void round_of_a_swap_that_fails(void)
{
	run(waits_for_2, sets_2, swaps_1_for_1, NULL);
}

/* Two rounds, since there are two ways out to hide. */
static void two_rounds_one_after_the_other(void)
{
	run(waits_for_2, sets_2, sets_3, sets_1_again);
}

static void *sets_y_after_1(void *arg)
{
	while (look(&x) != 1)
		;
	set(&y, 1);
	return arg;
}

static void nothing_to_hide(void)
{
	run(waits_for_2, sets_2, sets_y_after_1, NULL);
}

static void *sets_3_and_waits_for_1(void *arg)
{
	set(&x, 3);
	while (look(&x) != 1)
		;
	return arg;
}

static void write_before_the_loop(void)
{
	run(waits_for_2, sets_2, sets_3_and_waits_for_1, NULL);
}

CASES(CASE(round_of_another_thread), CASE(round_of_another_location), CASE(round_of_two_reads),
      CASE(round_of_a_swap_that_fails), CASE(two_rounds_one_after_the_other), CASE(nothing_to_hide),
      CASE(write_before_the_loop))
