/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why.c - bugs of which the report says why
 *
 * why WHAT
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int data, first, second;
static atomic_int x, y, flag, lock;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
static sem_t wake;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void spin(void)
{
	while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) /* spins */
		;
	data++;
	atomic_store_explicit(&lock, 0, memory_order_relaxed); /* lets go */
}

static void both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one); /* takes one */
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void *a(void *arg)
{
	if (is("release") || is("neither")) {
		data = 1;
		atomic_store_explicit(&flag, 1, memory_order_relaxed); /* not released */
	} else if (is("acquire") || is("chain")) {
		data = 1;
		atomic_store_explicit(&flag, 1, memory_order_release); /* released */
	} else if (is("fence")) {
		data = 1;
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&flag, 1, memory_order_relaxed); /* behind a fence */
	} else if (is("early")) {
		atomic_store_explicit(&flag, 1, memory_order_relaxed);
		data = 1;
	} else if (is("nothing")) {
		data = 1;
	} else if (is("locks")) {
		pthread_mutex_lock(&k);
		pthread_mutex_unlock(&k);
		pthread_mutex_lock(&m); /* m */
		data = 1;
		pthread_mutex_unlock(&m);
	} else if (is("spins")) {
		spin();
	} else if (is("buffering")) {
		atomic_store_explicit(&x, 1, memory_order_relaxed); /* stores x */
		first = atomic_load_explicit(&y, memory_order_relaxed);
	} else if (is("lost")) {
		atomic_store(&x, atomic_load(&x) + 1);
	} else if (is("deadlock")) {
		both(&m, &k);
	} else if (is("asleep")) {
		atomic_store_explicit(&y, 1, memory_order_relaxed); /* sleeps */
		for (int i = 0; i < 2; i++)
			if (atomic_load_explicit(&x, memory_order_relaxed)) /* looks for work */
				return arg;
		sem_wait(&wake); /* waits */
	}
	return arg;
}

static void *b(void *arg)
{
	if (is("release") || is("early")) {
		if (atomic_load_explicit(&flag, memory_order_acquire)) /* acquires */
			assert(data);
	} else if (is("acquire") || is("neither") || is("fence")) {
		if (atomic_load_explicit(&flag, memory_order_relaxed)) /* relaxed */
			assert(data);
	} else if (is("chain")) {
		if (atomic_load_explicit(&flag, memory_order_acquire))
			atomic_store_explicit(&y, 1, memory_order_relaxed); /* goes on */
	} else if (is("nothing")) {
		data = 2;
	} else if (is("locks")) {
		pthread_mutex_lock(&k); /* k */
		data = 2;
		pthread_mutex_unlock(&k);
	} else if (is("spins")) {
		spin();
	} else if (is("buffering")) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
		second = atomic_load_explicit(&x, memory_order_relaxed); /* loads x */
	} else if (is("lost")) {
		atomic_store(&x, atomic_load(&x) + 1);
	} else if (is("deadlock")) {
		both(&k, &m);
	} else if (is("asleep")) {
		atomic_store_explicit(&x, 1, memory_order_relaxed); /* has work */
		for (int i = 0; i < 2; i++)
			if (atomic_load_explicit(&y, memory_order_relaxed)) /* looks for sleepers */
				sem_post(&wake);
	}
	return arg;
}

static void *c(void *arg)
{
	if (is("chain") && atomic_load_explicit(&y, memory_order_acquire)) /* ends */
		assert(data);
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const routine[])(void *) = { a, b, c };
	pthread_t thread[3];

	what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, routine[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (is("buffering"))
		assert(first || second);
	if (is("lost"))
		assert(atomic_load(&x) == 2);
	return 0;
}
