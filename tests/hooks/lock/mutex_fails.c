/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutex_fails.c - how mutexes fail (robust ones: robust.c; attributes: mutexattr.c)
 *
 * ways pthread_mutex_init: ENOTSUP; not EAGAIN ENOMEM EPERM (glibc needs nothing for one)
 * ways pthread_mutex_lock: EAGAIN EDEADLK EINVAL EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_mutex_trylock: EAGAIN EBUSY EINVAL EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_mutex_timedlock: EAGAIN EDEADLK EINVAL ETIMEDOUT EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_mutex_clocklock: EAGAIN EDEADLK EINVAL ETIMEDOUT EOWNERDEAD ENOTRECOVERABLE
 * ways pthread_mutex_unlock: EPERM
 * ways pthread_mutex_destroy: ; not EBUSY (undefined: lock-misuse)
 *
 * case pthread_mutex_init_ENOTSUP: ok 1
 * case pthread_mutex_lock_EAGAIN: ok 1
 * case pthread_mutex_trylock_EAGAIN: ok 1
 * case pthread_mutex_timedlock_EAGAIN: ok 1
 * case pthread_mutex_clocklock_EAGAIN: ok 1
 * case pthread_mutex_lock_EDEADLK: ok 1
 * case pthread_mutex_timedlock_EDEADLK: ok 1
 * case pthread_mutex_clocklock_EDEADLK: ok 1
 * case pthread_mutex_trylock_EBUSY: ok 1
 * case pthread_mutex_trylock_EBUSY_of_another: ok 1
 * case pthread_mutex_timedlock_EINVAL: ok 1
 * case pthread_mutex_clocklock_EINVAL: ok 1
 * case pthread_mutex_clocklock_EINVAL_of_a_clock: ok 1
 * case pthread_mutex_timedlock_ETIMEDOUT --timeouts=9: ok 1
 * case pthread_mutex_timedlock_ETIMEDOUT_of_ones_own: ok 1
 * case pthread_mutex_clocklock_ETIMEDOUT --timeouts=9: ok 1
 * case pthread_mutex_unlock_EPERM: ok 1
 * case pthread_mutex_unlock_EPERM_of_another: ok 1
 * case pthread_mutex_timedlock_does_not_look_at_the_time: ok 1
 * case pthread_mutex_lock_counts: ok 1
 * case pthread_mutex_destroy_and_init: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static void make(pthread_mutex_t *m, int type)
{
	pthread_mutexattr_t attr;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, type));
	GIVES(0, pthread_mutex_init(m, &attr));
	GIVES(0, pthread_mutexattr_destroy(&attr));
}

static void unmake(pthread_mutex_t *m)
{
	GIVES(0, pthread_mutex_unlock(m));
	GIVES(0, pthread_mutex_destroy(m));
}

static void *init_robust_with_a_ceiling(void *arg)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	GIVES(0, pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
	GIVES(ENOTSUP, pthread_mutex_init(&m, &attr));
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutex_init_ENOTSUP(void)
{
	BOTH(init_robust_with_a_ceiling);
}

/* ---- Too often --------------------------------------------------------------------------- */

/* Four thousand million locks take too long: the count is where glibc and heddle have it. */
static void make_full(pthread_mutex_t *m)
{
	make(m, PTHREAD_MUTEX_RECURSIVE);
	GIVES(0, pthread_mutex_lock(m));
	assert(m->__data.__count == 1);
	m->__data.__count = UINT_MAX;
}

static void unmake_full(pthread_mutex_t *m)
{
	assert(m->__data.__count == UINT_MAX);
	GIVES(0, pthread_mutex_unlock(m));
	GIVES(0, pthread_mutex_lock(m));
	m->__data.__count = 1;
	unmake(m);
}

static void *lock_a_full_one(void *arg)
{
	pthread_mutex_t m;

	make_full(&m);
	GIVES(EAGAIN, pthread_mutex_lock(&m));
	unmake_full(&m);
	return arg;
}

static void pthread_mutex_lock_EAGAIN(void)
{
	BOTH(lock_a_full_one);
}

static void *trylock_a_full_one(void *arg)
{
	pthread_mutex_t m;

	make_full(&m);
	GIVES(EAGAIN, pthread_mutex_trylock(&m));
	unmake_full(&m);
	return arg;
}

static void pthread_mutex_trylock_EAGAIN(void)
{
	BOTH(trylock_a_full_one);
}

static void *timedlock_a_full_one(void *arg)
{
	pthread_mutex_t m;

	make_full(&m);
	GIVES(EAGAIN, pthread_mutex_timedlock(&m, &past));
	GIVES(EAGAIN, pthread_mutex_timedlock(&m, &never));
	unmake_full(&m);
	return arg;
}

static void pthread_mutex_timedlock_EAGAIN(void)
{
	BOTH(timedlock_a_full_one);
}

static void *clocklock_a_full_one(void *arg)
{
	pthread_mutex_t m;

	make_full(&m);
	GIVES(EAGAIN, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	unmake_full(&m);
	return arg;
}

static void pthread_mutex_clocklock_EAGAIN(void)
{
	BOTH(clocklock_a_full_one);
}

/* ---- What one holds ---------------------------------------------------------------------- */

static void *lock_again(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EDEADLK, pthread_mutex_lock(&m));
	GIVES(EDEADLK, pthread_mutex_lock(&m));
	unmake(&m); /* still once only */
	return arg;
}

static void pthread_mutex_lock_EDEADLK(void)
{
	BOTH(lock_again);
}

static void *timedlock_again(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK);
	GIVES(0, pthread_mutex_timedlock(&m, &never));
	GIVES(EDEADLK, pthread_mutex_timedlock(&m, &past));
	GIVES(EDEADLK, pthread_mutex_timedlock(&m, &never));
	GIVES(EDEADLK, pthread_mutex_timedlock(&m, &too_large));
	unmake(&m);
	return arg;
}

