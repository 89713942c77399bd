/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crcw.c - concurrent reads, concurrent writes: N threads copy one of two places to the other one, those with even numbers from the
 * first to the second, the others back, K times each, and add the number of the round, modulo 3
 *
 * -DN=threads, -DK=times
 */
#include "threads.h"

#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif
static atomic_int place[2];

static void *copy(void *arg)
{
	int from = (int)(intptr_t)arg % 2;

	for (int i = 0; i < K; i++) {
		int value = atomic_load_explicit(&place[from], memory_order_acquire);

		atomic_store_explicit(&place[1 - from], (value + i) % 3, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	atomic_store(&place[0], 1);
	begin_all(t, N, copy);
	join_all(t, N);
	return 0;
}
