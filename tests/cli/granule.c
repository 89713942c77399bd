/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * granule.c - one thread writes two variables that are side by side, another reads one of them
 *
 * Nothing orders that: a data race, with the write of the one that is read, FIRST or not.
 */
#include <pthread.h>
#include <stdatomic.h>

static struct {
	int a, b;
} pair;
static atomic_int ready;

static void *reader(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed)) {
#ifdef FIRST
		return pair.a == 7 ? arg : NULL;
#else
		return pair.b == 7 ? arg : NULL;
#endif
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, reader, NULL);
	pair.a++;
	pair.b++;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return pthread_join(thread, NULL);
}
