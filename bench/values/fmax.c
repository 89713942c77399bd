/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fmax.c - N threads look for the largest number: each compares its own ones, and exchanges the
 * shared one if that is smaller and still what it was
 *
 * -DN=threads, -DK=numbers of each
 */
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif
static atomic_int most;

static void offer(int number)
{
	int seen = atomic_load_explicit(&most, memory_order_relaxed);

	while (seen < number &&
	       !atomic_compare_exchange_strong_explicit(&most, &seen, number, memory_order_acq_rel,
							memory_order_relaxed))
		;
}

static void *thread(void *arg)
{
	for (int i = 0; i < K; i++)
		offer((int)(intptr_t)arg % 2 + i + 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, N, thread);
	join_all(t, N);
	return 0;
}
