/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * race.c - a data race, which only instrumentation can show; FIXED: none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void *receive(void *arg)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		;
	assert(message == 42);
	return arg;
}

int main(void)
{
#ifdef FIXED
	const memory_order order = memory_order_release;
#else
	const memory_order order = memory_order_relaxed;
#endif
	pthread_t thread;

	if (pthread_create(&thread, NULL, receive, NULL))
		return 1;
	message = 42;
	atomic_store_explicit(&ready, 1, order);
	return pthread_join(thread, NULL);
}
