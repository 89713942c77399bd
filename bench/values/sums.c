/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sums.c - two threads, K rounds each: Fibonacci numbers, or triangular ones; no assertion
 *
 * Each adds the other's number to its own; with -DTRIANGULAR each takes the other's plus one.
 *
 * -DK=rounds
 */
#include "threads.h"

#ifndef K
#define K 3
#endif
#ifdef TRIANGULAR
static atomic_int number[2] = { 3, 6 };
#else
static atomic_int number[2] = { 1, 1 };
#endif

static void *thread(void *arg)
{
	atomic_int *own = &number[(intptr_t)arg], *other = &number[1 - (intptr_t)arg];

	for (int i = 0; i < K; i++) {
#ifdef TRIANGULAR
		int sum = atomic_load_explicit(other, memory_order_acquire) + 1;
#else
		int sum = atomic_load_explicit(own, memory_order_acquire);

		sum += atomic_load_explicit(other, memory_order_acquire);
#endif
		atomic_store_explicit(own, sum, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	begin_all(t, 2, thread);
	join_all(t, 2);
	return 0;
}
