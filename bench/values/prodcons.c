/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prodcons.c - P producers and C consumers of a slot that is full or not; each tries K times
 *
 * -DP, -DC, -DK
 */
#include "threads.h"

#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif
#ifndef K
#define K 3
#endif
static atomic_int full, slot;

static void *producer(void *arg)
{
	for (int i = 0; i < K; i++) {
		if (atomic_load_explicit(&full, memory_order_acquire))
			continue;
		atomic_store_explicit(&slot, i % 2 + 1, memory_order_relaxed);
		atomic_store_explicit(&full, 1, memory_order_release);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 0; i < K; i++) {
		if (!atomic_load_explicit(&full, memory_order_acquire))
			continue;
		(void)atomic_load_explicit(&slot, memory_order_relaxed);
		atomic_store_explicit(&full, 0, memory_order_release);
	}
	return arg;
}

int main(void)
{
	pthread_t t[P + C];

	begin_all(t, P, producer);
	begin_all(t + P, C, consumer);
	join_all(t, P + C);
	return 0;
}
