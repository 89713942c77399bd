/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_asked.c - what is told of a value does not depend on what was met before
 *
 * Threads that add one by compare-and-swap, and look first. Each does that at a place of its own, or all at the same one:
 * a state that was not saved there is saved before the answer counts, so both are explored alike
 * (rounds.test compares what was blocked).
 *
 * case one_place: ok 6
 * case places: ok 6
 * case places -j 2: ok 6
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int x;

static __attribute__((noinline)) void raise_from(int old)
{
	while (!atomic_compare_exchange_strong_explicit(&x, &old, old + 1, memory_order_acq_rel,
							memory_order_relaxed))
		;
}

#define RAISE(name)                                                         \
	static void *name(void *arg)                                        \
	{                                                                   \
		raise_from(atomic_load_explicit(&x, memory_order_relaxed)); \
		return arg;                                                 \
	}
RAISE(first)
RAISE(second)
RAISE(third)

static void run(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	void *(*fn[])(void *) = { a, b, c };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(atomic_load(&x) == 3);
}

static void one_place(void)
{
	run(first, first, first);
}

static void places(void)
{
	run(first, second, third);
}

CASES(CASE(one_place), CASE(places))
