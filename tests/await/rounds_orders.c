/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_orders.c - rounds that look at a location in one way first, and in a weaker one when it has changed
 *
 * An operation may stand for a later one that reads the same only if it does not order more, part by part:
 * each of these assertions fails in an execution in which only the weaker operation met the value.
 *
 * case acquires: bug assertion
 * case acquires_failing: bug assertion
 * case acquires_succeeding: bug assertion
 * case release_is_no_acquire: bug assertion
 * case releases -m rc20: bug assertion
 * case stores: bug assertion
 * case stores -m wra --max-events 600: bug assertion
 * case stores_and_waits_for_one: bug assertion
 * case stores_and_waits_for_one -m ra: bug assertion
 * case stores_and_waits_for_one -m wra -e rf --max-events 600: bug assertion
 * case stores_with_what_is_read_later: bug assertion
 * case is_sc: bug assertion
 * case same_value_swapped: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC  memory_order_seq_cst

static atomic_int x, y, z;
static int seen, taken, last;

/* Looks until x is set; what `weak` says counts from the second round on. */
#define LOOK(strong, weak)                   \
	do {                                 \
		volatile bool again = false; \
		int v;                       \
		for (;; again = true) {      \
			v = (strong);        \
			if (v)               \
				break;       \
			v = (weak);          \
			if (v && again)      \
				break;       \
		}                            \
		seen = v;                    \
	} while (0)

