/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.c - N threads count, K times each, by a load and a store, so that updates are lost; the first
 * thread looks
 *
 * -DN=threads, -DK=rounds, -DADD: by an atomic addition
 */
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif
static atomic_int count;

static void *add(void *arg)
{
	for (int i = 0; i < K; i++)
#ifdef ADD
		atomic_fetch_add(&count, 1);
#else
		atomic_store_explicit(&count,
				      atomic_load_explicit(&count, memory_order_acquire) + 1,
				      memory_order_release);
#endif
	return arg;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, N, add);
	join_all(t, N);
	(void)atomic_load(&count);
	return 0;
}
