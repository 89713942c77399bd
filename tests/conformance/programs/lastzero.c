/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lastzero.c - one thread searches for the last zero while N others increment neighbouring
 * cells
 *
 * -DN=cells to be incremented
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 5
#endif
static atomic_int array[N + 1];

static void *search(void *arg)
{
	(void)arg;
	int i = N;

	while (atomic_load_explicit(&array[i], memory_order_acquire) != 0)
		i--;
	return NULL;
}

static void *increment(void *arg)
{
	int j = (int)(intptr_t)arg;

	atomic_store_explicit(&array[j],
			      atomic_load_explicit(&array[j - 1], memory_order_acquire) + 1,
			      memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t t[N + 1];

	pthread_create(&t[0], NULL, search, NULL);
	for (int i = 1; i <= N; i++)
		pthread_create(&t[i], NULL, increment, (void *)(intptr_t)i);
	for (int i = 0; i <= N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
