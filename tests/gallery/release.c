/* SPDX-License-Identifier: BSD-2-Clause */
/* release.c - a message is passed on by a flag */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void *receiver(void *argument)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		;
	assert(message == 42);
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receiver, NULL);
	message = 42;
	atomic_store_explicit(&ready, 1, memory_order_relaxed); /* not release */
	pthread_join(thread, NULL);
	return 0;
}
