/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sem.c - sem_*
 *
 * case post_wakes_wait: ok 1
 * case a_semaphore_is_a_lock: ok 2
 * case wait_at_zero_for_ever: bug deadlock at THREADS(1, enter)
 * case trywait_at_zero_is_again: ok 2
 * case the_count_before_the_first_thread_counts: ok 6
 * case getvalue_of_an_idle_semaphore: ok 2
 * case init_again_with_another_count: ok 4
 * case post_orders_what_came_before: ok 1
 * case a_timed_wait_gets_it_or_times_out: ok 2
 * case a_timed_wait_above_zero_does_not_time_out: ok 1
 * case a_loop_of_timed_waits_ends: ok 4
 * case timed_waits_want_valid_times: ok 1
 * case time_has_passed_after_a_time_out: ok 1
 * case init_races_with_wait: bug data-race
 * case destruction_races_with_post: bug data-race|lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case destroyed_twice: bug lock-misuse
 *
 * ways sem_init: EINVAL; not ENOSPC EPERM (glibc needs nothing for one)
 * ways sem_destroy: ; not EBUSY EINVAL (undefined: lock-misuse)
 * ways sem_wait: EINTR; not EDEADLK (glibc waits: deadlock)
 * ways sem_trywait: EAGAIN; not EINTR (it never waits)
 * ways sem_timedwait: EINVAL ETIMEDOUT EINTR
 * ways sem_clockwait: EINVAL ETIMEDOUT EINTR
 * ways sem_post: EOVERFLOW
 * never fails: sem_getvalue
 *
 * case sem_init_EINVAL: ok 1
 * case sem_trywait_EAGAIN: ok 1
 * case sem_timedwait_EINVAL: ok 1
 * case sem_clockwait_EINVAL: ok 1
 * case sem_timedwait_ETIMEDOUT --timeouts=9: ok 1
 * case sem_clockwait_ETIMEDOUT --timeouts=9: ok 1
 * case sem_post_EOVERFLOW: ok 1
 * case sem_wait_takes_one: ok 1
 * case sem_post_keeps_errno: ok 1
 * case sem_destroy_and_init: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static sem_t s;
static int data;

static void *post(void *arg)
{
	data = 1;
	assert(sem_post(&s) == 0); /* bug: destruction_races_with_post */
	return arg;
}

static void post_wakes_wait(void)
{
	pthread_t t;

	assert(sem_init(&s, 0, 0) == 0);
	assert(pthread_create(&t, NULL, post, NULL) == 0);
	assert(sem_wait(&s) == 0);
	assert(data == 1);
	assert(pthread_join(t, NULL) == 0);
	assert(sem_destroy(&s) == 0);
}

static void *enter(void *arg)
{
	assert(sem_wait(&s) == 0);
	assert(data++ == 0);
	data--;
	assert(sem_post(&s) == 0);
	return arg;
}

static void a_semaphore_is_a_lock(void)
{
	sem_init(&s, 0, 1);
	THREADS(2, enter);
}

static void wait_at_zero_for_ever(void)
{
	sem_init(&s, 0, 1);
	assert(sem_wait(&s) == 0);
	THREADS(1, enter);
}

static void *try(void *arg)
{
	if (sem_trywait(&s))
		assert(errno == EAGAIN);
	return arg;
}

static void trywait_at_zero_is_again(void)
{
	sem_init(&s, 0, 1);
	THREADS(2, try);
	errno = 0;
	assert(sem_trywait(&s) == -1);
	assert(errno == EAGAIN);
}

static void *take(void *arg)
{
	assert(sem_wait(&s) == 0);
	return arg;
}

static void the_count_before_the_first_thread_counts(void)
{
	sem_init(&s, 0, 0);
	for (int i = 0; i < 3; i++)
		assert(sem_post(&s) == 0);
	THREADS(3, take);
	assert(sem_trywait(&s) == -1);
}

static void getvalue_of_an_idle_semaphore(void)
{
	int value = -1;

	sem_init(&s, 0, 3);
	assert(sem_getvalue(&s, &value) == 0);
	assert(value == 3);
	THREADS(2, take);
	assert(sem_getvalue(&s, &value) == 0);
	assert(value == 1);
}

static void init_again_with_another_count(void)
{
	for (unsigned count = 2; count < 4; count++) {
		sem_init(&s, 0, count);
		THREADS(2, take);
		sem_destroy(&s);
	}
	sem_init(&s, 0, 0);
	assert(sem_trywait(&s) == -1);
}

static void *see(void *arg)
{
	assert(sem_wait(&s) == 0);
	assert(data == 1);
	return arg;
}

