/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier_fails.c - how barriers fail
 *
 * ways pthread_barrier_init: EINVAL; not EAGAIN ENOMEM (glibc needs nothing for one)
 * ways pthread_barrier_wait: SERIAL
 * never fails: pthread_barrier_destroy
 *
 * case pthread_barrier_init_EINVAL: ok 1
 * case pthread_barrier_wait_SERIAL: ok 2
 * case pthread_barrier_wait_SERIAL_of_one: ok 1
 * case pthread_barrierattr_setpshared_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"

static pthread_barrier_t barrier;
static int results[2];

static void *init_for_nobody(void *arg)
{
	pthread_barrier_t b;

	GIVES(EINVAL, pthread_barrier_init(&b, NULL, 0));
	return arg;
}

static void pthread_barrier_init_EINVAL(void)
{
	BOTH(init_for_nobody);
}

static void *arrive(void *arg)
{
	results[(long)arg] = pthread_barrier_wait(&barrier);
	return arg;
}

/* One of the threads, whichever, is told SERIAL, the others 0. */
static void pthread_barrier_wait_SERIAL(void)
{
	GIVES(0, pthread_barrier_init(&barrier, NULL, 2));
	THREADS(2, arrive);
	assert(results[0] == PTHREAD_BARRIER_SERIAL_THREAD || results[0] == 0);
	assert(results[0] + results[1] == PTHREAD_BARRIER_SERIAL_THREAD);
	GIVES(0, pthread_barrier_destroy(&barrier));
}

static void *meet_nobody(void *arg)
{
	pthread_barrier_t b;

	GIVES(0, pthread_barrier_init(&b, NULL, 1));
	GIVES(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&b));
	GIVES(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&b));
	GIVES(0, pthread_barrier_destroy(&b));
	return arg;
}

static void pthread_barrier_wait_SERIAL_of_one(void)
{
	BOTH(meet_nobody);
}

static void *set_what_there_is_not(void *arg)
{
	pthread_barrierattr_t attr;

	GIVES(0, pthread_barrierattr_init(&attr));
	GIVES(EINVAL, pthread_barrierattr_setpshared(&attr, 2));
	GIVES(0, pthread_barrierattr_destroy(&attr));
	return arg;
}

static void pthread_barrierattr_setpshared_EINVAL(void)
{
	BOTH(set_what_there_is_not);
}

CASES(CASE(pthread_barrier_init_EINVAL), CASE(pthread_barrier_wait_SERIAL),
      CASE(pthread_barrier_wait_SERIAL_of_one), CASE(pthread_barrierattr_setpshared_EINVAL))
