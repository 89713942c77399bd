/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guarded.c - a location that is written atomically, and read by plain loads under the lock that all hold
 *
 * Each plain read is compared with the events of the location. That must not take time that grows with how many of them
 * there are, since nearly all happened before.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
	ROUNDS = 50000
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long guarded;

static void *count(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		__atomic_store_n(&guarded, guarded + 1, __ATOMIC_RELAXED);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return guarded != 2 * ROUNDS;
}
