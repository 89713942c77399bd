/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_fails.c - how joins that do not wait, or not for ever, fail
 *
 * ways pthread_tryjoin_np: EBUSY; not EDEADLK EINVAL (glibc: EBUSY as long as it runs) ESRCH
 *	(undefined)
 * ways pthread_timedjoin_np: EDEADLK EINVAL ETIMEDOUT
 * ways pthread_clockjoin_np: EDEADLK EINVAL ETIMEDOUT
 *
 * EINVAL is what the manual says of invalid times, too; glibc waits for ever then, and spins.
 *
 * case pthread_tryjoin_np_EBUSY: ok 1
 * case pthread_tryjoin_np_EBUSY_of_oneself: ok 1
 * case pthread_timedjoin_np_EDEADLK: ok 1
 * case pthread_clockjoin_np_EDEADLK: ok 1
 * case pthread_timedjoin_np_EINVAL_of_detached: ok 1
 * case pthread_clockjoin_np_EINVAL: ok 1
 * case pthread_clockjoin_np_EINVAL_of_detached: ok 1
 * case pthread_timedjoin_np_ETIMEDOUT: ok 1
 * case pthread_clockjoin_np_ETIMEDOUT: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static sem_t go;

static void *wait_to_go(void *arg)
{
	assert(sem_wait(&go) == 0);
	return arg;
}

/* A thread that does not end before end(). */
static pthread_t begin(void)
{
	pthread_t t;

	assert(sem_init(&go, 0, 0) == 0);
	GIVES(0, pthread_create(&t, NULL, wait_to_go, &go));
	return t;
}

/* Whatever was tried, it can be joined as if nothing had been. */
static void end(pthread_t t)
{
	void *value;

	assert(sem_post(&go) == 0);
	GIVES(0, pthread_join(t, &value));
	assert(value == &go);
}

static void pthread_tryjoin_np_EBUSY(void)
{
	pthread_t t = begin();
	void *value = &t;

	GIVES(EBUSY, pthread_tryjoin_np(t, &value));
	GIVES(EBUSY, pthread_tryjoin_np(t, NULL));
	assert(value == &t);
	end(t);
}

static void *try_oneself(void *arg)
{
	GIVES(EBUSY, pthread_tryjoin_np(pthread_self(), NULL));
	return arg;
}

static void pthread_tryjoin_np_EBUSY_of_oneself(void)
{
	BOTH(try_oneself);
}

static void *join_oneself(void *arg)
{
	GIVES(EDEADLK, pthread_timedjoin_np(pthread_self(), NULL, &past));
	GIVES(EDEADLK, pthread_timedjoin_np(pthread_self(), NULL, &never));
	GIVES(EDEADLK, pthread_timedjoin_np(pthread_self(), NULL, &too_large));
	GIVES(EDEADLK, pthread_timedjoin_np(pthread_self(), NULL, NULL));
	return arg;
}

static void pthread_timedjoin_np_EDEADLK(void)
{
	BOTH(join_oneself);
}

static void *join_oneself_by_a_clock(void *arg)
{
	GIVES(EDEADLK, pthread_clockjoin_np(pthread_self(), NULL, CLOCK_MONOTONIC, &past));
	GIVES(EDEADLK, pthread_clockjoin_np(pthread_self(), NULL, CLOCK_REALTIME, &never));
	return arg;
}

static void pthread_clockjoin_np_EDEADLK(void)
{
	BOTH(join_oneself_by_a_clock);
}

static void pthread_clockjoin_np_EINVAL(void)
{
	pthread_t t = begin();

	GIVES(EINVAL, pthread_clockjoin_np(t, NULL, CLOCK_PROCESS_CPUTIME_ID, &past));
	GIVES(EINVAL, pthread_clockjoin_np(t, NULL, 77, &never));
	end(t);
}

/* One that nobody can join. */
static pthread_t begin_detached(void)
{
	pthread_t t = begin();

	GIVES(0, pthread_detach(t));
	return t;
}

static void pthread_timedjoin_np_EINVAL_of_detached(void)
{
	pthread_t t = begin_detached();

	GIVES(EINVAL, pthread_timedjoin_np(t, NULL, &past));
	GIVES(EINVAL, pthread_timedjoin_np(t, NULL, &never));
	GIVES(EINVAL, pthread_timedjoin_np(t, NULL, NULL));
	assert(sem_post(&go) == 0);
}

static void pthread_clockjoin_np_EINVAL_of_detached(void)
{
	pthread_t t = begin_detached();

	GIVES(EINVAL, pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past));
	assert(sem_post(&go) == 0);
}

static void pthread_timedjoin_np_ETIMEDOUT(void)
{
	pthread_t t = begin();
	void *value = &t;

	GIVES(ETIMEDOUT, pthread_timedjoin_np(t, &value, &past));
	GIVES(ETIMEDOUT, pthread_timedjoin_np(t, &value, &before));
	assert(value == &t);
	end(t);
}

static void pthread_clockjoin_np_ETIMEDOUT(void)
{
	pthread_t t = begin();

	GIVES(ETIMEDOUT, pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past));
	GIVES(ETIMEDOUT, pthread_clockjoin_np(t, NULL, CLOCK_REALTIME, &before));
	end(t);
}

CASES(CASE(pthread_tryjoin_np_EBUSY), CASE(pthread_tryjoin_np_EBUSY_of_oneself),
      CASE(pthread_timedjoin_np_EDEADLK), CASE(pthread_clockjoin_np_EDEADLK),
      CASE(pthread_timedjoin_np_EINVAL_of_detached), CASE(pthread_clockjoin_np_EINVAL),
      CASE(pthread_clockjoin_np_EINVAL_of_detached), CASE(pthread_timedjoin_np_ETIMEDOUT),
      CASE(pthread_clockjoin_np_ETIMEDOUT))
