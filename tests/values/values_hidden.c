/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), what a read may return is hidden by what it synchronises with, which need not be the same in all executions with the same values
 *
 * A flag is raised to the same value by one thread that has written twice before, and by one that has written nothing.
 *
 * case relaxed_store -e value: bug assertion
 * case relaxed_store -e rf: bug assertion
 * case relaxed_load -e value: bug assertion
 * case relaxed_load -e rf: bug assertion
 * case neither_is_relaxed -e value: ok 3
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int written, flag, told;
static memory_order telling = memory_order_release, hearing = memory_order_acquire;
static int all_read;

static void *writes_twice(void *arg)
{
	atomic_store_explicit(&written, 1, memory_order_relaxed);
	atomic_store_explicit(&written, 2, memory_order_relaxed);
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_store_explicit(&told, 1, telling);
	return arg;
}

static void *raises(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

static void *looks(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_acquire) &&
	    atomic_load_explicit(&told, hearing))
		all_read = atomic_load_explicit(&written, memory_order_relaxed) == 1;
	return arg;
}

static void run(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, raises, NULL);
	pthread_create(&t[1], NULL, writes_twice, NULL);
	pthread_create(&t[2], NULL, looks, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
}

static void relaxed_store(void)
{
	telling = memory_order_relaxed;
	run();
	assert(!all_read); /* bug: relaxed_store */
}

static void relaxed_load(void)
{
	hearing = memory_order_relaxed;
	run();
	assert(!all_read); /* bug: relaxed_load */
}

static void neither_is_relaxed(void)
{
	run();
	assert(!all_read);
}

CASES(CASE(relaxed_store), CASE(relaxed_load), CASE(neither_is_relaxed))
