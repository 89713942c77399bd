/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier.c - sense-reversing spinning barrier for N threads; data written before it is
 * read after it without a race
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
static atomic_int waiting, sense;
static int data[N];

static void barrier_wait(void)
{
	if (atomic_fetch_add_explicit(&waiting, 1, memory_order_acq_rel) == N - 1)
		atomic_store_explicit(&sense, 1, memory_order_release);
	else
		while (!atomic_load_explicit(&sense, memory_order_acquire))
			;
}

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg, sum = 0;

	data[me] = 1;
	barrier_wait();
	for (int i = 0; i < N; i++)
		sum += data[i];
	assert(sum == N);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
