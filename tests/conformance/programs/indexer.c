/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * indexer.c - N threads insert messages into a shared hash table by compare-and-swap with
 * linear probing
 *
 * -DN, -DMAX messages each, -DSIZE table slots
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 12
#endif
#ifndef MAX
#define MAX 4
#endif
#ifndef SIZE
#define SIZE 128
#endif
static atomic_int table[SIZE];

static void *worker(void *arg)
{
	int tid = (int)(intptr_t)arg;

	for (int m = 0; m < MAX; m++) {
		int w = m * 11 + tid, h = (w * 7) % SIZE;
		int empty = 0;

		while (!atomic_compare_exchange_strong(&table[h], &empty, w + 1)) {
			h = (h + 1) % SIZE;
			empty = 0;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
