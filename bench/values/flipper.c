/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flipper.c - N threads turn a bit over, K times each, by a load and a store; the first thread looks
 *
 * -DN=threads, -DK=rounds
 */
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif
static atomic_int bit;

static void *flip(void *arg)
{
	for (int i = 0; i < K; i++)
		atomic_store_explicit(&bit, !atomic_load_explicit(&bit, memory_order_acquire),
				      memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, N, flip);
	join_all(t, N);
	(void)atomic_load(&bit);
	return 0;
}