static void post_orders_what_came_before(void)
{
	pthread_t t[2];

	sem_init(&s, 0, 0);
	assert(pthread_create(&t[0], NULL, see, NULL) == 0);
	assert(pthread_create(&t[1], NULL, post, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

static void *wait_in_time(void *arg)
{
	if (sem_timedwait(&s, &past) == 0)
		assert(data == 1);
	else
		assert(errno == ETIMEDOUT);
	return arg;
}

static void a_timed_wait_gets_it_or_times_out(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	assert(pthread_create(&t, NULL, wait_in_time, NULL) == 0);
	post(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void *take_two(void *arg)
{
	assert(sem_timedwait(&s, &past) == 0);
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &past) == 0);
	return arg;
}

static void a_timed_wait_above_zero_does_not_time_out(void)
{
	sem_init(&s, 0, 4);
	take_two(NULL);
	THREADS(1, take_two);
}

static void *wait_in_rounds(void *arg)
{
	struct timespec until;

	do {
		assert(clock_gettime(CLOCK_REALTIME, &until) == 0);
		until.tv_sec++;
	} while (sem_timedwait(&s, &until) != 0);
	assert(data == 1);
	return arg;
}

static void a_loop_of_timed_waits_ends(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	assert(pthread_create(&t, NULL, wait_in_rounds, NULL) == 0);
	post(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_wrongly(void *arg)
{
	errno = 0;
	assert(sem_timedwait(&s, &too_large) == -1 && errno == EINVAL);
	errno = 0;
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &too_large) == -1 && errno == EINVAL);
	errno = 0;
	assert(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past) == -1 && errno == EINVAL);
	return arg;
}

static void timed_waits_want_valid_times(void)
{
	sem_init(&s, 0, 1);
	wait_wrongly(NULL);
	THREADS(1, wait_wrongly);
	assert(sem_trywait(&s) == 0);
}

static void *wait_a_little(void *arg)
{
	struct timespec until, now;

	assert(clock_gettime(CLOCK_REALTIME, &until) == 0);
	until.tv_nsec += 5000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert(sem_timedwait(&s, &until) == -1 && errno == ETIMEDOUT);
	assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
	assert(now.tv_sec > until.tv_sec ||
	       (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	return arg;
}

static void time_has_passed_after_a_time_out(void)
{
	sem_init(&s, 0, 0);
	wait_a_little(NULL);
	THREADS(1, wait_a_little);
}

static void *init_here(void *arg)
{
	sem_init(&s, 0, 1); /* bug: init_races_with_wait */
	return arg;
}

static void init_races_with_wait(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, init_here, NULL) == 0);
	sem_trywait(&s);
	assert(pthread_join(t, NULL) == 0);
}

static void destruction_races_with_post(void)
{
	pthread_t t;

	assert(sem_init(&s, 0, 1) == 0);
	assert(pthread_create(&t, NULL, post, NULL) == 0);
	assert(sem_wait(&s) == 0); /* need not have come from there */
	assert(sem_destroy(&s) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void use_after_destroy(void)
{
	assert(sem_init(&s, 0, 1) == 0);
	assert(sem_destroy(&s) == 0);
	sem_trywait(&s); /* bug: use_after_destroy */
}

static void destroyed_twice(void)
{
	assert(sem_init(&s, 0, 1) == 0);
	assert(sem_destroy(&s) == 0);
	sem_destroy(&s); /* bug: destroyed_twice */
}

/* --- how they fail ---------------------------------------------------------------------------- */

static void has(sem_t *s, int count)
{
	int value = -77;

	assert(sem_getvalue(s, &value) == 0);
	assert(value == count);
}

static void *too_large_a_count(void *arg)
{
	sem_t s;

	FAILS(EINVAL, sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1));
	FAILS(EINVAL, sem_init(&s, 0, UINT_MAX));
	assert(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
	has(&s, SEM_VALUE_MAX);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_init_EINVAL(void)
{
	BOTH(too_large_a_count);
}

static void *try_at_zero(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, 1) == 0);
	assert(sem_trywait(&s) == 0);
	FAILS(EAGAIN, sem_trywait(&s));
	FAILS(EAGAIN, sem_trywait(&s));
	has(&s, 0);
	assert(sem_post(&s) == 0);
	assert(sem_trywait(&s) == 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_trywait_EAGAIN(void)
{
	BOTH(try_at_zero);
}

static void *wait_for_no_time(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, 0) == 0);
	FAILS(EINVAL, sem_timedwait(&s, &too_large));
	FAILS(EINVAL, sem_timedwait(&s, &negative));
	has(&s, 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_timedwait_EINVAL(void)
{
	BOTH(wait_for_no_time);
}

static void *clock_wait_for_no_time(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, 0) == 0);
	FAILS(EINVAL, sem_clockwait(&s, CLOCK_MONOTONIC, &too_large));
	FAILS(EINVAL, sem_clockwait(&s, CLOCK_REALTIME, &negative));
	FAILS(EINVAL, sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
	FAILS(EINVAL, sem_clockwait(&s, 77, &never));
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_clockwait_EINVAL(void)
{
	BOTH(clock_wait_for_no_time);
}

static void *wait_until_the_past(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, 0) == 0);
	FAILS(ETIMEDOUT, sem_timedwait(&s, &past));
	FAILS(ETIMEDOUT, sem_timedwait(&s, &before));
	assert(sem_post(&s) == 0);
	assert(sem_timedwait(&s, &past) == 0); /* there is nothing to wait for */
	has(&s, 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_timedwait_ETIMEDOUT(void)
{
	BOTH(wait_until_the_past);
}

static void *clock_wait_until_the_past(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, 0) == 0);
	FAILS(ETIMEDOUT, sem_clockwait(&s, CLOCK_MONOTONIC, &past));
	FAILS(ETIMEDOUT, sem_clockwait(&s, CLOCK_REALTIME, &before));
	assert(sem_post(&s) == 0);
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &past) == 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_clockwait_ETIMEDOUT(void)
{
	BOTH(clock_wait_until_the_past);
}

static void *post_too_often(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 0, SEM_VALUE_MAX - 1) == 0);
	assert(sem_post(&s) == 0);
	FAILS(EOVERFLOW, sem_post(&s));
	FAILS(EOVERFLOW, sem_post(&s));
	has(&s, SEM_VALUE_MAX);
	assert(sem_wait(&s) == 0);
	assert(sem_post(&s) == 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_post_EOVERFLOW(void)
{
	BOTH(post_too_often);
}

static void *wait_three_times(void *arg)
{
	sem_t s;

	assert(sem_init(&s, 1, 3) == 0);
	assert(sem_wait(&s) == 0);
	has(&s, 2);
	assert(sem_timedwait(&s, &never) == 0);
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &never) == 0);
	has(&s, 0);
	assert(sem_destroy(&s) == 0);
	return arg;
}

static void sem_wait_takes_one(void)
{
	BOTH(wait_three_times);
}

static void *post_with_an_error(void *arg)
{
	sem_t s;

	errno = ENOTTY;
	assert(sem_init(&s, 0, 0) == 0);
	assert(sem_post(&s) == 0);
	assert(sem_wait(&s) == 0);
	has(&s, 0);
	assert(sem_destroy(&s) == 0);
	assert(errno == ENOTTY);
	return arg;
}

static void sem_post_keeps_errno(void)
{
	BOTH(post_with_an_error);
}

static void *destroy_and_init(void *arg)
{
	sem_t s;

	for (unsigned i = 0; i < 3; i++) {
		assert(sem_init(&s, 0, i) == 0);
		has(&s, (int)i);
		assert(sem_post(&s) == 0);
		has(&s, (int)i + 1);
		assert(sem_destroy(&s) == 0);
	}
	return arg;
}

static void sem_destroy_and_init(void)
{
	BOTH(destroy_and_init);
}

CASES(CASE(post_wakes_wait), CASE(a_semaphore_is_a_lock), CASE(wait_at_zero_for_ever),
      CASE(trywait_at_zero_is_again), CASE(the_count_before_the_first_thread_counts),
      CASE(getvalue_of_an_idle_semaphore), CASE(init_again_with_another_count),
      CASE(post_orders_what_came_before), CASE(a_timed_wait_gets_it_or_times_out),
      CASE(a_timed_wait_above_zero_does_not_time_out), CASE(a_loop_of_timed_waits_ends),
      CASE(timed_waits_want_valid_times), CASE(time_has_passed_after_a_time_out),
      CASE(init_races_with_wait), CASE(destruction_races_with_post), CASE(use_after_destroy),
      CASE(destroyed_twice), CASE(sem_init_EINVAL), CASE(sem_trywait_EAGAIN),
      CASE(sem_timedwait_EINVAL), CASE(sem_clockwait_EINVAL), CASE(sem_timedwait_ETIMEDOUT),
      CASE(sem_clockwait_ETIMEDOUT), CASE(sem_post_EOVERFLOW), CASE(sem_wait_takes_one),
      CASE(sem_post_keeps_errno), CASE(sem_destroy_and_init))
