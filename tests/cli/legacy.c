/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * legacy.c - plain accesses that race late: when other workers have begun (--plain=explore)
 *
 *	legacy THREADS ROUNDS [bug]	the last two threads increment x without a lock, if they come first
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ticket;
static int threads, rounds, x;

static void *take(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		int mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);

		if (mine < 2 && mine == threads - 1 - (int)(long)arg)
			x++;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[8];

	threads = atoi(argv[1]);
	rounds = atoi(argv[2]);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, take, (void *)(long)i);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	assert(argc < 4 || x != 1);
}
