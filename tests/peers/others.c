/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * others.c - what C11Tester, Lotto and ThreadSanitizer miss, hang at, or get wrong
 *
 * Each of two threads that store to one and read the other of two variables reads the old or the
 * new value: four executions, three under sc.
 *
 * case store_buffering: ok 4
 * case store_buffering -msc: ok 3
 * case store_buffering_is_seen: bug assertion
 * case store_buffering_is_seen -msc: ok 3
 * case store_buffering_is_seen -mtso: bug assertion
 * case which_outcome: bug assertion at assert(!"the first old")
 * case an_assertion: bug assertion at assert(atomic_load(&flag) == 0)
 * case a_barrier: ok 2
 * case c11_threads: ok 2
 * case fences: ok 2
 * case one_fence_less: bug data-race
 * case fences_around_a_lock: ok 2
 * case sc_fences: ok 3
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

#include "cases.h"

static atomic_int x = 5, y = 6, flag;
static int data, seen[2];

static void *buffer(void *arg)
{
	long i = (long)arg;

	atomic_store_explicit(i ? &x : &y, 0, memory_order_relaxed);
	seen[i] = atomic_load_explicit(i ? &y : &x, memory_order_relaxed);
	assert(seen[i] == 0 || seen[i] == 5 + i);
	return arg;
}

static void store_buffering(void)
{
	THREADS(2, buffer);
}

static void store_buffering_is_seen(void)
{
	THREADS(2, buffer);
	assert(seen[0] == 0 || seen[1] == 0); /* bug: store_buffering_is_seen */
}

/* Each of the four ends in an assertion of its own. */
static void which_outcome(void)
{
	THREADS(2, buffer);
	if (seen[0] && seen[1])
		assert(!"both old");
	if (seen[0])
		assert(!"the first old");
	if (seen[1])
		assert(!"the second old");
	assert(!"both new");
}

static void *set(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

static void an_assertion(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set, NULL) == 0);
	assert(atomic_load(&flag) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static pthread_barrier_t barrier;

static void *meet(void *arg)
{
	long i = (long)arg;

	seen[i] = 1;
	pthread_barrier_wait(&barrier);
	assert(seen[1 - i] == 1);
	return arg;
}

static void a_barrier(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	THREADS(2, meet);
}

static int read_flag(void *arg)
{
	(void)arg;
	return atomic_load(&flag);
}

static void c11_threads(void)
{
	thrd_t t;
	int result;

	assert(thrd_create(&t, read_flag, NULL) == thrd_success);
	atomic_store(&flag, 1);
	assert(thrd_join(t, &result) == thrd_success);
	assert(result == 0 || result == 1);
}

static void *publish(void *arg)
{
	data = 42;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

static void fences(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, publish, NULL) == 0);
	if (atomic_load_explicit(&flag, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		assert(data == 42);
	}
	assert(pthread_join(t, NULL) == 0);
}

static void one_fence_less(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, publish, NULL) == 0);
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		assert(data == 42); /* bug: one_fence_less */
	assert(pthread_join(t, NULL) == 0);
}

static void *lock_with_fences(void *arg)
{
	while (atomic_exchange_explicit(&flag, 1, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
	data++;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 0, memory_order_relaxed);
	return arg;
}

static void fences_around_a_lock(void)
{
	THREADS(2, lock_with_fences);
	assert(data == 2);
}

static void *buffer_with_a_fence(void *arg)
{
	long i = (long)arg;

	atomic_store_explicit(i ? &x : &y, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	seen[i] = atomic_load_explicit(i ? &y : &x, memory_order_relaxed);
	return arg;
}

static void sc_fences(void)
{
	THREADS(2, buffer_with_a_fence);
	assert(seen[0] == 0 || seen[1] == 0);
}

CASES(CASE(store_buffering), CASE(store_buffering_is_seen), CASE(which_outcome), CASE(an_assertion),
      CASE(a_barrier), CASE(c11_threads), CASE(fences), CASE(one_fence_less),
      CASE(fences_around_a_lock), CASE(sc_fences))
