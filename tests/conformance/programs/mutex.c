/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutex.c - N threads, K rounds each, one pthread mutex guarding a plain counter
 *
 * -DN, -DK, -DBUGGY: one thread skips the lock
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg)
{
	for (int i = 0; i < K; i++) {
#ifdef BUGGY
		if (arg)
			pthread_mutex_lock(&m);
#else
		(void)arg;
		pthread_mutex_lock(&m);
#endif
		counter++;
#ifdef BUGGY
		if (arg)
			pthread_mutex_unlock(&m);
#else
		pthread_mutex_unlock(&m);
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(counter == N * K);
	return 0;
}
