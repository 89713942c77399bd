/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scull.c - a driver for a piece of memory that one thread reads, one writes and one trims, U times each
 *
 * In the manner of the scull driver in Nidhugg's benchmarks: a word says whether somebody is inside, which
 * each tries to take with compare-and-swap; who fails goes on to the next round.
 *
 * -DU=rounds
 */
#include "threads.h"

#ifndef U
#define U 2
#endif
static atomic_int inside, size, data;

static int take(void)
{
	int nobody = 0;

	return atomic_compare_exchange_strong(&inside, &nobody, 1);
}

static void leave(void)
{
	atomic_store(&inside, 0);
}

static void *thread(void *arg)
{
	for (int i = 0; i < U; i++) {
		if (!take())
			continue;
		if ((intptr_t)arg == 0 && atomic_load(&size))
			(void)atomic_load(&data);
		if ((intptr_t)arg == 1) {
			atomic_store(&data, 1);
			atomic_store(&size, 1);
		}
		if ((intptr_t)arg == 2)
			atomic_store(&size, 0);
		leave();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	begin_all(t, 3, thread);
	join_all(t, 3);
	return 0;
}
