/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sem_fails.c - how semaphores fail
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
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "hooks/fails.h"
#include "hooks/times.h"

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

CASES(CASE(sem_init_EINVAL), CASE(sem_trywait_EAGAIN), CASE(sem_timedwait_EINVAL),
      CASE(sem_clockwait_EINVAL), CASE(sem_timedwait_ETIMEDOUT), CASE(sem_clockwait_ETIMEDOUT),
      CASE(sem_post_EOVERFLOW), CASE(sem_wait_takes_one), CASE(sem_post_keeps_errno),
      CASE(sem_destroy_and_init))
