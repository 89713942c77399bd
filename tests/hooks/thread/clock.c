/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.c - pthread_getcpuclockid: a thread's clock is there until the thread has ended
 *
 * case it_is_there_or_gone: ok 2
 * case a_loop_until_it_is_gone_ends: ok 2
 * case of_a_thread_that_waits_it_is_there: ok 1
 * case gone_it_stays_gone: ok 2
 * case that_it_is_gone_orders_nothing: bug data-race at data = 2
 * case of_oneself_it_is_ones_own: ok 1
 * case it_is_the_same_as_before_there_were_threads: ok 1
 * case each_thread_has_another: ok 1
 *
 * ways pthread_getcpuclockid: ESRCH; not ENOENT (Linux has such clocks)
 *
 * case pthread_getcpuclockid_ESRCH: ok 2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "hooks/fails.h"

static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static clockid_t before, clock_id;

static void *work(void *arg)
{
	data = 1;
	return arg;
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	return t;
}

static void it_is_there_or_gone(void)
{
	pthread_t t = start(work);
	int error = pthread_getcpuclockid(t, &clock_id);

	assert(error == 0 || error == ESRCH);
	assert(pthread_join(t, NULL) == 0);
}

static void a_loop_until_it_is_gone_ends(void)
{
	pthread_t t = start(work);

	while (pthread_getcpuclockid(t, &clock_id) == 0)
		sched_yield();
	assert(pthread_join(t, NULL) == 0);
}

static void *lock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void of_a_thread_that_waits_it_is_there(void)
{
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_getcpuclockid(t, &clock_id) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void gone_it_stays_gone(void)
{
	pthread_t t = start(work);

	if (pthread_getcpuclockid(t, &clock_id) == ESRCH)
		assert(pthread_getcpuclockid(t, &clock_id) == ESRCH);
	else
		assert(pthread_join(t, NULL) == 0);
}

static void that_it_is_gone_orders_nothing(void)
{
	pthread_t t = start(work);

	if (pthread_getcpuclockid(t, &clock_id) == ESRCH)
		data = 2;
	assert(pthread_join(t, NULL) == 0);
}

static struct timespec now(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	return t;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

static void *uses_it(void *arg)
{
	struct timespec a, b, c;

	assert(pthread_getcpuclockid(pthread_self(), &clock_id) == 0);
	a = now(CLOCK_THREAD_CPUTIME_ID);
	b = now(clock_id);
	c = now(CLOCK_THREAD_CPUTIME_ID);
	assert(is_later(b, a) && is_later(c, b));
	assert(c.tv_sec < 1);
	return arg;
}

static void of_oneself_it_is_ones_own(void)
{
	static const struct timespec while_asleep = { .tv_sec = 5 };

	assert(nanosleep(&while_asleep, NULL) == 0);
	assert(pthread_join(start(uses_it), NULL) == 0);
}

static void it_is_the_same_as_before_there_were_threads(void)
{
	pthread_t t;

	assert(pthread_getcpuclockid(pthread_self(), &before) == 0);
	t = start(work);
	assert(pthread_getcpuclockid(pthread_self(), &clock_id) == 0);
	assert(clock_id == before);
	assert(pthread_join(t, NULL) == 0);
}

static void each_thread_has_another(void)
{
	pthread_t t;

	assert(pthread_getcpuclockid(pthread_self(), &before) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock);
	assert(pthread_getcpuclockid(t, &clock_id) == 0);
	assert(clock_id != before);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void pthread_getcpuclockid_ESRCH(void)
{
	pthread_t t = start(work);

	while (pthread_getcpuclockid(t, &clock_id) == 0)
		sched_yield();
	GIVES(ESRCH, pthread_getcpuclockid(t, &clock_id));
	assert(pthread_join(t, NULL) == 0);
}

CASES(CASE(it_is_there_or_gone), CASE(a_loop_until_it_is_gone_ends),
      CASE(of_a_thread_that_waits_it_is_there), CASE(gone_it_stays_gone),
      CASE(that_it_is_gone_orders_nothing), CASE(of_oneself_it_is_ones_own),
      CASE(it_is_the_same_as_before_there_were_threads), CASE(each_thread_has_another),
      CASE(pthread_getcpuclockid_ESRCH))
