/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tries.c - a thread tries to get a lock that another one may have kept for ever
 *
 *	tries alone|holding|after|flag|back
 *
 * alone: it does nothing else. holding: it takes another one each time, and frees it. after: it has looked at what changed
 * since. flag: it gives up when it is told that the other one is gone. back: the
 * other one gives the lock back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool gone;
static bool minds, back, holding, after;

static void *try(void *arg)
{
	if (after)
		atomic_load_explicit(&gone, memory_order_relaxed);
	if (holding)
		pthread_mutex_lock(&other);
	while (pthread_mutex_trylock(&lock)) {
		if (holding) {
			pthread_mutex_unlock(&other);
			pthread_mutex_lock(&other);
		}
		if (minds && atomic_load_explicit(&gone, memory_order_relaxed))
			return arg;
	}
	pthread_mutex_unlock(&lock);
	if (holding)
		pthread_mutex_unlock(&other);
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
	holding = argc > 1 && !strcmp(argv[1], "holding");
	after = argc > 1 && !strcmp(argv[1], "after");
	pthread_create(&t[0], NULL, try, NULL);
	pthread_create(&t[1], NULL, keep, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}
