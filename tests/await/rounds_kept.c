/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_kept.c - rounds of a loop that look like the one before, and are not
 *
 * Each thread comes back to the operation that it was at, on the same stack, but what it did meanwhile
 * matters: left out, an execution would be lost.
 *
 * case counts_in_memory: ok 4
 * case counts_elsewhere: bug assertion
 * case weaker_order: bug assertion
 * case weaker_order_of_a_failure: bug assertion
 * case first_byte_known: bug assertion
 * case last_byte_known: bug assertion
 * case two_looks: ok 3
 * case node_on_the_stack: ok 1
 * case node_on_the_stack -j 2: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int x, y, z;
int count, *counter = &count;

static void *set_x(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

/* The number of rounds is in memory, and nowhere on the stack: 0 to 3 of them. */
static void *look_three_times(void *arg)
{
	while (!atomic_load_explicit(&x, memory_order_relaxed))
		if (++count == 3)
			break;
	return arg;
}

static void with(void *(*fn)(void *), void *(*other)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, fn, NULL) == 0);
	assert(pthread_create(&t[1], NULL, other, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

static void counts_in_memory(void)
{
	with(look_three_times, set_x);
	assert(count <= 3);
}

/* The same on the heap, and the last number is the bug. */
static void counts_elsewhere(void)
{
	counter = malloc(sizeof(*counter));
	assert(counter);
	*counter = 0;
	count = 0;
	with(look_three_times, set_x);
	assert(count != 2); /* bug: counts_elsewhere */
	free(counter);
}

static void *set_both(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_release);
	return arg;
}

static void *set_z(void *arg)
{
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return arg;
}

/*
 * In the first round x is read with acquire, in the second one relaxed: what comes then, y, need not be
 * what it would be if the first one had found x set.
 */
static void *look_strongly_then_weakly(void *arg)
{
	int first = -1, seen = 0;

	for (;;) {
		int weak = atomic_load_explicit(&z, memory_order_relaxed);

		if (seen)
			break;
		if (first < 0)
			first = weak;
		if (weak)
			seen = atomic_load_explicit(&x, memory_order_relaxed);
		else
			seen = atomic_load_explicit(&x, memory_order_acquire);
	}
	assert(first || atomic_load_explicit(&y, memory_order_relaxed)); /* bug: weaker_order */
	return arg;
}

static void weaker_order(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set_z, NULL) == 0);
	with(look_strongly_then_weakly, set_both);
	assert(pthread_join(t, NULL) == 0);
}

/* The same with compare-and-swaps that fail. */
static void *swap_strongly_then_weakly(void *arg)
{
	int first = -1, seen = 0;

	for (;;) {
		int weak = atomic_load_explicit(&z, memory_order_relaxed);

		if (seen)
			break;
		if (first < 0)
			first = weak;
		seen = 5;
		if (weak)
			atomic_compare_exchange_strong_explicit(&x, &seen, 6, memory_order_relaxed,
								memory_order_relaxed);
		else
			atomic_compare_exchange_strong_explicit(&x, &seen, 6, memory_order_acquire,
								memory_order_acquire);
	}
	if (!first)
		first = atomic_load_explicit(&y, memory_order_relaxed);
	assert(first); /* bug: weaker_order_of_a_failure */
	return arg;
}

static void weaker_order_of_a_failure(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set_z, NULL) == 0);
	with(swap_strongly_then_weakly, set_both);
	assert(pthread_join(t, NULL) == 0);
}

/* A byte is written again, as it was, and then all bytes, of which another one changes. */
static void look_and_count(unsigned byte, int step)
{
	while (!atomic_load_explicit(&x, memory_order_relaxed)) {
		((volatile char *)&count)[byte] = 0;
		count += step;
		if (count == 2 * step)
			break;
	}
}

static void *look_behind_the_first_byte(void *arg)
{
	look_and_count(0, 256);
	return arg;
}

static void *look_before_the_last_byte(void *arg)
{
	look_and_count(sizeof(count) - 1, 1);
	return arg;
}

static void first_byte_known(void)
{
	with(look_behind_the_first_byte, set_x);
	assert(count != 256); /* bug: first_byte_known */
}

static void last_byte_known(void)
{
	with(look_before_the_last_byte, set_x);
	assert(count != 1); /* bug: last_byte_known */
}

/* No loop: the second look is another place. */
static void *look_twice(void *arg)
{
	if (!atomic_load_explicit(&x, memory_order_relaxed))
		atomic_load_explicit(&x, memory_order_relaxed);
	return arg;
}

static void two_looks(void)
{
	with(look_twice, set_x);
}

/* What others store to a thread's own stack is nothing that its rounds did. */
static _Atomic(atomic_int *) node;

static void *wait_on_the_stack(void *arg)
{
	atomic_int mine = 0;
	int a, b, c;

	atomic_store_explicit(&node, &mine, memory_order_release);
	do {
		a = atomic_load_explicit(&mine, memory_order_relaxed);
		b = atomic_load_explicit(&y, memory_order_relaxed);
		c = atomic_load_explicit(&x, memory_order_relaxed);
	} while (!a || !b || !c);
	atomic_store_explicit(&z, 1, memory_order_relaxed); /* the stack is still there */
	return arg;
}

static void *store_to_the_stack(void *arg)
{
	atomic_int *to;

	do
		to = atomic_load_explicit(&node, memory_order_acquire);
	while (!to);
	atomic_store_explicit(to, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

static void node_on_the_stack(void)
{
	with(wait_on_the_stack, store_to_the_stack);
}

CASES(CASE(counts_in_memory), CASE(counts_elsewhere), CASE(weaker_order),
      CASE(weaker_order_of_a_failure), CASE(first_byte_known), CASE(last_byte_known),
      CASE(two_looks), CASE(node_on_the_stack))
