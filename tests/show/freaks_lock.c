/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * freaks_lock.c - a lock of ConcurrencyFreaks: nobody else is in the section
 *
 *	heddle-cc -I C11/locks -DLOCK=clh_mutex freaks_lock.c C11/locks/clh_mutex.c
 */
#include <assert.h>
#include <pthread.h>

#define TEXT_OF(name) #name
#define HEADER(name)  TEXT_OF(name.h)
#include HEADER(LOCK)

#ifndef THREADS
#define THREADS 2
#endif
#ifndef SIZE
#define SIZE /* , 4 for those that are told how many may wait */
#endif
#define NAME_OF(lock, what) lock##what
#define OF(lock, what)      NAME_OF(lock, what)

static OF(LOCK, _t) lock;
static int count;

static void *add(void *arg)
{
	OF(LOCK, _lock)(&lock);
	count++;
	OF(LOCK, _unlock)(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	OF(LOCK, _init)(&lock SIZE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(count == THREADS);
	OF(LOCK, _destroy)(&lock);
	return 0;
}
