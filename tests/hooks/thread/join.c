/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.c - pthread_tryjoin_np, pthread_timedjoin_np, pthread_clockjoin_np
 *
 * case a_try_finds_it_busy_or_ended: ok 2
 * case a_loop_of_tries_ends: ok 1
 * case a_timed_join_joins_or_times_out: ok 2
 * case timed_joins_of_what_runs_on_time_out: ok 1
 * case without_a_time_it_waits: ok 1
 * case after_a_time_out_it_can_be_joined: ok 2
 * case joined_by_a_try_it_is_gone: bug thread-misuse
 * case a_try_of_a_detached_thread: bug thread-misuse
 * case a_timed_join_of_a_detached_thread: bug thread-misuse
 * case a_timed_join_of_one_born_detached: bug thread-misuse
 * case a_clock_join_of_a_detached_thread: bug thread-misuse at CLOCK_MONOTONIC, &past);
 * case a_join_without_a_time_of_a_detached_thread: bug thread-misuse
 * case a_try_beside_one_who_detaches: bug thread-misuse
 * case a_try_before_it_is_detached: ok 1
 * case a_join_orders_what_the_thread_did: ok 2
 * case a_try_that_fails_orders_nothing: bug data-race at data = 1
 *
 * ways pthread_tryjoin_np: EBUSY; not EDEADLK EINVAL (glibc: EBUSY as long as it runs) ESRCH
 *	(undefined)
 * ways pthread_timedjoin_np: EDEADLK ETIMEDOUT; not EINVAL (of detached threads undefined, of
 *	invalid times as below)
 * ways pthread_clockjoin_np: EDEADLK EINVAL ETIMEDOUT
 *
 * EINVAL is what the manual says of invalid times, too; glibc waits for ever then, and spins.
 *
 * case pthread_tryjoin_np_EBUSY: ok 1
 * case pthread_tryjoin_np_EBUSY_of_oneself: ok 1
 * case pthread_timedjoin_np_EDEADLK: ok 1
 * case pthread_clockjoin_np_EDEADLK: ok 1
 * case pthread_clockjoin_np_EINVAL: ok 1
 * case pthread_timedjoin_np_ETIMEDOUT: ok 1
 * case pthread_clockjoin_np_ETIMEDOUT: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	data = 1;
	return arg;
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, &data) == 0);
	return t;
}

static void a_try_finds_it_busy_or_ended(void)
{
	pthread_t t = start(work);
	void *value = NULL;
	int error = pthread_tryjoin_np(t, &value);

	assert(error == 0 || error == EBUSY);
	if (error)
		assert(pthread_join(t, &value) == 0);
	assert(value == &data);
}

static void *lock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void a_loop_of_tries_ends(void)
{
	pthread_t t = start(work);

	while (pthread_tryjoin_np(t, NULL) == EBUSY)
		;
	assert(data == 1);
}

static void a_timed_join_joins_or_times_out(void)
{
	pthread_t t = start(work);
	void *value = NULL;
	int error = pthread_timedjoin_np(t, &value, &past);

	assert(error == 0 || error == ETIMEDOUT);
	if (error)
		assert(pthread_join(t, &value) == 0);
	assert(value == &data);
}

static void timed_joins_of_what_runs_on_time_out(void)
{
	struct timespec until, now;
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_timedjoin_np(t, NULL, &past) == ETIMEDOUT);
	assert(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	assert(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_nsec += 5000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
	assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	assert(now.tv_sec > until.tv_sec ||
	       (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void without_a_time_it_waits(void)
{
	assert(pthread_timedjoin_np(start(work), NULL, NULL) == 0);
	assert(data == 1);
}

static void after_a_time_out_it_can_be_joined(void)
{
	pthread_t t = start(work);

	if (pthread_timedjoin_np(t, NULL, &past) == ETIMEDOUT)
		assert(pthread_join(t, NULL) == 0);
	assert(data == 1);
}

static void joined_by_a_try_it_is_gone(void)
{
	pthread_t t = start(work);

	if (pthread_tryjoin_np(t, NULL) == 0)
		pthread_join(t, NULL); /* bug: joined_by_a_try_it_is_gone */
}

static pthread_t begin_detached(bool born)
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_attr_init(&attr) == 0);
	if (born)
		assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, lock, NULL) == 0);
	if (!born)
		assert(pthread_detach(t) == 0);
	return t;
}

