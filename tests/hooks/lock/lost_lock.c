/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lost_lock.c - a thread ends with a lock, and another one tries to get it, again and again
 *
 * case tried_again: bug await-stuck
 * case tried_after_a_yield: bug await-stuck
 * case given_back: ok 2
 */
#include <pthread.h>
#include <sched.h>

#include "cases.h"

static pthread_mutex_t lost = PTHREAD_MUTEX_INITIALIZER;

static void beside(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, a, NULL) == 0);
	assert(pthread_create(&t[1], NULL, b, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0 && pthread_join(t[1], NULL) == 0);
}

static void *ends_with_it(void *arg)
{
	assert(pthread_mutex_lock(&lost) == 0);
	return arg;
}

static void *tries(void *arg)
{
	while (pthread_mutex_trylock(&lost)) /* bug: tried_again */
		;
	pthread_mutex_unlock(&lost);
	return arg;
}

static void tried_again(void)
{
	beside(ends_with_it, tries);
}

static void *tries_and_yields(void *arg)
{
	while (pthread_mutex_trylock(&lost)) /* bug: tried_after_a_yield */
		sched_yield();
	pthread_mutex_unlock(&lost);
	return arg;
}

static void tried_after_a_yield(void)
{
	beside(ends_with_it, tries_and_yields);
}

static void *gives_it_back(void *arg)
{
	assert(pthread_mutex_lock(&lost) == 0 && pthread_mutex_unlock(&lost) == 0);
	return arg;
}

static void given_back(void)
{
	beside(gives_it_back, tries);
}

CASES(CASE(tried_again), CASE(tried_after_a_yield), CASE(given_back))
