/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancel_fails.c - how cancellation fails
 *
 * ways pthread_cancel: ; not ESRCH (undefined: the thread is gone)
 * ways pthread_setcancelstate: EINVAL
 * ways pthread_setcanceltype: EINVAL
 * never fails: pthread_testcancel
 *
 * also ulimit -s unlimited: the kernel maps libraries elsewhere then
 *
 * case pthread_setcancelstate_EINVAL: ok 1
 * case pthread_setcanceltype_EINVAL: ok 1
 * case pthread_setcancelstate_gives_the_old_one: ok 1
 * case pthread_cancel_of_one_that_waits: ok 1
 * case pthread_cancel_of_one_that_has_ended: ok 1
 * case pthread_cancel_twice: ok 2
 * case pthread_testcancel_ends_the_thread: ok 1
 * case pthread_testcancel_while_disabled: ok 1
 * case pthread_setcanceltype_acts_at_once: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

#include "hooks/fails.h"

static void *set_no_state(void *arg)
{
	int old = 77;

	GIVES(EINVAL, pthread_setcancelstate(-1, &old));
	GIVES(EINVAL, pthread_setcancelstate(2, &old));
	assert(old == 77);
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	assert(old == PTHREAD_CANCEL_ENABLE);
	return arg;
}

static void pthread_setcancelstate_EINVAL(void)
{
	BOTH(set_no_state);
}

static void *set_no_type(void *arg)
{
	int old = 77;

	GIVES(EINVAL, pthread_setcanceltype(-1, &old));
	GIVES(EINVAL, pthread_setcanceltype(2, &old));
	assert(old == 77);
	GIVES(0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	assert(old == PTHREAD_CANCEL_DEFERRED);
	return arg;
}

static void pthread_setcanceltype_EINVAL(void)
{
	BOTH(set_no_type);
}

static void *set_and_get(void *arg)
{
	int old;

	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	assert(old == PTHREAD_CANCEL_ENABLE);
	GIVES(0, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	assert(old == PTHREAD_CANCEL_DEFERRED);
	GIVES(0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	assert(old == PTHREAD_CANCEL_ASYNCHRONOUS);
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	assert(old == PTHREAD_CANCEL_DISABLE);
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL)); /* as glibc allows it */
	GIVES(0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL));
	return arg;
}

static void pthread_setcancelstate_gives_the_old_one(void)
{
	BOTH(set_and_get);
}

/* ---- Requests ---------------------------------------------------------------------------- */

static sem_t posted, never_posted;

static void init_semaphores(void)
{
	assert(sem_init(&posted, 0, 0) == 0);
	assert(sem_init(&never_posted, 0, 0) == 0);
}

static void *wait_for_ever(void *arg)
{
	sem_wait(&never_posted);
	assert(!"it goes on");
	return arg;
}

static void ends_cancelled(pthread_t t)
{
	void *value;

	GIVES(0, pthread_join(t, &value));
	assert(value == PTHREAD_CANCELED);
}

static void pthread_cancel_of_one_that_waits(void)
{
	pthread_t t;

	init_semaphores();
	GIVES(0, pthread_create(&t, NULL, wait_for_ever, NULL));
	GIVES(0, pthread_cancel(t));
	ends_cancelled(t);
}

static void *post(void *arg)
{
	assert(sem_post(&posted) == 0);
	return arg;
}

/* Or just about to: until it is joined its id is good. */
static void pthread_cancel_of_one_that_has_ended(void)
{
	void *value;
	pthread_t t;

	init_semaphores();
	GIVES(0, pthread_create(&t, NULL, post, &posted));
	assert(sem_wait(&posted) == 0);
	GIVES(0, pthread_cancel(t));
	GIVES(0, pthread_join(t, &value));
	assert(value == &posted);
}

static void pthread_cancel_twice(void)
{
	pthread_t t;

	init_semaphores();
	GIVES(0, pthread_create(&t, NULL, wait_for_ever, NULL));
	GIVES(0, pthread_cancel(t));
	GIVES(0, pthread_cancel(t));
	ends_cancelled(t);
}

static int steps;

static void count(void *arg)
{
	assert(++steps == (int)(long)arg);
}

static void *cancel_oneself(void *arg)
{
	GIVES(0, pthread_cancel(pthread_self()));
	assert(steps == 0);
	pthread_cleanup_push(count, (void *)2);
	pthread_cleanup_push(count, (void *)1);
	pthread_testcancel();
	assert(!"it goes on");
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

static void pthread_testcancel_ends_the_thread(void)
{
	pthread_t t;

	pthread_testcancel(); /* nothing */
	GIVES(0, pthread_create(&t, NULL, cancel_oneself, NULL));
	ends_cancelled(t);
	assert(steps == 2);
}

/* A request waits until it is welcome. */
static void *cancel_oneself_later(void *arg)
{
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	GIVES(0, pthread_cancel(pthread_self()));
	pthread_testcancel();
	assert(sem_post(&posted) == 0);
	assert(sem_wait(&posted) == 0);
	steps++;
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	pthread_testcancel();
	assert(!"it goes on");
	return arg;
}

static void pthread_testcancel_while_disabled(void)
{
	pthread_t t;

	init_semaphores();
	GIVES(0, pthread_create(&t, NULL, cancel_oneself_later, NULL));
	ends_cancelled(t);
	assert(steps == 1);
}

static void *cancel_oneself_at_once(void *arg)
{
	GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	GIVES(0, pthread_cancel(pthread_self()));
	GIVES(0, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	steps++;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	assert(!"it goes on");
	return arg;
}

static void pthread_setcanceltype_acts_at_once(void)
{
	pthread_t t;

	GIVES(0, pthread_create(&t, NULL, cancel_oneself_at_once, NULL));
	GIVES(0, pthread_join(t, NULL)); /* glibc forgets to say that it was cancelled */
	assert(steps == 1);
}

CASES(CASE(pthread_setcancelstate_EINVAL), CASE(pthread_setcanceltype_EINVAL),
      CASE(pthread_setcancelstate_gives_the_old_one), CASE(pthread_cancel_of_one_that_waits),
      CASE(pthread_cancel_of_one_that_has_ended), CASE(pthread_cancel_twice),
      CASE(pthread_testcancel_ends_the_thread), CASE(pthread_testcancel_while_disabled),
      CASE(pthread_setcanceltype_acts_at_once))
