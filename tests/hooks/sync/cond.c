/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cond.c - pthread_cond_*
 *
 * case a_signal_wakes_a_waiter: ok 2
 * case a_lost_signal: bug deadlock
 * case a_signal_wakes_one_of_two: bug deadlock
 * case a_broadcast_wakes_all: ok 10
 * case wait_gives_up_the_mutex_and_has_it_again: ok 2
 * case wait_gives_up_one_level_of_a_recursive_mutex: bug deadlock
 * case wait_without_the_mutex: bug lock-misuse
 * case two_wait_with_two_mutexes: bug lock-misuse at pthread_cond_wait(&c, mutex)
 * case two_wait_with_two_mutexes_one_after_the_other: ok 4
 * case destroy_while_a_thread_waits: bug lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case a_timed_wait_is_woken_or_times_out: ok 4
 * case who_times_out_is_not_woken_later: bug deadlock
 * case a_timed_wait_has_the_mutex_again: ok 14
 * case a_timed_wait_gives_up_the_mutex: ok 4
 * case a_loop_of_timed_waits_ends: ok 8
 * case a_loop_of_ticks_ends: ok 8
 * case a_loop_that_gives_up_after_three: bug assertion
 * case time_has_passed_after_a_time_out: ok 1
 * case the_clock_of_an_attribute: ok 1
 * case a_wake_up_is_not_spurious: ok 2
 * case a_wake_up_may_be_spurious --spurious-wakeups: bug assertion
 * case a_loop_minds_no_spurious_wake_up --spurious-wakeups: ok 4
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;

static void *wait_ready(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	while (!ready)
		assert(pthread_cond_wait(&c, &m) == 0); /* bug: destroy_while_a_thread_waits */
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
	pthread_cond_wait(&c, &m); /* bug: use_after_destroy */
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_lost_signal(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_once, NULL);
	pthread_cond_signal(&c);
	pthread_join(t, NULL); /* bug: a_lost_signal */
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
		assert(pthread_join(t[i], NULL) == 0); /* bug: a_signal_wakes_one_of_two */
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
/* Who could signal does not get the mutex. */
static void wait_gives_up_one_level_of_a_recursive_mutex(void)
{
	pthread_t t;

	set_type(PTHREAD_MUTEX_RECURSIVE);
	assert(pthread_create(&t, NULL, wait_deep, NULL) == 0);
	pthread_mutex_lock(&m); /* bug: wait_gives_up_one_level_of_a_recursive_mutex */
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_unlocked(void *arg)
{
	pthread_cond_wait(&c, &m); /* bug: wait_without_the_mutex */
	return arg;
}

static void wait_without_the_mutex(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_unlocked, NULL);
	pthread_join(t, NULL);
}

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void wait_with(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	while (!ready)
		pthread_cond_wait(&c, mutex);
	pthread_mutex_unlock(mutex);
}

static void *wait_with_m(void *arg)
{
	wait_with(&m);
	return arg;
}

static void *wait_with_other(void *arg)
{
	wait_with(&other);
	return arg;
}

static void set_ready_for_both(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&other);
	ready = 1;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c);
}

static void two_wait_with_two_mutexes(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait_with_m, NULL);
	pthread_create(&b, NULL, wait_with_other, NULL);
	set_ready_for_both();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void one_round(void *(*waits)(void *))
{
	pthread_t t;

	ready = 0;
	pthread_create(&t, NULL, waits, NULL);
	set_ready_for_both();
	pthread_join(t, NULL);
}

static void two_wait_with_two_mutexes_one_after_the_other(void)
{
	one_round(wait_with_m);
	one_round(wait_with_other);
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

static const struct timespec past = { 0, 0 };
static int timeouts;

static int wait_a_while(void)
{
	int error = pthread_cond_timedwait(&c, &m, &past);

	assert(error == 0 || error == ETIMEDOUT);
	return error;
}

/* Both outcomes are possible when the waiter comes before the signal. */
static void *wait_timed(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	if (!ready && wait_a_while() == 0)
		assert(ready);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void set_ready(void)
{
	pthread_mutex_lock(&m);
	ready = 1;
	assert(pthread_cond_signal(&c) == 0);
	pthread_mutex_unlock(&m);
}

static void a_timed_wait_is_woken_or_times_out(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_timed, NULL) == 0);
	set_ready();
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_twice(void *arg)
{
	pthread_mutex_lock(&m);
	if (wait_a_while() == ETIMEDOUT)
		pthread_cond_wait(&c, &m); /* the one signal may have come before */
	pthread_mutex_unlock(&m);
	return arg;
}

static void who_times_out_is_not_woken_later(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_twice, NULL);
	set_ready();
	pthread_join(t, NULL); /* bug: who_times_out_is_not_woken_later */
}