static void with(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	pthread_t t[3];

	assert(pthread_create(&t[0], NULL, a, NULL) == 0);
	assert(pthread_create(&t[1], NULL, b, NULL) == 0);
	if (c)
		assert(pthread_create(&t[2], NULL, c, NULL) == 0);
	for (int i = 0; i < 2 + (c != NULL); i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *hand_on(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	atomic_store_explicit(&x, 1, REL);
	return arg;
}

static void *set(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

/* Who looks relaxed need not see what was handed on. */
static void *acquire_or_not(void *arg)
{
	LOOK(atomic_load_explicit(&x, ACQ), atomic_load_explicit(&x, RLX));
	assert(atomic_load_explicit(&y, RLX)); /* bug: acquires */
	return arg;
}

static void acquires(void)
{
	with(acquire_or_not, hand_on, NULL);
}

static int swap(int old, memory_order success, memory_order failure)
{
	(void)success;
	if (failure == ACQ)
		atomic_compare_exchange_strong_explicit(&x, &old, 7, ACQ, ACQ);
	else
		atomic_compare_exchange_strong_explicit(&x, &old, 7, ACQ, RLX);
	return old == 5 ? 0 : old;
}

static void *fail_with_acquire_or_not(void *arg)
{
	LOOK(swap(5, ACQ, ACQ), swap(5, ACQ, RLX));
	assert(atomic_load_explicit(&y, RLX)); /* bug: acquires_failing */
	return arg;
}

static void acquires_failing(void)
{
	with(fail_with_acquire_or_not, hand_on, NULL);
}

static int keep(memory_order success)
{
	int old = 1;

	return success == ACQ ? atomic_compare_exchange_strong_explicit(&x, &old, 1, ACQ, RLX)
			      : atomic_compare_exchange_strong_explicit(&x, &old, 1, RLX, RLX);
}

static void *succeed_with_acquire_or_not(void *arg)
{
	LOOK(keep(ACQ), keep(RLX));
	assert(atomic_load_explicit(&y, RLX)); /* bug: acquires_succeeding */
	return arg;
}

static void acquires_succeeding(void)
{
	with(succeed_with_acquire_or_not, hand_on, NULL);
}

/* Neither of them is stronger than the other one. */
static void *acquire_or_release(void *arg)
{
	LOOK(atomic_load_explicit(&x, ACQ), atomic_fetch_or_explicit(&x, 0, REL));
	assert(atomic_load_explicit(&y, RLX)); /* bug: release_is_no_acquire */
	return arg;
}

static void release_is_no_acquire(void)
{
	with(acquire_or_release, hand_on, NULL);
}

/* Takes what was stored last, and looks for what may have been handed on with it. */
static void *take(void *arg)
{
	taken = atomic_fetch_add_explicit(&x, 1, ACQ);
	last = atomic_load_explicit(&y, RLX);
	return arg;
}

/* What is stored relaxed hands on nothing. (By rc11 it would, behind a release to the same location.) */
static void *release_or_not(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	LOOK(atomic_fetch_or_explicit(&x, 0, REL), atomic_fetch_or_explicit(&x, 0, RLX));
	return arg;
}

static void releases(void)
{
	with(release_or_not, set, take);
	assert(seen != 1 || taken != 1 || last); /* bug: releases */
}

/* A load hands on nothing either, whatever fence stands before it. */
static void *store_or_not(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	atomic_thread_fence(REL);
	LOOK(atomic_fetch_or_explicit(&x, 0, RLX), atomic_load_explicit(&x, RLX));
	return arg;
}

static void stores(void)
{
	with(store_or_not, set, take);
	assert(seen != 1 || taken != 1 || last); /* bug: stores */
}

/* The same, and 1 is all that ends its loop: a 2 may be all that it reads from then on. */
static void *store_or_not_until_one(void *arg)
{
	volatile bool again = false;

	atomic_store_explicit(&y, 1, RLX);
	for (; atomic_fetch_or_explicit(&x, 0, RLX) != 1; again = true)
		if (atomic_load_explicit(&x, RLX) == 1 && again)
			break;
	seen = 1;
	return arg;
}

static void stores_and_waits_for_one(void)
{
	with(store_or_not_until_one, set, take);
	assert(taken != 1 || last); /* bug: stores_and_waits_for_one */
}

/* The compare-and-swap fails in the round in which the look behind it finds 1: with 1 it would have stored, though the thread would go on alike. */
static void *swaps_and_looks(void *arg)
{
	bool met = false;

	for (;;) {
		int old = 1, now;

		if (atomic_compare_exchange_strong_explicit(&x, &old, 2, RLX, RLX)) {
			met = true;
			__asm__("" : "+r"(met));
			continue;
		}
		now = atomic_load_explicit(&x, RLX);
		if (now == 5)
			break;
		if (now == 1) {
			met = true;
			__asm__("" : "+r"(met));
		}
	}
	seen = met;
	return arg;
}

static void *sets_twice(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	last = atomic_exchange_explicit(&x, 5, RLX);
	return arg;
}

static void stores_with_what_is_read_later(void)
{
	with(swaps_and_looks, sets_twice, NULL);
	assert(!seen || last != 1); /* bug: stores_with_what_is_read_later */
}

/* Two stores that two threads see in two orders: one of the looks is not sc. */
static void *sc_or_not(void *arg)
{
	LOOK(atomic_load_explicit(&x, SC), atomic_load_explicit(&x, ACQ));
	taken = atomic_load_explicit(&z, SC);
	return arg;
}

static void *set_sc(void *arg)
{
	atomic_store_explicit(&x, 1, SC);
	return arg;
}

static void *set_other(void *arg)
{
	atomic_store_explicit(&z, 1, SC);
	last = atomic_load_explicit(&x, SC);
	return arg;
}

static void is_sc(void)
{
	with(sc_or_not, set_sc, set_other);
	assert(taken || last); /* bug: is_sc */
}

/* One that succeeds and stores what is there already ends the loop. */
static void *swap_two(void *arg)
{
	int old;

	do
		old = 2;
	while (!atomic_compare_exchange_strong(&x, &old, 2));
	return arg;
}

static void *set_two(void *arg)
{
	atomic_store(&x, 2);
	return arg;
}

static void same_value_swapped(void)
{
	with(swap_two, set_two, NULL);
}

CASES(CASE(acquires), CASE(acquires_failing), CASE(acquires_succeeding),
      CASE(release_is_no_acquire), CASE(releases), CASE(stores), CASE(stores_and_waits_for_one),
      CASE(stores_with_what_is_read_later), CASE(is_sc), CASE(same_value_swapped))
