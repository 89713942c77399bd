/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed.c - a loop that waits, around a call of a library that may not be instrumented
 *
 * CALL counts the rounds where only the library sees it; TRY: the loop tries a lock. With LIBRARY
 * it is that library.
 */
#ifdef LIBRARY
int library_count(void);
int library_triple(int x);

int library_count(void)
{
	static int n;

	return ++n;
}

int library_triple(int x)
{
	return 3 * x;
}
#else
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

int library_count(void);
int library_triple(int x);

static atomic_int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char from[64], to[64];

static void *sets(void *arg)
{
	pthread_mutex_lock(&mutex);
#ifdef COPY
	memcpy(to, from, sizeof(to));
#endif
	pthread_mutex_unlock(&mutex);
	atomic_store(&flag, 1);
	return arg;
}

/* Has the time come? */
static int looks(void)
{
#ifdef TRY
	if (pthread_mutex_trylock(&mutex))
		return 0;
	pthread_mutex_unlock(&mutex);
	return 1;
#else
	return atomic_load(&flag);
#endif
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sets, NULL))
		return 1;
#ifdef COPY
	memcpy(to, from, sizeof(to));
#endif
	while (!looks())
#ifdef COUNT
		assert(library_count() < 3);
#else
		assert(library_triple(0) < 3);
#endif
	return pthread_join(thread, NULL);
}
#endif
