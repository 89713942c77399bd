/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * other_blocks.c - a thread whose blocks are others where it allocates one more before them: which block lies at an address differs between
 * executions
 *
 * What it writes into a block races with the reader. With --plain=explore such places are explored, as far as they are known; the assertion fails
 * where the reader finds none, so that execution shows no race of its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;
static int *_Atomic slot[3];
static int seen, sum;

static void *makes(void *arg)
{
	void *more = NULL;

	(void)arg;
	seen = atomic_load_explicit(&x, memory_order_relaxed);
	if (seen)
		more = malloc(100);
	for (int i = 0; i < 3; i++) {
		int *p = malloc(sizeof(*p));

		*p = 1;
		atomic_store_explicit(&slot[i], p, memory_order_relaxed);
	}
	return more;
}

static void *reads(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	for (int i = 0; i < 3; i++) {
		const int *p = atomic_load_explicit(&slot[i], memory_order_relaxed);

		if (p)
			sum += *p != 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, makes, NULL) != 0 ||
	    pthread_create(&b, NULL, reads, NULL) != 0)
		return 2;
	if (pthread_join(a, NULL) != 0 || pthread_join(b, NULL) != 0)
		return 2;
	assert(!seen || sum);
	return 0;
}
