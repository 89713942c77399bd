/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samevalue.c - N threads each store 1 and load it back: (N+1)^(N-1) executions by
 * reads-from under sc, one by value
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 4
#endif
static atomic_int x;

static void *worker(void *arg)
{
	(void)arg;
	atomic_store(&x, 1);
	assert(atomic_load(&x) == 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