static void *wait_and_hold(void *arg)
{
	pthread_mutex_lock(&m);
	wait_a_while();
	assert(woken++ == 0);
	woken--;
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_timed_wait_has_the_mutex_again(void)
{
	THREADS(2, wait_and_hold);
}

static void *look_while_waiting(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	while (ready)
		if (wait_a_while() == ETIMEDOUT)
			break;
	ready = 0;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *take_it_back(void *arg)
{
	pthread_mutex_lock(&m);
	if (ready) { /* only when the other gave up the mutex in its wait */
		ready = 0;
		pthread_cond_signal(&c);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_timed_wait_gives_up_the_mutex(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, look_while_waiting, NULL) == 0);
	assert(pthread_create(&t[1], NULL, take_it_back, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *wait_in_rounds(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		wait_a_while();
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_loop_of_timed_waits_ends(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_in_rounds, NULL) == 0);
	set_ready();
	assert(pthread_join(t, NULL) == 0);
}

static struct timespec in_a_while(clockid_t clock)
{
	struct timespec until;

	assert(clock_gettime(clock, &until) == 0);
	until.tv_nsec += 5000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

static void *tick(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready) {
		struct timespec until = in_a_while(CLOCK_REALTIME);

		if (pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT)
			timeouts++;
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_loop_of_ticks_ends(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, tick, NULL) == 0);
	set_ready();
	assert(pthread_join(t, NULL) == 0);
}

static void *give_up(void *arg)
{
	pthread_mutex_lock(&m);
	for (int i = 0; i < 3 && !ready; i++)
		wait_a_while();
	assert(ready); /* bug: a_loop_that_gives_up_after_three */
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_loop_that_gives_up_after_three(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, give_up, NULL) == 0);
	set_ready();
	assert(pthread_join(t, NULL) == 0);
}

static bool earlier(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void *wait_on(clockid_t clock, int by_attribute)
{
	struct timespec until = in_a_while(clock), now;

	pthread_mutex_lock(&m);
	assert((by_attribute ? pthread_cond_timedwait(&c, &m, &until)
			     : pthread_cond_clockwait(&c, &m, clock, &until)) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	assert(clock_gettime(clock, &now) == 0);
	assert(!earlier(now, until));
	return NULL;
}

static void *wait_on_both(void *arg)
{
	wait_on(CLOCK_REALTIME, 0);
	wait_on(CLOCK_MONOTONIC, 0);
	wait_on(CLOCK_REALTIME, 1);
	return arg;
}

static void time_has_passed_after_a_time_out(void)
{
	wait_on_both(NULL);
	THREADS(1, wait_on_both);
}

static void *wait_by_attribute(void *arg)
{
	wait_on(CLOCK_MONOTONIC, 1);
	return arg;
}

static void the_clock_of_an_attribute(void)
{
	pthread_condattr_t attr;

	assert(pthread_condattr_init(&attr) == 0);
	assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	assert(pthread_cond_init(&c, &attr) == 0);
	assert(pthread_condattr_destroy(&attr) == 0);
	THREADS(1, wait_by_attribute);
}

static void *wait_without_a_loop(void *arg)
{
	pthread_mutex_lock(&m);
	if (!ready)
		pthread_cond_wait(&c, &m);
	assert(ready); /* bug: a_wake_up_may_be_spurious */
	pthread_mutex_unlock(&m);
	return arg;
}

/* As long as --spurious-wakeups is not given: see tests/cli/timeouts.test. */
static void a_wake_up_is_not_spurious(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_without_a_loop, NULL) == 0);
	set_ready();
	assert(pthread_join(t, NULL) == 0);
}

static void a_wake_up_may_be_spurious(void)
{
	a_wake_up_is_not_spurious();
}

static void a_loop_minds_no_spurious_wake_up(void)
{
	a_signal_wakes_a_waiter();
}

CASES(CASE(a_signal_wakes_a_waiter), CASE(a_lost_signal), CASE(a_signal_wakes_one_of_two),
      CASE(a_broadcast_wakes_all), CASE(wait_gives_up_the_mutex_and_has_it_again),
      CASE(wait_gives_up_one_level_of_a_recursive_mutex), CASE(wait_without_the_mutex),
      CASE(two_wait_with_two_mutexes), CASE(two_wait_with_two_mutexes_one_after_the_other),
      CASE(destroy_while_a_thread_waits), CASE(use_after_destroy),
      CASE(a_timed_wait_is_woken_or_times_out), CASE(who_times_out_is_not_woken_later),
      CASE(a_timed_wait_has_the_mutex_again), CASE(a_timed_wait_gives_up_the_mutex),
      CASE(a_loop_of_timed_waits_ends), CASE(a_loop_of_ticks_ends),
      CASE(a_loop_that_gives_up_after_three), CASE(time_has_passed_after_a_time_out),
      CASE(the_clock_of_an_attribute), CASE(a_wake_up_is_not_spurious),
      CASE(a_wake_up_may_be_spurious), CASE(a_loop_minds_no_spurious_wake_up))
