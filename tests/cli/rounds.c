/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.c - two threads increment by compare-and-swap loops; who loses a round has to wait
 *
 * Two executions are complete. The others, in which a thread looked too early, are blocked.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *arg)
{
	int old = atomic_load_explicit(&counter, memory_order_relaxed);

	while (!atomic_compare_exchange_strong(&counter, &old, old + 1))
		;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, increment, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