static void pthread_mutex_timedlock_EDEADLK(void)
{
	BOTH(timedlock_again);
}

static void *clocklock_again(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_ERRORCHECK);
	GIVES(0, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &never));
	GIVES(EDEADLK, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	GIVES(EDEADLK, pthread_mutex_clocklock(&m, CLOCK_REALTIME, &never));
	unmake(&m);
	return arg;
}

static void pthread_mutex_clocklock_EDEADLK(void)
{
	BOTH(clocklock_again);
}

static void *trylock_again(void *arg)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_ADAPTIVE_NP };
	pthread_mutex_t m;

	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		make(&m, types[i]);
		GIVES(0, pthread_mutex_trylock(&m));
		GIVES(EBUSY, pthread_mutex_trylock(&m));
		unmake(&m);
	}
	return arg;
}

static void pthread_mutex_trylock_EBUSY(void)
{
	BOTH(trylock_again);
}

static void *timedlock_ones_own(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_NORMAL);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(ETIMEDOUT, pthread_mutex_timedlock(&m, &past));
	GIVES(ETIMEDOUT, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &before));
	unmake(&m);
	return arg;
}

static void pthread_mutex_timedlock_ETIMEDOUT_of_ones_own(void)
{
	BOTH(timedlock_ones_own);
}

/* ---- What another holds ------------------------------------------------------------------ */

static pthread_mutex_t held[4];

/* Calls fn in a thread, while the caller holds a mutex of each type. */
static void while_held(void *(*fn)(void *))
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_RECURSIVE };

	for (int i = 0; i < 4; i++) {
		make(&held[i], types[i]);
		GIVES(0, pthread_mutex_lock(&held[i]));
	}
	THREADS(1, fn);
	for (int i = 0; i < 4; i++)
		unmake(&held[i]);
}

static void *trylock_held(void *arg)
{
	for (int i = 0; i < 4; i++)
		GIVES(EBUSY, pthread_mutex_trylock(&held[i]));
	return arg;
}

static void pthread_mutex_trylock_EBUSY_of_another(void)
{
	while_held(trylock_held);
}

static void *timedlock_held_wrongly(void *arg)
{
	for (int i = 0; i < 4; i++) {
		GIVES(EINVAL, pthread_mutex_timedlock(&held[i], &too_large));
		GIVES(EINVAL, pthread_mutex_timedlock(&held[i], &negative));
	}
	return arg;
}

static void pthread_mutex_timedlock_EINVAL(void)
{
	while_held(timedlock_held_wrongly);
}

static void *clocklock_held_wrongly(void *arg)
{
	for (int i = 0; i < 4; i++) {
		GIVES(EINVAL, pthread_mutex_clocklock(&held[i], CLOCK_MONOTONIC, &too_large));
		GIVES(EINVAL, pthread_mutex_clocklock(&held[i], CLOCK_REALTIME, &negative));
	}
	return arg;
}

static void pthread_mutex_clocklock_EINVAL(void)
{
	while_held(clocklock_held_wrongly);
}

static void *clocklock_by_no_clock(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_NORMAL);
	GIVES(EINVAL, pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &past));
	GIVES(EINVAL, pthread_mutex_clocklock(&m, 77, &never));
	GIVES(0, pthread_mutex_trylock(&m));
	unmake(&m);
	return arg;
}

