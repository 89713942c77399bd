/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * robust_fails.c - what robust mutexes tell of owners that died
 *
 * ways pthread_mutex_consistent: EINVAL
 *
 * case pthread_mutex_lock_EOWNERDEAD: ok 1
 * case pthread_mutex_trylock_EOWNERDEAD: ok 1
 * case pthread_mutex_timedlock_EOWNERDEAD: ok 1
 * case pthread_mutex_clocklock_EOWNERDEAD: ok 1
 * case pthread_mutex_lock_ENOTRECOVERABLE: ok 1
 * case pthread_mutex_trylock_ENOTRECOVERABLE: ok 1
 * case pthread_mutex_timedlock_ENOTRECOVERABLE: ok 1
 * case pthread_mutex_clocklock_ENOTRECOVERABLE: ok 1
 * case pthread_mutex_unlock_EPERM_of_robust: ok 1
 * case pthread_mutex_consistent_EINVAL: ok 1
 * case pthread_mutex_consistent_EINVAL_of_stalled: ok 1
 * case pthread_mutex_consistent_EINVAL_of_another: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static pthread_mutex_t m;

static void make(int type)
{
	pthread_mutexattr_t attr;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, type));
	GIVES(0, pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	GIVES(0, pthread_mutex_init(&m, &attr));
}

static void *die_with_it(void *arg)
{
	GIVES(0, pthread_mutex_lock(&m));
	return arg;
}

/* lock is told of the owner's death; who makes the mutex consistent is the last to be told. */
static void owner_dies(int (*lock)(void))
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_RECURSIVE };

	for (int i = 0; i < 3; i++) {
		make(types[i]);
		THREADS(1, die_with_it);
		GIVES(EOWNERDEAD, lock());
		GIVES(0, pthread_mutex_consistent(&m));
		GIVES(0, pthread_mutex_unlock(&m));
		GIVES(0, lock());
		GIVES(0, pthread_mutex_unlock(&m));
		GIVES(0, pthread_mutex_destroy(&m));
	}
}

/* Who unlocks it as it is makes it useless, until it is made anew. */
static void nobody_recovers(int (*lock)(void))
{
	make(PTHREAD_MUTEX_ERRORCHECK);
	THREADS(1, die_with_it);
	GIVES(EOWNERDEAD, lock());
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(ENOTRECOVERABLE, pthread_mutex_lock(&m));
	GIVES(ENOTRECOVERABLE, lock());
	GIVES(EPERM, pthread_mutex_unlock(&m));
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	make(PTHREAD_MUTEX_NORMAL);
	GIVES(0, lock());
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
}

static int by_lock(void)
{
	return pthread_mutex_lock(&m);
}

static int by_trylock(void)
{
	return pthread_mutex_trylock(&m);
}

static int by_timedlock(void)
{
	return pthread_mutex_timedlock(&m, &never);
}

static int by_clocklock(void)
{
	return pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past);
}

static void pthread_mutex_lock_EOWNERDEAD(void)
{
	owner_dies(by_lock);
}

static void pthread_mutex_trylock_EOWNERDEAD(void)
{
	owner_dies(by_trylock);
}

static void pthread_mutex_timedlock_EOWNERDEAD(void)
{
	owner_dies(by_timedlock);
}

static void pthread_mutex_clocklock_EOWNERDEAD(void)
{
	owner_dies(by_clocklock);
}

static void pthread_mutex_lock_ENOTRECOVERABLE(void)
{
	nobody_recovers(by_lock);
}

/* glibc's leaves the mutex in such a state that nothing may be done with it afterwards. */
static void pthread_mutex_trylock_ENOTRECOVERABLE(void)
{
	make(PTHREAD_MUTEX_ERRORCHECK);
	THREADS(1, die_with_it);
	GIVES(EOWNERDEAD, pthread_mutex_trylock(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(ENOTRECOVERABLE, pthread_mutex_trylock(&m));
}

static void pthread_mutex_timedlock_ENOTRECOVERABLE(void)
{
	nobody_recovers(by_timedlock);
}

static void pthread_mutex_clocklock_ENOTRECOVERABLE(void)
{
	nobody_recovers(by_clocklock);
}

static void *unlock_it(void *arg)
{
	GIVES(EPERM, pthread_mutex_unlock(&m));
	return arg;
}

/* Whatever its type, a robust mutex is unlocked by its owner only. */
static void pthread_mutex_unlock_EPERM_of_robust(void)
{
	make(PTHREAD_MUTEX_NORMAL);
	GIVES(EPERM, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_lock(&m));
	THREADS(1, unlock_it);
	GIVES(0, pthread_mutex_unlock(&m));
}

static void pthread_mutex_consistent_EINVAL(void)
{
	make(PTHREAD_MUTEX_NORMAL);
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	THREADS(1, die_with_it);
	GIVES(EOWNERDEAD, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_consistent(&m));
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_unlock(&m));
}

static void *make_stalled_consistent(void *arg)
{
	pthread_mutex_t stalled = PTHREAD_MUTEX_INITIALIZER;

	GIVES(EINVAL, pthread_mutex_consistent(&stalled));
	GIVES(0, pthread_mutex_lock(&stalled));
	GIVES(EINVAL, pthread_mutex_consistent(&stalled));
	GIVES(0, pthread_mutex_unlock(&stalled));
	return arg;
}

static void pthread_mutex_consistent_EINVAL_of_stalled(void)
{
	BOTH(make_stalled_consistent);
}

/* Its owner died, but nobody was told yet. */
static void pthread_mutex_consistent_EINVAL_of_another(void)
{
	make(PTHREAD_MUTEX_NORMAL);
	THREADS(1, die_with_it);
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(EOWNERDEAD, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_unlock(&m));
}

CASES(CASE(pthread_mutex_lock_EOWNERDEAD), CASE(pthread_mutex_trylock_EOWNERDEAD),
      CASE(pthread_mutex_timedlock_EOWNERDEAD), CASE(pthread_mutex_clocklock_EOWNERDEAD),
      CASE(pthread_mutex_lock_ENOTRECOVERABLE), CASE(pthread_mutex_trylock_ENOTRECOVERABLE),
      CASE(pthread_mutex_timedlock_ENOTRECOVERABLE), CASE(pthread_mutex_clocklock_ENOTRECOVERABLE),
      CASE(pthread_mutex_unlock_EPERM_of_robust), CASE(pthread_mutex_consistent_EINVAL),
      CASE(pthread_mutex_consistent_EINVAL_of_stalled),
      CASE(pthread_mutex_consistent_EINVAL_of_another))
