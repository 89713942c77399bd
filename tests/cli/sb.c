/* SPDX-License-Identifier: BSD-2-Clause */
/* Store buffering: 4 executions under rc11, 3 under sc. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
