/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locals.c - a frame that is used again where another thread has stored to the one before
 *
 * What use() writes to its variables has to be announced, as what sum() reads there is: else that would
 * find what the thread stored in the frame that has gone.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
	PAIRS = 6,
	CELLS = 16
};

struct pair {
	long a, b;
};

static void *store(void *arg)
{
	_Atomic long *cell = arg;

	for (int i = 0; i < CELLS; i++)
		atomic_store_explicit(&cell[i], 7, memory_order_relaxed);
	return NULL;
}

__attribute__((noinline)) static void share(void)
{
	_Atomic long cell[CELLS];
	pthread_t thread;

	for (int i = 0; i < CELLS; i++)
		atomic_init(&cell[i], 0);
	pthread_create(&thread, NULL, store, cell);
	pthread_join(thread, NULL);
}

/* A pure function: that it keeps no address is found by one analysis, and of count_up() by another. */
__attribute__((noinline)) static long sum(const struct pair *pair)
{
	return pair->a + pair->b;
}

__attribute__((noinline)) static long count_up(const struct pair *pair)
{
	static long calls;

	calls++;
	return pair->a + pair->b;
}

__attribute__((noinline)) static long use(long n)
{
	struct pair pair[PAIRS];
	long total = 0;

	for (int i = 0; i < PAIRS; i++) {
		pair[i].a = n;
		pair[i].b = n + 1;
	}
	for (int i = 0; i < PAIRS; i++)
		total += count_up(&pair[i]);
	return total;
}

__attribute__((noinline)) static long use_purely(long n)
{
	struct pair pair[PAIRS];
	long total = 0;

	for (int i = 0; i < PAIRS; i++) {
		pair[i].a = n;
		pair[i].b = n + 1;
	}
	for (int i = 0; i < PAIRS; i++)
		total += sum(&pair[i]);
	return total;
}

int main(void)
{
	share();
	assert(use_purely(1) == 3L * PAIRS);
	share();
	assert(use(1) == 3L * PAIRS);
	return 0;
}
