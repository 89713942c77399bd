/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * giving_way.c - threads that wait for each other, or for a word, while none of them stands still, for giving_way.test; the argument says which
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int pending, seen;
static sem_t woken;
static int times;
static atomic_int stop, work;

/* As std::scoped_lock does: one is taken, the other one tried, and if that fails it is the other way round. */
static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_t *last;

	for (;;) {
		pthread_mutex_lock(first);
		if (!pthread_mutex_trylock(second))
			return;
		pthread_mutex_unlock(first);
		last = first;
		first = second;
		second = last;
	}
}

static void adds(pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (int i = 0; i < 3; i++) {
		lock_both(first, second);
		times++;
		pthread_mutex_unlock(first);
		pthread_mutex_unlock(second);
	}
}

static void *adds_too(void *arg)
{
	adds(&one, &other);
	return arg;
}

/* Asks under a lock whether all was done, and asks for more unless that is asked for already. */
static void *asks(void *arg)
{
	int done;

	do {
		pthread_mutex_lock(&one);
		done = times;
		pthread_mutex_unlock(&one);
		if (done < 3 && !atomic_load(&pending) && !atomic_exchange(&pending, 1))
			sem_post(&woken);
		sched_yield();
	} while (done < 3);
	atomic_load(&seen);
	return arg;
}

static void does(void)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&woken);
		for (int k = 0; k < 3; k++)
			atomic_fetch_add(&seen, 1);
		atomic_store(&pending, 0);
		pthread_mutex_lock(&one);
		times++;
		pthread_mutex_unlock(&one);
	}
}

/* Works, and sees something new each time, until it is told to stop; it does not wait. */
static void *works(void *arg)
{
	do {
		atomic_fetch_add_explicit(&work, 1, memory_order_relaxed);
		atomic_load_explicit(&work, memory_order_relaxed);
	} while (!atomic_load_explicit(&stop, memory_order_relaxed));
	return arg;
}

/* Two threads touch `seen`, one of which waits for the other; a third one waits for that, and does more than look. */
static void *looks_under_lock(void *arg)
{
	do {
		pthread_mutex_lock(&one);
		times++;
		pthread_mutex_unlock(&one);
	} while (!atomic_load(&stop));
	return arg;
}

static void *touches(void *arg)
{
	atomic_fetch_add(&seen, 1);
	atomic_store(&stop, 1);
	return arg;
}

static void joins(void)
{
	pthread_t t;

	pthread_create(&t, NULL, touches, NULL);
	pthread_join(t, NULL);
	for (int i = 0; i < 20; i++)
		atomic_fetch_add(&seen, 1);
}

int main(int argc, char **argv)
{
	const int locks = argc > 1 && !strcmp(argv[1], "locks"),
		  tells = argc > 1 && !strcmp(argv[1], "tells"),
		  for_join = argc > 1 && !strcmp(argv[1], "joins");
	pthread_t t;

	sem_init(&woken, 0, 0);
	pthread_create(&t, NULL,
		       for_join ? looks_under_lock
		       : locks  ? adds_too
		       : tells  ? works
				: asks,
		       NULL);
	if (locks)
		adds(&other, &one);
	else if (tells)
		atomic_store_explicit(&stop, 1, memory_order_relaxed);
	else if (for_join)
		joins();
	else
		does();
	pthread_join(t, NULL);
	return 0;
}
