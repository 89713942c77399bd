/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dekker.c - Dekker's mutual exclusion of two threads; one that would wait tries K times, then gives up
 *
 * -DK=tries
 */
#include "threads.h"

#ifndef K
#define K 3
#endif
static atomic_int wants[2], turn, inside;

static int enter(int i)
{
	atomic_store(&wants[i], 1);
	for (int n = 0; n < K; n++) {
		if (!atomic_load(&wants[1 - i]))
			return 1;
		if (atomic_load_explicit(&turn, memory_order_relaxed) != i)
			break;
	}
	atomic_store(&wants[i], 0);
	return 0;
}

static void *thread(void *arg)
{
	int i = (int)(intptr_t)arg;

	if (enter(i)) {
		atomic_store_explicit(&inside, i, memory_order_relaxed);
		(void)atomic_load_explicit(&inside, memory_order_relaxed);
		atomic_store_explicit(&turn, 1 - i, memory_order_relaxed);
		atomic_store_explicit(&wants[i], 0, memory_order_release);
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
