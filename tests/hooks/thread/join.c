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
 * case of_a_detached_thread: ok 1
 * case a_join_orders_what_the_thread_did: ok 2
 * case a_try_that_fails_orders_nothing: bug data-race at data = 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "cases.h"

static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past = { 0, 0 };

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

static void of_a_detached_thread(void)
{
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_detach(t) == 0);
	assert(pthread_tryjoin_np(t, NULL) == EBUSY);
	assert(pthread_timedjoin_np(t, NULL, &past) == EINVAL);
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

CASES(CASE(a_try_finds_it_busy_or_ended), CASE(a_loop_of_tries_ends),
      CASE(a_timed_join_joins_or_times_out), CASE(timed_joins_of_what_runs_on_time_out),
      CASE(without_a_time_it_waits), CASE(after_a_time_out_it_can_be_joined),
      CASE(joined_by_a_try_it_is_gone), CASE(of_a_detached_thread),
      CASE(a_join_orders_what_the_thread_did), CASE(a_try_that_fails_orders_nothing))
