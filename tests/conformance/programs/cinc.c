/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cinc.c - N threads, each K atomic increments: every order of the read-modify-writes is an
 * execution
 *
 * -DN, -DK
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
static atomic_int x;

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < K; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load_explicit(&x, memory_order_relaxed) == N * K);
	return 0;
}