static void a_try_of_a_detached_thread(void)
{
	pthread_t t = begin_detached(false);

	pthread_tryjoin_np(t, NULL); /* bug: a_try_of_a_detached_thread */
}

static void a_timed_join_of_a_detached_thread(void)
{
	pthread_t t = begin_detached(false);

	pthread_timedjoin_np(t, NULL, &past); /* bug: a_timed_join_of_a_detached_thread */
}

static void a_timed_join_of_one_born_detached(void)
{
	pthread_t t = begin_detached(true);

	pthread_timedjoin_np(t, NULL, &past); /* bug: a_timed_join_of_one_born_detached */
}

static void a_clock_join_of_a_detached_thread(void)
{
	pthread_t t = begin_detached(false);

	pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past);
}

static void a_join_without_a_time_of_a_detached_thread(void)
{
	pthread_t t = begin_detached(false);

	pthread_timedjoin_np(t, NULL, NULL); /* bug: a_join_without_a_time_of_a_detached_thread */
}

static void *detaches(void *arg)
{
	assert(pthread_detach(*(pthread_t *)arg) == 0);
	return arg;
}

/* It finds it running. That is a bug only behind the other one. */
static void a_try_beside_one_who_detaches(void)
{
	static pthread_t t, other;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_create(&other, NULL, detaches, &t) == 0);
	pthread_tryjoin_np(t, NULL); /* bug: a_try_beside_one_who_detaches */
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(other, NULL) == 0);
}

static void a_try_before_it_is_detached(void)
{
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_tryjoin_np(t, NULL) == EBUSY);
	assert(pthread_timedjoin_np(t, NULL, &past) == ETIMEDOUT);
	assert(pthread_detach(t) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
}

static void a_join_orders_what_the_thread_did(void)
{
	pthread_t t = start(work);

	if (pthread_tryjoin_np(t, NULL) == 0)
		assert(data == 1);
	else
		assert(pthread_join(t, NULL) == 0);
}

static void a_try_that_fails_orders_nothing(void)
{
	pthread_t t = start(work);

	if (pthread_tryjoin_np(t, NULL) == EBUSY) {
		data = 2;
		pthread_join(t, NULL);
	}
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

CASES(CASE(a_try_finds_it_busy_or_ended), CASE(a_loop_of_tries_ends),
      CASE(a_timed_join_joins_or_times_out), CASE(timed_joins_of_what_runs_on_time_out),
      CASE(without_a_time_it_waits), CASE(after_a_time_out_it_can_be_joined),
      CASE(joined_by_a_try_it_is_gone), CASE(a_try_of_a_detached_thread),
      CASE(a_timed_join_of_a_detached_thread), CASE(a_timed_join_of_one_born_detached),
      CASE(a_clock_join_of_a_detached_thread), CASE(a_join_without_a_time_of_a_detached_thread),
      CASE(a_try_beside_one_who_detaches), CASE(a_try_before_it_is_detached),
      CASE(a_join_orders_what_the_thread_did), CASE(a_try_that_fails_orders_nothing),
      CASE(pthread_tryjoin_np_EBUSY), CASE(pthread_tryjoin_np_EBUSY_of_oneself),
      CASE(pthread_timedjoin_np_EDEADLK), CASE(pthread_clockjoin_np_EDEADLK),
      CASE(pthread_clockjoin_np_EINVAL), CASE(pthread_timedjoin_np_ETIMEDOUT),
      CASE(pthread_clockjoin_np_ETIMEDOUT))
