/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * casinc.c - N threads increment by a compare-and-swap loop: N! executions when lost rounds
 * are not repeated
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_int counter;

static void *worker(void *arg)
{
	(void)arg;
	int old = atomic_load_explicit(&counter, memory_order_relaxed);

	while (!atomic_compare_exchange_strong_explicit(&counter, &old, old + 1,
							memory_order_acq_rel, memory_order_relaxed))
		;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&counter) == N);
	return 0;
}
