/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await_odd.c - rounds of loops that are too long, write too much, or are looked at by others
 *
 * What is kept of a round has a size. Beyond it a round is not understood: its loop is followed until it
 * is cut, and heddle says so.
 *
 * case a_round_of_many_loads --max-events=5000: inconclusive cut at 5000 events
 * case a_round_that_writes_often --max-events=100: inconclusive cut at 100 events
 * case a_round_that_writes_much --max-events=100: inconclusive cut at 100 events
 * case a_fence_and_an_exchange_that_changes_nothing: ok 1
 * case a_plain_write_behind_a_fence: bug data-race at scratch[0] == 2
 * case a_plain_write_behind_a_fence -e value: bug data-race at scratch[0] == 2
 * case a_plain_write_behind_a_fence -e value -m sra: bug data-race at scratch[0] == 2
 * case read_before_a_release_of_the_round: bug data-race at scratch[1] = 1;
 * case written_to_by_many_stores: ok 1
 * case written_to_by_plain_stores: ok 1
 * case written_to_in_vain: bug await-stuck at bug: look_at_own
 * case all_threads_wait_for_one: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum {
	MANY = 1000,
	MUCH = 1 << 16,
	ALL = 63
};

static atomic_int flag, other;
static atomic_int cells[MANY];
static int scratch[MANY];
static char large[MUCH];

static void raise_flag(void)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
}

/* Natively the loops end all the same. */
static void *raise_it(void *arg)
{
	raise_flag();
	return arg;
}

static void waits_beside(void *(*fn)(void *))
{
	pthread_t a, b;

	assert(pthread_create(&a, NULL, fn, NULL) == 0);
	assert(pthread_create(&b, NULL, raise_it, NULL) == 0);
	assert(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

static void *look_at_many(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		for (int i = 0; i < MANY; i++)
			assert(!atomic_load_explicit(&cells[i], memory_order_relaxed));
	return arg;
}

static void a_round_of_many_loads(void)
{
	waits_beside(look_at_many);
}

static void *write_often(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		for (int i = 0; i < MANY; i++)
			((volatile int *)scratch)[i] = i;
	return arg;
}

static void a_round_that_writes_often(void)
{
	waits_beside(write_often);
}

static void *write_much(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		memset(large, 1, sizeof(large));
	return arg;
}

static void a_round_that_writes_much(void)
{
	waits_beside(write_much);
}

/* The exchange stores 0 where 0 is, and hands on nothing but fences. */
static void *exchange_behind_a_fence(void *arg)
{
	do {
		atomic_thread_fence(memory_order_release);
		atomic_exchange_explicit(&other, 0, memory_order_relaxed);
	} while (!atomic_load_explicit(&flag, memory_order_acquire));
	return arg;
}

static void a_fence_and_an_exchange_that_changes_nothing(void)
{
	waits_beside(exchange_behind_a_fence);
}

/* Here a plain write comes with it, which the other thread looks at. */
static void *write_and_exchange(void *arg)
{
	do {
		scratch[0] = 1;
		atomic_thread_fence(memory_order_release);
		atomic_exchange_explicit(&other, 0, memory_order_relaxed);
	} while (!atomic_load_explicit(&flag, memory_order_acquire));
	return arg;
}

static void *look_and_raise(void *arg)
{
	if (!atomic_load_explicit(&other, memory_order_acquire) && scratch[0] == 2)
		abort();
	raise_flag();
	return arg;
}

static void a_plain_write_behind_a_fence(void)
{
	pthread_t a, b;

	assert(pthread_create(&a, NULL, write_and_exchange, NULL) == 0);
	assert(pthread_create(&b, NULL, look_and_raise, NULL) == 0);
	assert(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

/* The round reads once more what was released before, by its fence and the exchange. */
static void *read_exchange_and_read(void *arg)
{
	do {
		assert(!atomic_load_explicit(&cells[0], memory_order_relaxed) && !scratch[1]);
		atomic_thread_fence(memory_order_release);
		atomic_exchange_explicit(&other, 0, memory_order_relaxed);
	} while (!atomic_load_explicit(&flag, memory_order_relaxed));
	atomic_store_explicit(&cells[1], 1, memory_order_relaxed);
	return arg;
}

static void *write_behind_the_loop(void *arg)
{
	raise_flag();
	if (!atomic_load_explicit(&other, memory_order_acquire) &&
	    atomic_load_explicit(&cells[1], memory_order_relaxed))
		scratch[1] = 1;
	return arg;
}

static void read_before_a_release_of_the_round(void)
{
	pthread_t a, b;

	assert(pthread_create(&a, NULL, read_exchange_and_read, NULL) == 0);
	assert(pthread_create(&b, NULL, write_behind_the_loop, NULL) == 0);
	assert(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

/* A node on a thread's own stack, as those of queue locks. */
struct node {
	atomic_int ready;
	atomic_int told[MANY];
	int plain;
};
static _Atomic(struct node *) queue;

static void *look_at_own(void *arg)
{
	struct node node = { .plain = 0 };

	atomic_store_explicit(&queue, &node, memory_order_release);
	while (!atomic_load_explicit(&node.ready, memory_order_acquire)) /* bug: look_at_own */
		;
	assert(arg || node.plain == 1);
	return NULL;
}

static struct node *next_in_queue(void)
{
	struct node *node;

	while (!(node = atomic_load_explicit(&queue, memory_order_acquire)))
		;
	return node;
}

static void *tell_often(void *arg)
{
	struct node *node = next_in_queue();

	for (int i = 0; i < MANY; i++)
		atomic_store_explicit(&node->told[i], i, memory_order_relaxed);
	atomic_store_explicit(&node->ready, 1, memory_order_release);
	return arg;
}

static void *tell_plainly(void *arg)
{
	struct node *node = next_in_queue();

	node->plain = 1;
	atomic_store_explicit(&node->ready, 1, memory_order_release);
	return arg;
}

static void *tell_nothing(void *arg)
{
	atomic_store_explicit(&next_in_queue()->told[0], 1, memory_order_release);
	return arg;
}

static void is_told(void *(*fn)(void *), void *arg)
{
	pthread_t a, b;

	assert(pthread_create(&a, NULL, look_at_own, arg) == 0);
	assert(pthread_create(&b, NULL, fn, NULL) == 0);
	assert(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

static void written_to_by_many_stores(void)
{
	is_told(tell_often, &flag);
}

static void written_to_by_plain_stores(void)
{
	is_told(tell_plainly, NULL);
}

static void written_to_in_vain(void)
{
	is_told(tell_nothing, &flag);
}

/* As many threads as there may be, all at one await. */
static void *wait_for_flag(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	return arg;
}

static void all_threads_wait_for_one(void)
{
	pthread_t t[ALL];

	for (int i = 0; i < ALL; i++)
		assert(pthread_create(&t[i], NULL, wait_for_flag, NULL) == 0);
	raise_flag();
	for (int i = 0; i < ALL; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

CASES(CASE(a_round_of_many_loads), CASE(a_round_that_writes_often), CASE(a_round_that_writes_much),
      CASE(a_fence_and_an_exchange_that_changes_nothing), CASE(a_plain_write_behind_a_fence),
      CASE(read_before_a_release_of_the_round), CASE(written_to_by_many_stores),
      CASE(written_to_by_plain_stores), CASE(written_to_in_vain), CASE(all_threads_wait_for_one))
