/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tries.c - a thread tries to get a lock that another one may have kept for ever
 *
 *	tries alone|flag|back
 *
 * alone: it does nothing else. flag: it gives up when it is told that the other one is gone. back: the
 * other one gives the lock back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool gone;
static bool minds, back;

static void *try(void *arg)
{
	while (pthread_mutex_trylock(&lock)) {
		if (minds && atomic_load_explicit(&gone, memory_order_relaxed))
			return arg;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *keep(void *arg)
{
	pthread_mutex_lock(&lock);
	if (back)
		pthread_mutex_unlock(&lock);
	atomic_store_explicit(&gone, true, memory_order_relaxed);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	minds = argc > 1 && !strcmp(argv[1], "flag");
	back = argc > 1 && !strcmp(argv[1], "back");
	pthread_create(&t[0], NULL, try, NULL);
	pthread_create(&t[1], NULL, keep, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}
