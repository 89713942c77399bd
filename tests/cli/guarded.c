/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guarded.c - static data under a lock made of atomics and futexes, with a condition to wait for
 *
 * Correct, whatever becomes of the lock's functions: inlined or not.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int mutex; /* 0: free, 1: taken, 2: and there may be who sleeps */
static atomic_int sequence;
static int n, done;

static void futex_wait(atomic_int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

static void futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void lock(void)
{
	int found = 0;

	if (atomic_compare_exchange_strong_explicit(&mutex, &found, 1, memory_order_acquire,
						    memory_order_relaxed))
		return;
	if (found != 2)
		found = atomic_exchange_explicit(&mutex, 2, memory_order_acquire);
	while (found) {
		futex_wait(&mutex, 2);
		found = atomic_exchange_explicit(&mutex, 2, memory_order_acquire);
	}
}

static void unlock(void)
{
	if (atomic_exchange_explicit(&mutex, 0, memory_order_release) == 2)
		futex_wake(&mutex);
}

static __attribute__((noinline)) void wait_for_signal(void)
{
	int s = atomic_load_explicit(&sequence, memory_order_relaxed);

	unlock();
	futex_wait(&sequence, s);
	lock();
}

static void *worker(void *arg)
{
	lock();
	n++;
	done = 1;
	atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
	futex_wake(&sequence);
	unlock();
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	lock();
	while (!done)
		wait_for_signal();
	assert(n == 1);
	unlock();
	return pthread_join(thread, NULL);
}
