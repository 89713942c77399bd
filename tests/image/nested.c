/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested.c - functions inside functions, as gcc has them: their address is code on the stack
 *
 * So a program with such functions asks for stacks that can be executed, and those of threads have
 * to be.
 *
 * case called_on_a_thread: ok 3
 * case called_by_another_thread: ok 2
 * case called_in_a_loop_that_waits: ok 2
 * case called_in_a_loop_that_waits_for_ever: bug await-stuck
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int x;

static __attribute__((noinline)) int call(int (*f)(int), int value)
{
	return f(value);
}

static void *adds(void *arg)
{
	int one = arg ? 2 : 1;
	int add(int more)
	{
		return atomic_fetch_add(&x, one + more);
	}

	call(add, 0);
	call(add, 1);
	return arg;
}

static void called_on_a_thread(void)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, adds, NULL);
	seen = atomic_load(&x);
	assert(seen == 0 || seen == 1 || seen == 3);
	pthread_join(t, NULL);
	assert(atomic_load(&x) == 3);
}

static void *calls(void *arg)
{
	int (**f)(int) = arg;

	call(*f, 5);
	return arg;
}

static void *makes(void *arg)
{
	int sum = 0;
	int add(int more)
	{
		sum += more;
		return atomic_fetch_add(&x, more);
	}
	int (*f)(int) = add;
	pthread_t t;

	pthread_create(&t, NULL, calls, &f);
	atomic_fetch_add(&x, 1);
	pthread_join(t, NULL);
	assert(sum == 5);
	return arg;
}

static void called_by_another_thread(void)
{
	THREADS(1, makes);
	assert(atomic_load(&x) == 6);
}

static void *waits(void *arg)
{
	int wanted = 1;
	int is_there(int value)
	{
		return value >= wanted;
	}

	while (!call(is_there, atomic_load(&x))) /* bug: called_in_a_loop_that_waits_for_ever */
		;
	return arg;
}

static void called_in_a_loop_that_waits(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waits, NULL);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	pthread_join(t, NULL);
}

static void called_in_a_loop_that_waits_for_ever(void)
{
	THREADS(1, waits);
}

CASES(CASE(called_on_a_thread), CASE(called_by_another_thread), CASE(called_in_a_loop_that_waits),
      CASE(called_in_a_loop_that_waits_for_ever))
