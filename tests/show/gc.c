/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gc.c - Boehm's collector (libgc), which stops all other threads by signals: a thread makes an object
 * and uses it, while main collects what nobody can reach
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define GC_THREADS
#include <gc.h>

static sem_t made;

static void *use(void *arg)
{
	int *p = GC_MALLOC(sizeof(*p));

	*p = 7;
	sem_post(&made);
	assert(*p == 7);
	return arg;
}

int main(void)
{
	pthread_t t;

	/* Else it gives up when a thread does not stop for some milliseconds. */
	setenv("GC_RETRY_SIGNALS", "0", 1);
	setenv("GC_MARKERS", "1", 1);
	GC_INIT();
	sem_init(&made, 0, 0);
	if (pthread_create(&t, NULL, use, NULL))
		return 2;
	sem_wait(&made);
	GC_gcollect();
	pthread_join(t, NULL);
	return 0;
}
