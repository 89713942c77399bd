/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cond.c - pthread_cond_*
 *
 * case a_signal_wakes_a_waiter: ok *
 * case a_lost_signal: bug deadlock
 * case a_signal_wakes_one_of_two: bug deadlock
 * case a_broadcast_wakes_all: ok *
 * case wait_gives_up_the_mutex_and_has_it_again: ok *
 * case wait_gives_up_every_level_of_a_recursive_mutex: ok *
 * case wait_without_the_mutex: bug lock-misuse
 * case errorcheck_mutex_tells_who_does_not_hold_it: ok *
 * case destroy_while_a_thread_waits: bug lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case timedwait: refused pthread_cond_timedwait
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;

static void *wait_ready(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	while (!ready)
		assert(pthread_cond_wait(&c, &m) == 0);
	woken++;
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void a_signal_wakes_a_waiter(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_ready, NULL) == 0);
	pthread_mutex_lock(&m);
	ready = 1;
	assert(pthread_cond_signal(&c) == 0);
	pthread_mutex_unlock(&m);
	assert(pthread_join(t, NULL) == 0);
	assert(woken == 1);
}

static void *wait_once(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_lost_signal(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_once, NULL);
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
}

static void two_waiters(int (*wake)(pthread_cond_t *))
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, wait_ready, NULL) == 0);
	pthread_mutex_lock(&m);
	ready = 1;
	assert(wake(&c) == 0);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(woken == 2);
}

static void a_signal_wakes_one_of_two(void)
{
	two_waiters(pthread_cond_signal);
}

static void a_broadcast_wakes_all(void)
{
	two_waiters(pthread_cond_broadcast);
}

static void *wait_and_check(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	pthread_mutex_unlock(&m);
	return arg;
}

static void wait_gives_up_the_mutex_and_has_it_again(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_and_check, NULL) == 0);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_deep(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	while (!ready)
		assert(pthread_cond_wait(&c, &m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return arg;
}

static void set_type(int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	assert(pthread_mutex_init(&m, &attr) == 0);
}

/* glibc gives up one level only and would wait for ever: POSIX leaves it open. */
static void wait_gives_up_every_level_of_a_recursive_mutex(void)
{
	pthread_t t;

	set_type(PTHREAD_MUTEX_RECURSIVE);
	ready = 1;
	assert(pthread_create(&t, NULL, wait_deep, NULL) == 0);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_unlocked(void *arg)
{
	pthread_cond_wait(&c, &m);
	return arg;
}

static void wait_without_the_mutex(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_unlocked, NULL);
	pthread_join(t, NULL);
}

static void *wait_checked(void *arg)
{
	assert(pthread_cond_wait(&c, &m) == EPERM);
	return arg;
}

static void errorcheck_mutex_tells_who_does_not_hold_it(void)
{
	pthread_t t;

	set_type(PTHREAD_MUTEX_ERRORCHECK);
	assert(pthread_create(&t, NULL, wait_checked, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void destroy_while_a_thread_waits(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_ready, NULL);
	pthread_mutex_lock(&m);
	pthread_cond_destroy(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

static void use_after_destroy(void)
{
	pthread_t t;

	pthread_cond_destroy(&c);
	pthread_create(&t, NULL, wait_once, NULL);
	pthread_join(t, NULL);
}

static void *wait_timed(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&m);
	pthread_cond_timedwait(&c, &m, &until);
	pthread_mutex_unlock(&m);
	return arg;
}

static void timedwait(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_timed, NULL);
	pthread_join(t, NULL);
}

CASES(CASE(a_signal_wakes_a_waiter), CASE(a_lost_signal), CASE(a_signal_wakes_one_of_two),
      CASE(a_broadcast_wakes_all), CASE(wait_gives_up_the_mutex_and_has_it_again),
      CASE(wait_gives_up_every_level_of_a_recursive_mutex), CASE(wait_without_the_mutex),
      CASE(errorcheck_mutex_tells_who_does_not_hold_it), CASE(destroy_while_a_thread_waits),
      CASE(use_after_destroy), CASE(timedwait))
