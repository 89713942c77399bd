/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trivial.c - two threads, one store, one load, two executions: what it costs to start heddle
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *store(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, store, NULL);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	return 0;
}
