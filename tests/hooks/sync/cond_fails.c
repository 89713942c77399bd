/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cond_fails.c - how condition variables fail
 *
 * ways pthread_cond_wait: EPERM EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_cond_timedwait: EINVAL EPERM ETIMEDOUT EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_cond_clockwait: EINVAL EPERM ETIMEDOUT EOWNERDEAD ENOTRECOVERABLE
 * never fails: pthread_cond_init pthread_cond_destroy pthread_cond_signal
 *	pthread_cond_broadcast
 *
 * case pthread_cond_wait_EPERM: ok 1
 * case pthread_cond_timedwait_EPERM: ok 1
 * case pthread_cond_clockwait_EPERM: ok 1
 * case pthread_cond_timedwait_EPERM_of_another: ok 1
 * case pthread_cond_timedwait_EINVAL: ok 1
 * case pthread_cond_clockwait_EINVAL: ok 1
 * case pthread_cond_clockwait_EINVAL_of_a_clock: ok 1
 * case pthread_cond_timedwait_ETIMEDOUT: ok 1
 * case pthread_cond_clockwait_ETIMEDOUT: ok 1
 * case pthread_cond_timedwait_ETIMEDOUT_by_another_clock: ok 1
 * case pthread_cond_wait_EOWNERDEAD: ok 1
 * case pthread_cond_timedwait_EOWNERDEAD: ok 7
 * case pthread_cond_clockwait_EOWNERDEAD: ok 7
 * case pthread_cond_wait_ENOTRECOVERABLE: ok 1
 * case pthread_cond_timedwait_ENOTRECOVERABLE: ok 10
 * case pthread_cond_clockwait_ENOTRECOVERABLE: ok 10
 * case pthread_cond_signal_to_nobody: ok 1
 * case pthread_cond_destroy_and_init: ok 1
 * case pthread_cond_wait_unlocks_once: ok 1
 * case pthread_cond_timedwait_keeps_a_level: ok 1
 * case pthread_condattr_setclock_EINVAL: ok 1
 * case pthread_condattr_setpshared_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static void make(pthread_mutex_t *m, int type, int robust)
{
	pthread_mutexattr_t attr;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, type));
	GIVES(0, pthread_mutexattr_setrobust(&attr, robust));
	GIVES(0, pthread_mutex_init(m, &attr));
}

/* ---- With a mutex that is not the caller's ----------------------------------------------- */

typedef int wait_fn(pthread_cond_t *, pthread_mutex_t *);

static int by_timedwait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return pthread_cond_timedwait(c, m, &never);
}

static int by_clockwait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return pthread_cond_clockwait(c, m, CLOCK_MONOTONIC, &never);
}

static void wait_unlocked(wait_fn *wait)
{
	static const int types[] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m;

	for (int i = 0; i < 3; i++) {
		if (i < 2)
			make(&m, types[i], PTHREAD_MUTEX_STALLED);
		else
			make(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
		GIVES(EPERM, wait(&c, &m));
		GIVES(0, pthread_mutex_trylock(&m)); /* it was not taken */
		GIVES(0, pthread_mutex_unlock(&m));
	}
	GIVES(0, pthread_cond_destroy(&c)); /* and nobody waits */
}

static void *plain_wait_unlocked(void *arg)
{
	wait_unlocked(pthread_cond_wait);
	return arg;
}

static void *timed_wait_unlocked(void *arg)
{
	wait_unlocked(by_timedwait);
	return arg;
}

static void *clock_wait_unlocked(void *arg)
{
	wait_unlocked(by_clockwait);
	return arg;
}

static void pthread_cond_wait_EPERM(void)
{
	BOTH(plain_wait_unlocked);
}

static void pthread_cond_timedwait_EPERM(void)
{
	BOTH(timed_wait_unlocked);
}

static void pthread_cond_clockwait_EPERM(void)
{
	BOTH(clock_wait_unlocked);
}

static pthread_mutex_t shared_mutex;
static pthread_cond_t shared_cond = PTHREAD_COND_INITIALIZER;

static void *wait_with_what_main_holds(void *arg)
{
	GIVES(EPERM, pthread_cond_timedwait(&shared_cond, &shared_mutex, &past));
	return arg;
}

static void pthread_cond_timedwait_EPERM_of_another(void)
{
	make(&shared_mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	THREADS(1, wait_with_what_main_holds);
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
}

/* ---- Times ------------------------------------------------------------------------------- */

/* Who has given up the mutex could not lock it again without waiting: it was not. */
static void *wait_for_no_time(void *arg)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EINVAL, pthread_cond_timedwait(&c, &m, &too_large));
	GIVES(EINVAL, pthread_cond_timedwait(&c, &m, &negative));
	GIVES(EDEADLK, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_cond_destroy(&c));
	return arg;
}

