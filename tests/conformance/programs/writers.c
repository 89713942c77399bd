/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writers.c - W writers store (index % V) + 1, R readers load once: by value (V+1)^R
 * executions however many writers (W >= V)
 *
 * -DW, -DR, -DV
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef W
#define W 6
#endif
#ifndef R
#define R 2
#endif
#ifndef V
#define V 2
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
	pthread_t t[W + R];

	for (int i = 0; i < W; i++)
		pthread_create(&t[i], NULL, writer, (void *)(intptr_t)(i % V + 1));
	for (int i = 0; i < R; i++)
		pthread_create(&t[W + i], NULL, reader, NULL);
	for (int i = 0; i < W + R; i++)
		pthread_join(t[i], NULL);
	return 0;
}
