/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ticketlock.c - ticket lock: N threads each increment a plain counter inside the lock
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_uint next_ticket, now_serving;
static int counter;

static void lock(void)
{
	unsigned my = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);

	while (atomic_load_explicit(&now_serving, memory_order_acquire) != my)
		;
}

static void unlock(void)
{
	unsigned now = atomic_load_explicit(&now_serving, memory_order_relaxed);

	atomic_store_explicit(&now_serving, now + 1, memory_order_release);
}

static void *worker(void *arg)
{
	(void)arg;
	lock();
	counter++;
	unlock();
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
