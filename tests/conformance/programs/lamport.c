/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lamport.c - Lamport's fast mutual exclusion for N threads, SC accesses
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 2
#endif
static atomic_int x, y, b[N + 1];
static int counter;

static void lock(int i)
{
	for (;;) {
		atomic_store(&b[i], 1);
		atomic_store(&x, i);
		if (atomic_load(&y) != 0) {
			atomic_store(&b[i], 0);
			while (atomic_load(&y) != 0)
				;
			continue;
		}
		atomic_store(&y, i);
		if (atomic_load(&x) != i) {
			atomic_store(&b[i], 0);
			for (int j = 1; j <= N; j++)
				while (atomic_load(&b[j]))
					;
			if (atomic_load(&y) != i) {
				while (atomic_load(&y) != 0)
					;
				continue;
			}
		}
		return;
	}
}

static void *worker(void *arg)
{
	int i = (int)(intptr_t)arg;

	lock(i);
	counter++;
	atomic_store(&y, 0);
	atomic_store(&b[i], 0);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(counter == N);
	return 0;
}
