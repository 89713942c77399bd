/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nw1r.c - N+1 writers of different values and one reader: N+2 executions by reads-from,
 * (N+2)! by modification order
 *
 * -DN
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
static atomic_int x;

static void *writer(void *arg)
{
	atomic_store_explicit(&x, (int)(intptr_t)arg, memory_order_release);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t t[N + 2];

	for (int i = 0; i <= N; i++)
		pthread_create(&t[i], NULL, writer, (void *)(intptr_t)(i + 1));
	pthread_create(&t[N + 1], NULL, reader, NULL);
	for (int i = 0; i < N + 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
