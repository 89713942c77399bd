/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sides.c - a plain write of an atomic location that is in a race with atomic writes of two threads
 *
 * A replay comes to them in another order than the search, and has to tell of the same pair.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static volatile int round;

static void *second(void *arg)
{
	while (atomic_load_explicit(&x, memory_order_relaxed) != 1)
		;
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	return arg;
}

static void *first(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

static void *third(void *arg)
{
	do
		round = 1;
	while (atomic_fetch_and_explicit(&x, 127, memory_order_relaxed) != 2);
	*(volatile int *)&x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, second, NULL);
	pthread_create(&t[1], NULL, first, NULL);
	pthread_create(&t[2], NULL, third, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