static void pthread_cond_timedwait_EINVAL(void)
{
	BOTH(wait_for_no_time);
}

static void *clock_wait_for_no_time(void *arg)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EINVAL, pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &too_large));
	GIVES(EINVAL, pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &negative));
	GIVES(0, pthread_mutex_unlock(&m));
	return arg;
}

static void pthread_cond_clockwait_EINVAL(void)
{
	BOTH(clock_wait_for_no_time);
}

static void *wait_by_no_clock(void *arg)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EINVAL, pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past));
	GIVES(EINVAL, pthread_cond_clockwait(&c, &m, 77, &past));
	GIVES(0, pthread_mutex_unlock(&m));
	return arg;
}

static void pthread_cond_clockwait_EINVAL_of_a_clock(void)
{
	BOTH(wait_by_no_clock);
}

static void *wait_until_the_past(void *arg)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&c, &m, &past));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&c, &m, &before));
	GIVES(0, pthread_mutex_unlock(&m)); /* it is the caller's again */
	GIVES(0, pthread_cond_destroy(&c));
	return arg;
}

static void pthread_cond_timedwait_ETIMEDOUT(void)
{
	BOTH(wait_until_the_past);
}

static void *clock_wait_until_the_past(void *arg)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(ETIMEDOUT, pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
	GIVES(ETIMEDOUT, pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &before));
	GIVES(0, pthread_mutex_unlock(&m));
	return arg;
}

static void pthread_cond_clockwait_ETIMEDOUT(void)
{
	BOTH(clock_wait_until_the_past);
}

/* An hour ago by the clock of the day is years ahead by the other one: who took the wrong one
 * would wait for ever. */
static void *wait_by_the_attribute(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_condattr_t attr;
	pthread_cond_t c;
	struct timespec t;
	clockid_t clock;

	GIVES(0, pthread_condattr_init(&attr));
	GIVES(0, pthread_condattr_getclock(&attr, &clock));
	assert(clock == CLOCK_REALTIME);
	GIVES(0, pthread_cond_init(&c, &attr));
	assert(clock_gettime(clock, &t) == 0);
	t.tv_sec -= 3600;
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&c, &m, &t));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_cond_destroy(&c));
	GIVES(0, pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
	GIVES(0, pthread_cond_init(&c, &attr));
	assert(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&c, &m, &t));
	GIVES(0, pthread_mutex_unlock(&m));
	return arg;
}

static void pthread_cond_timedwait_ETIMEDOUT_by_another_clock(void)
{
	BOTH(wait_by_the_attribute);
}

/* ---- Owners that die while somebody waits ------------------------------------------------ */

static bool signalled;

static void *signal_and_die(void *arg)
{
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	signalled = true;
	GIVES(0, pthread_cond_signal(&shared_cond));
	return arg;
}