static void pthread_mutex_clocklock_EINVAL_of_a_clock(void)
{
	BOTH(clocklock_by_no_clock);
}

static void *timedlock_held(void *arg)
{
	for (int i = 0; i < 4; i++) {
		GIVES(ETIMEDOUT, pthread_mutex_timedlock(&held[i], &past));
		GIVES(ETIMEDOUT, pthread_mutex_timedlock(&held[i], &before));
	}
	return arg;
}

static void pthread_mutex_timedlock_ETIMEDOUT(void)
{
	while_held(timedlock_held);
}

static void *clocklock_held(void *arg)
{
	for (int i = 0; i < 4; i++) {
		GIVES(ETIMEDOUT, pthread_mutex_clocklock(&held[i], CLOCK_REALTIME, &past));
		GIVES(ETIMEDOUT, pthread_mutex_clocklock(&held[i], CLOCK_MONOTONIC, &before));
	}
	return arg;
}

static void pthread_mutex_clocklock_ETIMEDOUT(void)
{
	while_held(clocklock_held);
}

/* ---- Unlocking --------------------------------------------------------------------------- */

static void *unlock_what_is_not_locked(void *arg)
{
	static const int types[] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };
	pthread_mutex_t m;

	for (int i = 0; i < 2; i++) {
		make(&m, types[i]);
		GIVES(EPERM, pthread_mutex_unlock(&m));
		GIVES(0, pthread_mutex_lock(&m));
		GIVES(0, pthread_mutex_unlock(&m));
		GIVES(EPERM, pthread_mutex_unlock(&m));
		GIVES(0, pthread_mutex_destroy(&m));
	}
	return arg;
}

static void pthread_mutex_unlock_EPERM(void)
{
	BOTH(unlock_what_is_not_locked);
}

static void *unlock_held(void *arg)
{
	GIVES(EPERM, pthread_mutex_unlock(&held[1]));
	GIVES(EPERM, pthread_mutex_unlock(&held[3]));
	return arg;
}

static void pthread_mutex_unlock_EPERM_of_another(void)
{
	while_held(unlock_held);
}

/* ---- And what does not fail -------------------------------------------------------------- */

/* POSIX: the time need not be valid if the mutex can be had at once; glibc does not look. */
static void *timedlock_what_is_free(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_NORMAL);
	GIVES(0, pthread_mutex_timedlock(&m, &past));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_timedlock(&m, &too_large));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &negative));
	unmake(&m);
	return arg;
}

static void pthread_mutex_timedlock_does_not_look_at_the_time(void)
{
	BOTH(timedlock_what_is_free);
}

static void *lock_four_times(void *arg)
{
	pthread_mutex_t m;

	make(&m, PTHREAD_MUTEX_RECURSIVE);
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_trylock(&m));
	GIVES(0, pthread_mutex_timedlock(&m, &past));
	GIVES(0, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	for (int i = 0; i < 4; i++)
		GIVES(0, pthread_mutex_unlock(&m));
	GIVES(EPERM, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_lock_counts(void)
{
	BOTH(lock_four_times);
}

static void *destroy_and_init(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 3; i++) {
		GIVES(0, pthread_mutex_lock(&m));
		unmake(&m);
		GIVES(0, pthread_mutex_init(&m, NULL));
	}
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_destroy_and_init(void)
{
	BOTH(destroy_and_init);
}

CASES(CASE(pthread_mutex_init_ENOTSUP), CASE(pthread_mutex_lock_EAGAIN),
      CASE(pthread_mutex_trylock_EAGAIN), CASE(pthread_mutex_timedlock_EAGAIN),
      CASE(pthread_mutex_clocklock_EAGAIN), CASE(pthread_mutex_lock_EDEADLK),
      CASE(pthread_mutex_timedlock_EDEADLK), CASE(pthread_mutex_clocklock_EDEADLK),
      CASE(pthread_mutex_trylock_EBUSY), CASE(pthread_mutex_trylock_EBUSY_of_another),
      CASE(pthread_mutex_timedlock_EINVAL), CASE(pthread_mutex_clocklock_EINVAL),
      CASE(pthread_mutex_clocklock_EINVAL_of_a_clock), CASE(pthread_mutex_timedlock_ETIMEDOUT),
      CASE(pthread_mutex_timedlock_ETIMEDOUT_of_ones_own), CASE(pthread_mutex_clocklock_ETIMEDOUT),
      CASE(pthread_mutex_unlock_EPERM), CASE(pthread_mutex_unlock_EPERM_of_another),
      CASE(pthread_mutex_timedlock_does_not_look_at_the_time), CASE(pthread_mutex_lock_counts),
      CASE(pthread_mutex_destroy_and_init))
