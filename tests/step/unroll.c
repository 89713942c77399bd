/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unroll.c - the rounds of loops are bounded (--unroll)
 *
 * case counts_for_ever --unroll=2: inconclusive cut after 2 rounds
 * case counts_for_ever --unroll=1 -j 2 --backend=fork: inconclusive cut after 1 round
 * case wrong_in_the_third_round --unroll=2: inconclusive cut after 2 rounds
 * case wrong_in_the_third_round --unroll=3: bug assertion
 * case wrong_when_another_is_cut --unroll=2: bug assertion at assert(atomic_fetch_add(&x, 1) < 2)
 * case exchanges -m wra --unroll=3: inconclusive cut after 3 rounds
 * case cut_with_a_lock --unroll=2: inconclusive cut after 2 rounds
 * case waits_for_one_that_is_cut --unroll=2: inconclusive cut after 2 rounds
 * case waits_for_one_that_is_cut -m wra --unroll=2: inconclusive cut after 2 rounds
 * case locks_for_ever --unroll=2: inconclusive cut after 2 rounds
 * case loads_where_the_frame_grows --unroll=2: inconclusive cut after 2 rounds
 * case three_rounds --unroll=2: inconclusive cut after 2 rounds
 * case three_rounds --unroll=3: ok 20
 * case loops_in_a_loop --unroll=2: inconclusive cut after 2 rounds
 * case loops_in_a_loop --unroll=3: ok 1
 * case loops_that_begin_alike --unroll=2: inconclusive cut after 2 rounds
 * case loops_that_begin_alike --unroll=3: ok 1
 * case rounds_in_any_order --unroll=1: inconclusive cut after 1 round
 * case rounds_in_any_order --unroll=4: inconclusive cut after 4 rounds
 * case rounds_in_any_order -m wra --unroll=4: inconclusive cut after 4 rounds
 * case two_loops --unroll=3: ok 1
 * case called_in_a_loop --unroll=2: inconclusive cut after 2 rounds
 * case called_in_a_loop --unroll=3: ok 1
 * case calls_in_a_row --unroll=1: ok 1
 * case deeper_and_deeper --unroll=1: ok 1
 * case many_locks --unroll=1: ok 1
 * case many_threads --unroll=1: ok 24
 * case waits --unroll=1: ok 1
 * case waits_for_ever --unroll=1: bug await-stuck
 */
#include <alloca.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* Or the compiler makes three rounds into calls in a row. */
static inline int hidden(int n)
{
	__asm__("" : "+r"(n));
	return n;
}

static void *counts(void *arg)
{
	for (;;)
		atomic_fetch_add(&x, 1);
	return arg;
}

static void counts_for_ever(void)
{
	THREADS(2, counts);
}

static void *asserts(void *arg)
{
	for (;;)
		assert(atomic_fetch_add(&x, 1) < 2); /* bug: wrong_in_the_third_round */
	return arg;
}

static void wrong_in_the_third_round(void)
{
	THREADS(1, asserts);
}

static void wrong_when_another_is_cut(void)
{
	pthread_t t;

	pthread_create(&t, NULL, counts, NULL);
	atomic_load(&x) == 2 ? asserts(NULL) : NULL;
	pthread_join(t, NULL);
}

static void *exchange(void *arg)
{
	while (atomic_exchange(&x, 1))
		;
	atomic_store(&x, 0);
	return arg;
}

static void exchanges(void)
{
	THREADS(2, exchange);
}

static void *counts_locked(void *arg)
{
	pthread_mutex_lock(&m);
	return counts(arg);
}

/* Nobody frees it, for all that is known; but that is no deadlock. */
static void cut_with_a_lock(void)
{
	THREADS(2, counts_locked);
}

static void *counts_to_three(void *arg)
{
	for (int i = 0; i < hidden(3); i++)
		atomic_fetch_add(&x, 1);
	return arg;
}

static void waits_for_one_that_is_cut(void)
{
	pthread_t t;

	pthread_create(&t, NULL, counts_to_three, NULL);
	while (atomic_load(&x) < 3)
		;
	pthread_join(t, NULL);
}

