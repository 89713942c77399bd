/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late.c - a plain write races with an atomic read that says no more than the one before it
 *
 * The writer knows of the first read, and not of the second, which is done by then. An argument: how many more
 * operations the reader does in between.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int place;
static atomic_int first, second, beside;

static void *reads(void *arg)
{
	const int more = *(const int *)arg;

	__atomic_load_n(&place, __ATOMIC_RELAXED);
	atomic_store_explicit(&first, 1, memory_order_release);
	__atomic_load_n(&place, __ATOMIC_RELAXED);
	for (int i = 0; i < more; i++)
		atomic_store_explicit(&beside, i, memory_order_relaxed);
	atomic_store_explicit(&second, 1, memory_order_relaxed);
	return arg;
}

static void *writes(void *arg)
{
	while (!atomic_load_explicit(&first, memory_order_acquire))
		;
	while (!atomic_load_explicit(&second, memory_order_relaxed))
		;
	place = 1;
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const run[])(void *) = { reads, writes };
	int more = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run[i], &more);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
