/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.c - loops that wait: rounds that did nothing, and what their threads still hold of them
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case lost_round_leaves_a_dead_slot: ok 2
 * case round_that_counts: ok 3
 * case two_reads_a_round: bug await-stuck at a = atomic_load_explicit(&x
 * case trylock_in_a_loop: ok 2
 * case fence_in_a_round: ok 3
 * case fence_in_a_round -j 2: ok 3
 * case fence_in_a_round -m sc: ok 3
 * case fence_behind_a_look: ok 1
 * case fence_that_releases: ok 1
 * case fences_without_end: bug await-stuck at while (!atomic_load_explicit
 * case fences_in_the_round: ok 2
 * case fence_and_no_end: bug await-stuck at value = atomic_load_explicit(&x
 * case plain_read_in_the_round: ok 14
 * case exchange_that_releases: ok 6
 * case flag_of_the_language: ok 6
 * case exchange_and_no_end: bug await-stuck at while (atomic_exchange(&x, 1))
 * case exchange_of_compare_and_swaps: ok 4
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

static void *count_up(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	for (int i = 1; i <= 3; i++)
		atomic_store_explicit(&x, i, memory_order_relaxed);
	return arg;
}

static void *wait_between_fences(void *arg)
{
	int value;

	do {
		atomic_thread_fence(memory_order_acquire);
		value = atomic_load_explicit(&x, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
	} while (value != 3);
	return arg;
}

static void *wait_and_look(void *arg)
{
	wait_between_fences(NULL);
	result = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void fences_in_the_round(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, wait_and_look, NULL) == 0);
	assert(pthread_create(&t[1], NULL, count_up, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
	assert(result == 0 || result == 1);
}

static void fence_and_no_end(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_between_fences, NULL) == 0);
	atomic_store_explicit(&x, 2, memory_order_release);
	assert(pthread_join(t, NULL) == 0);
}

/*
 * A ring of four for one producer and one consumer. Each reads its own index by an ordinary
 * instruction, where the other one reads it atomically: ways for three items, as with atomic reads.
 */
static unsigned head, tail;
static int item[4];

static void *produce(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		unsigned at;

		do
			at = tail;
		while (at - __atomic_load_n(&head, __ATOMIC_ACQUIRE) == 4);
		item[at % 4] = i;
		__atomic_store_n(&tail, at + 1, __ATOMIC_RELEASE);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		unsigned at;

		do
			at = head;
		while (at == __atomic_load_n(&tail, __ATOMIC_ACQUIRE));
		assert(item[at % 4] == i);
		__atomic_store_n(&head, at + 1, __ATOMIC_RELEASE);
	}
	return arg;
}

static void plain_read_in_the_round(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, produce, NULL) == 0);
	assert(pthread_create(&t[1], NULL, consume, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

/* An exchange that stores what it read does no more than read, whatever its order. */
static void *lock_by_exchange(void *arg)
{
	while (atomic_exchange(&x, 1))
		;
	rounds++;
	atomic_store_explicit(&x, 0, memory_order_release);
	return arg;
}

static void exchange_that_releases(void)
{
	THREADS(3, lock_by_exchange);
	assert(rounds == 3);
}

static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *lock_by_flag(void *arg)
{
	while (atomic_flag_test_and_set(&flag))
		;
	rounds++;
	atomic_flag_clear(&flag);
	return arg;
}

static void flag_of_the_language(void)
{
	THREADS(3, lock_by_flag);
	assert(rounds == 3);
}

static void exchange_and_no_end(void)
{
	atomic_store(&x, 1);
	THREADS(2, lock_by_exchange);
}

/* The same made of compare-and-swaps, which may store 1 where 1 is: four ways for two threads, since the look before
 * them may be late. */
static void *lock_by_compare_and_swap(void *arg)
{
	int old;

	do {
		old = atomic_load_explicit(&x, memory_order_relaxed);
		while (!atomic_compare_exchange_strong(&x, &old, 1))
			;
	} while (old);
	rounds++;
	atomic_store_explicit(&x, 0, memory_order_release);
	return arg;
}

static void exchange_of_compare_and_swaps(void)
{
	THREADS(2, lock_by_compare_and_swap);
	assert(rounds == 2);
}

/* A sequence lock: between the two looks at its number stands a fence. */
static atomic_int sequence, left, right;

static void *write_twice(void *arg)
{
	for (int i = 0; i < 4; i += 2) {
		atomic_store_explicit(&sequence, i + 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&left, i, memory_order_relaxed);
		atomic_store_explicit(&right, i, memory_order_relaxed);
		atomic_store_explicit(&sequence, i + 2, memory_order_release);
	}
	return arg;
}

static void *read_both(void *arg)
{
	int number, a, b;

	do {
		number = atomic_load_explicit(&sequence, memory_order_acquire);
		a = atomic_load_explicit(&left, memory_order_relaxed);
		b = atomic_load_explicit(&right, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (number % 2 || number != atomic_load_explicit(&sequence, memory_order_relaxed));
	assert(a == b);
	return arg;
}

static void with_other(void *(*fn)(void *), void *(*other)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, fn, NULL) == 0);
	assert(pthread_create(&t[1], NULL, other, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

static void fence_in_a_round(void)
{
	with_other(write_twice, read_both);
}

static void *set(void *arg)
{
	result = 3;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

static void *wait_and_fence(void *arg)
{
	while (!atomic_load_explicit(&x, memory_order_relaxed))
		atomic_thread_fence(memory_order_seq_cst);
	atomic_thread_fence(memory_order_acquire);
	assert(result == 3);
	return arg;
}

static void fence_behind_a_look(void)
{
	with_other(set, wait_and_fence);
}

static void *fence_and_exchange(void *arg)
{
	do {
		atomic_thread_fence(memory_order_acq_rel);
	} while (!atomic_fetch_or_explicit(&x, 0, memory_order_relaxed));
	return arg;
}

static void fence_that_releases(void)
{
	with_other(set, fence_and_exchange);
}

static void fences_without_end(void)
{
	with_other(wait_and_fence, wait_and_fence);
}

CASES(CASE(lost_round_leaves_a_dead_slot), CASE(round_that_counts), CASE(two_reads_a_round),
      CASE(trylock_in_a_loop), CASE(fence_in_a_round), CASE(fence_behind_a_look),
      CASE(fence_that_releases), CASE(fences_without_end), CASE(fences_in_the_round),
      CASE(fence_and_no_end), CASE(plain_read_in_the_round), CASE(exchange_that_releases),
      CASE(flag_of_the_language), CASE(exchange_and_no_end), CASE(exchange_of_compare_and_swaps))