static void *locks(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void locks_for_ever(void)
{
	THREADS(2, locks);
}

static void *grows(void *arg)
{
	for (int i = 0; i < 100; i++) {
		volatile char *p = alloca(64);

		p[0] = 0;
		atomic_fetch_add(&x, 1);
	}
	return arg;
}

static void loads_where_the_frame_grows(void)
{
	THREADS(1, grows);
}

/* Of six steps three are the one's: 20 ways. */
static void three_rounds(void)
{
	THREADS(2, counts_to_three);
}

static void *nested(void *arg)
{
	for (int i = 0; i < hidden(3); i++) {
		atomic_fetch_add(&y, 1);
		for (int j = 0; j < hidden(3); j++)
			atomic_fetch_add(&x, 1);
	}
	return arg;
}

static void loops_in_a_loop(void)
{
	THREADS(1, nested);
	assert(atomic_load(&x) == 9 && atomic_load(&y) == 3);
}

static void *begin_alike(void *arg)
{
	for (int i = 0; i < hidden(3); i++) {
		for (int j = 0; j < hidden(3); j++) {
			atomic_fetch_add(&x, 1);
			atomic_fetch_add(&y, 1);
		}
		atomic_fetch_sub(&y, 3);
	}
	return arg;
}

static void loops_that_begin_alike(void)
{
	THREADS(1, begin_alike);
	assert(atomic_load(&x) == 9 && atomic_load(&y) == 0);
}

/* Of rounds that begin with the first operation, now the second comes last, now the third. */
static void *in_any_order(void *arg)
{
	static const int order[] = { 0, 2, 1, 0, 1, 2 };

	for (int i = 0;; i = (i + 1) % 6)
		switch (order[i]) {
		case 0:
			atomic_fetch_add(&x, 1);
			break;
		case 1:
			atomic_fetch_sub(&x, 1);
			break;
		default:
			atomic_fetch_add(&y, 1);
		}
	return arg;
}

static void rounds_in_any_order(void)
{
	THREADS(1, in_any_order);
}

static void *one_behind_the_other(void *arg)
{
	for (int i = 0; i < hidden(3); i++)
		atomic_fetch_add(&x, 1);
	for (int i = 0; i < hidden(3); i++)
		atomic_fetch_add(&x, 1);
	return arg;
}

static void two_loops(void)
{
	THREADS(1, one_behind_the_other);
	assert(atomic_load(&x) == 6);
}

static __attribute__((noinline)) void add(void)
{
	pthread_mutex_lock(&m);
	atomic_fetch_add(&x, 1);
	pthread_mutex_unlock(&m);
}

static void *calls_three_times(void *arg)
{
	for (int i = 0; i < hidden(3); i++)
		add();
	return arg;
}

static void called_in_a_loop(void)
{
	THREADS(1, calls_three_times);
	assert(atomic_load(&x) == 3);
}

static void *calls(void *arg)
{
	add();
	add();
	add();
	return arg;
}

static void calls_in_a_row(void)
{
	THREADS(1, calls);
	assert(atomic_load(&x) == 3);
}

static __attribute__((noinline)) int descend(int depth)
{
	atomic_fetch_add(&x, 1);
	return depth ? descend(depth - 1) + descend(depth - 1) : 1;
}

static void *descends(void *arg)
{
	assert(descend(4) == 16);
	return arg;
}

static void deeper_and_deeper(void)
{
	THREADS(1, descends);
	assert(atomic_load(&x) == 31);
}

static void *locks_each(void *arg)
{
	pthread_mutex_t each[3];

	for (int i = 0; i < hidden(3); i++)
		pthread_mutex_init(&each[i], NULL);
	for (int i = 0; i < hidden(3); i++)
		pthread_mutex_lock(&each[i]);
	for (int i = 0; i < hidden(3); i++)
		pthread_mutex_unlock(&each[i]);
	return arg;
}

static void many_locks(void)
{
	THREADS(1, locks_each);
}

static void *adds_once(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

static void many_threads(void)
{
	THREADS(4, adds_once);
}

static void waits(void)
{
	pthread_t t;

	pthread_create(&t, NULL, adds_once, NULL);
	while (!atomic_load(&x))
		;
	pthread_join(t, NULL);
}

static void *waits_in_vain(void *arg)
{
	while (!atomic_load(&y)) /* bug: waits_for_ever */
		;
	return arg;
}

static void waits_for_ever(void)
{
	THREADS(1, waits_in_vain);
}

CASES(CASE(counts_for_ever), CASE(wrong_in_the_third_round), CASE(wrong_when_another_is_cut),
      CASE(exchanges), CASE(cut_with_a_lock), CASE(waits_for_one_that_is_cut), CASE(locks_for_ever),
      CASE(loads_where_the_frame_grows), CASE(three_rounds), CASE(loops_in_a_loop),
      CASE(loops_that_begin_alike), CASE(rounds_in_any_order), CASE(two_loops),
      CASE(called_in_a_loop), CASE(calls_in_a_row), CASE(deeper_and_deeper), CASE(many_locks),
      CASE(many_threads), CASE(waits), CASE(waits_for_ever))
