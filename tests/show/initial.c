/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A location written plainly and then used atomically: what a read of its initial value
 * returns belongs to the execution that wrote it, not to the one before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int given, ready, count;
static int seen = -1, start = -1;

static void *initialise(void *unused)
{
	start = atomic_load_explicit(&given, memory_order_relaxed);
	*(int *)&count = start;
	atomic_store_explicit(&ready, 1, memory_order_release);
	atomic_fetch_add_explicit(&count, 10, memory_order_relaxed);
	return unused;
}

static void *look(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_acquire))
		seen = atomic_load_explicit(&count, memory_order_relaxed);
	return unused;
}

static void *give(void *unused)
{
	atomic_store_explicit(&given, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	void *(*const job[])(void *) = { initialise, look, give };
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, job[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	assert(seen == -1 || seen == start || seen == start + 10);
	return 0;
}
