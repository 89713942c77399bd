/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_lock.c - locks, semaphores, barriers and event counts made of futexes
 *
 * case mutex_of_three_states: ok 10
 * case mutex_that_never_wakes: bug deadlock at THREADS(2, count_without_wake)
 * case mutex_that_forgets_the_third: bug deadlock at THREADS(3, count_and_forget)
 * case semaphore_of_a_futex: ok * (loops as compiled)
 * case barrier_of_a_futex: ok 30
 * case event_count: ok 27
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static atomic_uint word, other, done;
int data; /* not static: gcc 12 takes syscall() for a leaf, and keeps what no other file can see in a
	   * register across it, locks or not */

static long wait_for(atomic_uint *w, unsigned val)
{
	return syscall(SYS_futex, w, FUTEX_WAIT_PRIVATE, val, NULL, NULL, 0);
}

static long wake(atomic_uint *w, int n)
{
	return syscall(SYS_futex, w, FUTEX_WAKE_PRIVATE, (unsigned)n, NULL, NULL, 0);
}

/* 0 free, 1 taken, 2 taken and somebody may sleep. */
static void lock(atomic_uint *m)
{
	unsigned c = 0;

	if (atomic_compare_exchange_strong_explicit(m, &c, 1, memory_order_acquire,
						    memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(m, 2, memory_order_acquire) != 0)
		wait_for(m, 2);
}

static void unlock(atomic_uint *m)
{
	if (atomic_exchange_explicit(m, 0, memory_order_release) == 2)
		wake(m, 1);
}

static void *locked_count(void *arg)
{
	lock(&word);
	data++;
	unlock(&word);
	return arg;
}

static void mutex_of_three_states(void)
{
	THREADS(2, locked_count);
	assert(data == 2);
}

static void *count_without_wake(void *arg)
{
	lock(&word);
	data++;
	atomic_store_explicit(&word, 0, memory_order_release);
	return arg;
}

static void mutex_that_never_wakes(void)
{
	THREADS(2, count_without_wake);
}

/* Whoever was woken takes the lock as if nobody else slept. */
static void *count_and_forget(void *arg)
{
	unsigned c = 0;

	while (!atomic_compare_exchange_strong(&word, &c, 1)) {
		if (c == 2 || atomic_compare_exchange_strong(&word, &c, 2))
			wait_for(&word, 2);
		c = 0;
	}
	data++;
	unlock(&word);
	return arg;
}

static void mutex_that_forgets_the_third(void)
{
	THREADS(3, count_and_forget);
}

static void *take(void *arg)
{
	for (;;) {
		unsigned v = atomic_load(&word);

		if (v && atomic_compare_exchange_strong(&word, &v, v - 1))
			return arg;
		if (!v)
			wait_for(&word, 0);
	}
}

static void semaphore_of_a_futex(void)
{
	pthread_t t[2] = { begin(take, NULL), begin(take, NULL) };

	for (int i = 0; i < 2; i++) {
		atomic_fetch_add(&word, 1);
		wake(&word, 1);
	}
	end(t[0]);
	end(t[1]);
	assert(atomic_load(&word) == 0);
}

static void *meet(void *arg)
{
	if (atomic_fetch_add(&done, 1) + 1 == 3) {
		atomic_store(&word, 1);
		wake(&word, INT_MAX);
	}
	while (!atomic_load(&word))
		wait_for(&word, 0);
	assert(atomic_load(&done) == 3);
	return arg;
}

static void barrier_of_a_futex(void)
{
	THREADS(3, meet);
}

/* A condition variable: wait for the count to change, with the mutex released meanwhile. */
static void *event_waiter(void *arg)
{
	lock(&word);
	while (!data) {
		unsigned seen = atomic_load(&other);

		unlock(&word);
		wait_for(&other, seen);
		lock(&word);
	}
	unlock(&word);
	return arg;
}

static void event_count(void)
{
	pthread_t t = begin(event_waiter, NULL);

	lock(&word);
	data = 1;
	atomic_fetch_add(&other, 1);
	unlock(&word);
	wake(&other, INT_MAX);
	end(t);
}

CASES(CASE(mutex_of_three_states), CASE(mutex_that_never_wakes), CASE(mutex_that_forgets_the_third),
      CASE(semaphore_of_a_futex), CASE(barrier_of_a_futex), CASE(event_count))
