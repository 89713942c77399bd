/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.c - loops that wait: rounds that did nothing, and what their threads still hold of them
 *
 * case lost_round_leaves_a_dead_slot: ok 2
 * case round_that_counts: ok 3
 * case two_reads_a_round: bug await-stuck
 * case trylock_in_a_loop: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int x, y, current, slot[2] = { 10, 11 };
static int rounds, result;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *move(void *arg)
{
	atomic_store_explicit(&current, 1, memory_order_release);
	return arg;
}

/* When the slot moved meanwhile, `value` is of no use, but still there until the next round
 * sets it. */
static void *look(void *arg)
{
	volatile int value;
	int at;

	do {
		at = atomic_load_explicit(&current, memory_order_acquire);
		value = atomic_load_explicit(&slot[at], memory_order_acquire);
	} while (at != atomic_load_explicit(&current, memory_order_acquire));
	result = value;
	return arg;
}

static void with_move(void *(*fn)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, move, NULL) == 0);
	assert(pthread_create(&t[1], NULL, fn, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
	assert(result == 10 || result == 11);
}

static void lost_round_leaves_a_dead_slot(void)
{
	with_move(look);
}

/* The same, but the round leaves something behind that is read. */
static void *look_and_count(void *arg)
{
	volatile int value;
	int at;

	do {
		rounds++;
		at = atomic_load_explicit(&current, memory_order_acquire);
		value = atomic_load_explicit(&slot[at], memory_order_acquire);
	} while (at != atomic_load_explicit(&current, memory_order_acquire));
	result = value;
	return arg;
}

static void round_that_counts(void)
{
	with_move(look_and_count);
	assert(rounds == 1 || rounds == 2);
}

static void *wait_with_two_reads(void *arg)
{
	int a, b;

	do {
		a = atomic_load_explicit(&x, memory_order_acquire);
		b = atomic_load_explicit(&y, memory_order_acquire);
	} while (a + b != 3);
	return arg;
}

static void two_reads_a_round(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_with_two_reads, NULL) == 0);
	atomic_store_explicit(&x, 1, memory_order_release);
	atomic_store_explicit(&y, 1, memory_order_release);
	assert(pthread_join(t, NULL) == 0);
}

static void *try_until_taken(void *arg)
{
	while (pthread_mutex_trylock(&mutex))
		;
	rounds++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void trylock_in_a_loop(void)
{
	THREADS(2, try_until_taken);
	assert(rounds == 2);
}

CASES(CASE(lost_round_leaves_a_dead_slot), CASE(round_that_counts), CASE(two_reads_a_round),
      CASE(trylock_in_a_loop))
