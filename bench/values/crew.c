/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crew.c - concurrent reads, exclusive writes: one thread writes a pair K times, and says so; R threads look, K times each, whether it
 * has, and if so read the pair. What it says is relaxed, so they may find an older one: -DASSERT looks for that.
 *
 * -DR=readers, -DK=times
 */
#include "threads.h"

#include <assert.h>

#ifndef R
#define R 2
#endif
#ifndef K
#define K 2
#endif
static atomic_int pair[2], written;

static void *writer(void *arg)
{
	for (int i = 1; i <= K; i++) {
		atomic_store_explicit(&pair[0], i % 2, memory_order_relaxed);
		atomic_store_explicit(&pair[1], i % 2, memory_order_relaxed);
		atomic_store_explicit(&written, i, memory_order_relaxed);
	}
	return arg;
}

static void *reader(void *arg)
{
	for (int i = 0; i < K; i++) {
		int first, second;

		if (!atomic_load_explicit(&written, memory_order_acquire))
			continue;
		first = atomic_load_explicit(&pair[0], memory_order_relaxed);
		second = atomic_load_explicit(&pair[1], memory_order_relaxed);
#ifdef ASSERT
		assert(first == second);
#endif
		(void)first;
		(void)second;
	}
	return arg;
}

int main(void)
{
	pthread_t t[R + 1];

	begin_all(t, 1, writer);
	begin_all(t + 1, R, reader);
	join_all(t, R + 1);
	return 0;
}