/* The other thread has the mutex only when this one waits. */
static void wait_for_the_dying(wait_fn *wait)
{
	pthread_t t;
	int error = 0;

	make(&shared_mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(0, pthread_create(&t, NULL, signal_and_die, NULL));
	while (!signalled) {
		error = wait(&shared_cond, &shared_mutex);
		assert(signalled || error == 0 || error == ETIMEDOUT);
	}
	GIVES(EOWNERDEAD, error);
	GIVES(0, pthread_mutex_consistent(&shared_mutex));
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
	GIVES(0, pthread_join(t, NULL));
}

static void pthread_cond_wait_EOWNERDEAD(void)
{
	wait_for_the_dying(pthread_cond_wait);
}

static void pthread_cond_timedwait_EOWNERDEAD(void)
{
	wait_for_the_dying(by_timedwait);
}

static void pthread_cond_clockwait_EOWNERDEAD(void)
{
	wait_for_the_dying(by_clockwait);
}

static void *die_with_it(void *arg)
{
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	return arg;
}

/* Inherits the mutex and leaves it as it is, unless somebody's time was over in between. */
static void *signal_and_lose(void *arg)
{
	int error;

	THREADS(1, die_with_it);
	error = pthread_mutex_lock(&shared_mutex);
	assert(error == EOWNERDEAD || signalled);
	if (signalled && !error)
		GIVES(0, pthread_mutex_unlock(&shared_mutex));
	if (error != EOWNERDEAD)
		return arg;
	signalled = true;
	GIVES(0, pthread_cond_signal(&shared_cond));
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
	return arg;
}

static void wait_for_the_lost(wait_fn *wait, bool timed)
{
	pthread_t t;
	int error = 0;

	make(&shared_mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(0, pthread_create(&t, NULL, signal_and_lose, NULL));
	while (!error || error == ETIMEDOUT)
		error = wait(&shared_cond, &shared_mutex);
	if (timed && error == EOWNERDEAD) {
		signalled = true;
		GIVES(0, pthread_mutex_consistent(&shared_mutex));
		GIVES(0, pthread_mutex_unlock(&shared_mutex));
	} else {
		GIVES(ENOTRECOVERABLE, error);
		assert(signalled);
		GIVES(EPERM, pthread_mutex_unlock(&shared_mutex));
	}
	GIVES(0, pthread_join(t, NULL));
}

static void pthread_cond_wait_ENOTRECOVERABLE(void)
{
	wait_for_the_lost(pthread_cond_wait, false);
}

static void pthread_cond_timedwait_ENOTRECOVERABLE(void)
{
	wait_for_the_lost(by_timedwait, true);
}

static void pthread_cond_clockwait_ENOTRECOVERABLE(void)
{
	wait_for_the_lost(by_clockwait, true);
}

/* ---- And what does not fail -------------------------------------------------------------- */

static void *tell_nobody(void *arg)
{
	pthread_cond_t c;

	GIVES(0, pthread_cond_init(&c, NULL));
	GIVES(0, pthread_cond_signal(&c));
	GIVES(0, pthread_cond_broadcast(&c));
	GIVES(0, pthread_cond_destroy(&c));
	return arg;
}

static void pthread_cond_signal_to_nobody(void)
{
	BOTH(tell_nobody);
}

static void *destroy_and_init(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	for (int i = 0; i < 3; i++) {
		GIVES(0, pthread_mutex_lock(&m));
		GIVES(ETIMEDOUT, pthread_cond_timedwait(&c, &m, &past));
		GIVES(0, pthread_mutex_unlock(&m));
		GIVES(0, pthread_cond_destroy(&c));
		GIVES(0, pthread_cond_init(&c, NULL));
	}
	return arg;
}

static void pthread_cond_destroy_and_init(void)
{
	BOTH(destroy_and_init);
}

static void *lock_it_not(void *arg)
{
	GIVES(EBUSY, pthread_mutex_trylock(&shared_mutex));
	GIVES(0, pthread_cond_signal(&shared_cond));
	return arg;
}

/* POSIX (pthread_mutexattr_settype): the unlock of a wait may not release a mutex that was locked
 * more than once. */
static void pthread_cond_wait_unlocks_once(void)
{
	make(&shared_mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&shared_cond, &shared_mutex, &past));
	THREADS(1, lock_it_not);
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
	GIVES(EPERM, pthread_mutex_unlock(&shared_mutex));
}

static void *look_while_it_waits(void *arg)
{
	GIVES(EBUSY, pthread_mutex_trylock(&shared_mutex));
	return arg;
}

/* ... nor while it waits. */
static void pthread_cond_timedwait_keeps_a_level(void)
{
	pthread_t t;

	make(&shared_mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(0, pthread_mutex_lock(&shared_mutex));
	GIVES(0, pthread_create(&t, NULL, look_while_it_waits, NULL));
	GIVES(ETIMEDOUT, pthread_cond_timedwait(&shared_cond, &shared_mutex, &past));
	GIVES(0, pthread_join(t, NULL));
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
	GIVES(0, pthread_mutex_unlock(&shared_mutex));
}

/* ---- Attributes -------------------------------------------------------------------------- */

static void *set_no_clock(void *arg)
{
	pthread_condattr_t attr;
	clockid_t clock;

	GIVES(0, pthread_condattr_init(&attr));
	GIVES(EINVAL, pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID));
	GIVES(EINVAL, pthread_condattr_setclock(&attr, CLOCK_THREAD_CPUTIME_ID));
	GIVES(EINVAL, pthread_condattr_setclock(&attr, -1));
	GIVES(0, pthread_condattr_getclock(&attr, &clock));
	assert(clock == CLOCK_REALTIME);
	GIVES(0, pthread_condattr_destroy(&attr));
	return arg;
}

static void pthread_condattr_setclock_EINVAL(void)
{
	BOTH(set_no_clock);
}

static void *share_with_no_sense(void *arg)
{
	pthread_condattr_t attr;
	int pshared;

	GIVES(0, pthread_condattr_init(&attr));
	GIVES(EINVAL, pthread_condattr_setpshared(&attr, 2));
	GIVES(EINVAL, pthread_condattr_setpshared(&attr, -1));
	GIVES(0, pthread_condattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_PRIVATE);
	GIVES(0, pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	GIVES(0, pthread_condattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_SHARED);
	GIVES(0, pthread_condattr_destroy(&attr));
	return arg;
}

static void pthread_condattr_setpshared_EINVAL(void)
{
	BOTH(share_with_no_sense);
}

CASES(CASE(pthread_cond_wait_EPERM), CASE(pthread_cond_timedwait_EPERM),
      CASE(pthread_cond_clockwait_EPERM), CASE(pthread_cond_timedwait_EPERM_of_another),
      CASE(pthread_cond_timedwait_EINVAL), CASE(pthread_cond_clockwait_EINVAL),
      CASE(pthread_cond_clockwait_EINVAL_of_a_clock), CASE(pthread_cond_timedwait_ETIMEDOUT),
      CASE(pthread_cond_clockwait_ETIMEDOUT),
      CASE(pthread_cond_timedwait_ETIMEDOUT_by_another_clock), CASE(pthread_cond_wait_EOWNERDEAD),
      CASE(pthread_cond_timedwait_EOWNERDEAD), CASE(pthread_cond_clockwait_EOWNERDEAD),
      CASE(pthread_cond_wait_ENOTRECOVERABLE), CASE(pthread_cond_timedwait_ENOTRECOVERABLE),
      CASE(pthread_cond_clockwait_ENOTRECOVERABLE), CASE(pthread_cond_signal_to_nobody),
      CASE(pthread_cond_destroy_and_init), CASE(pthread_cond_wait_unlocks_once),
      CASE(pthread_cond_timedwait_keeps_a_level), CASE(pthread_condattr_setclock_EINVAL),
      CASE(pthread_condattr_setpshared_EINVAL))
