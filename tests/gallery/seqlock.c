/* SPDX-License-Identifier: BSD-2-Clause */
/* seqlock.c - readers take no lock: they look whether a writer was there meanwhile, and read again */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence; /* odd: a writer is at work */
static atomic_int x, y;     /* always the same */

static void *writer(void *argument)
{
	atomic_store_explicit(&sequence, 1, memory_order_relaxed);
	/* atomic_thread_fence(memory_order_release) is missing */
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, 2, memory_order_release);
	return argument;
}

static void *reader(void *argument)
{
	int before, after, a, b;

	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		a = atomic_load_explicit(&x, memory_order_relaxed);
		b = atomic_load_explicit(&y, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&sequence, memory_order_relaxed);
	} while (before % 2 || before != after);
	assert(a == b);
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
