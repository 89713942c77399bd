/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), what calls of the library read and write for the program passes between threads as other values do
 *
 * case copies_a_structure -e rf: ok 2
 * case copies_at_once --plain=explore -e rf: ok 2
 * case copies_at_once --plain=explore -e mo: ok 2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static int seen;

/* Two threads, in sections of one mutex: which comes first is told by what the second finds, and by nothing else. */
static void both(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];

	assert(sem_init(&sem, 0, 0) == 0);
	assert(pthread_create(&t[0], NULL, a, NULL) == 0);
	assert(pthread_create(&t[1], NULL, b, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

/* ---- What gcc announces before it reads what it is to write ---------------------------------------- */

struct number {
	int value;
};

static struct number one = { 1 }, copy;

static void *copies(void *arg)
{
	const struct number *volatile from = &one;

	pthread_mutex_lock(&mutex);
	copy = *from;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks_at_copy(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = copy.value;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void copies_a_structure(void)
{
	both(copies, looks_at_copy);
	assert(copy.value == 1);
}

static void *copies_without_lock(void *arg)
{
	const struct number *volatile from = &one;

	copy = *from;
	return arg;
}

static void *looks_without_lock(void *arg)
{
	seen = copy.value;
	return arg;
}

static void copies_at_once(void)
{
	both(copies_without_lock, looks_without_lock);
	assert(copy.value == 1);
}

CASES(CASE(copies_a_structure), CASE(copies_at_once))
