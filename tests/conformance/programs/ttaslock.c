/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ttaslock.c - test-and-test-and-set lock guarding a plain counter
 *
 * -DN=threads, -DBUGGY: relaxed unlock (data race)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
#ifdef BUGGY
#define UNLOCK_ORDER memory_order_relaxed
#else
#define UNLOCK_ORDER memory_order_release
#endif
static atomic_int state;
static int counter;

static void lock(void)
{
	for (;;) {
		while (atomic_load_explicit(&state, memory_order_relaxed) != 0)
			;
		if (!atomic_exchange_explicit(&state, 1, memory_order_acquire))
			return;
	}
}

static void *worker(void *arg)
{
	(void)arg;
	lock();
	counter++;
	atomic_store_explicit(&state, 0, UNLOCK_ORDER);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(counter == N);
	return 0;
}
