/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutexattr.c - attributes of mutexes, and priority ceilings
 *
 * ways pthread_mutex_getprioceiling: EINVAL
 * ways pthread_mutex_setprioceiling: EINVAL EDEADLK; not EAGAIN EPERM (POSIX: may fail) EOWNERDEAD
 *	ENOTRECOVERABLE (robust mutexes have no ceiling in glibc)
 *
 * case pthread_mutexattr_settype_EINVAL: ok 1
 * case pthread_mutexattr_setpshared_EINVAL: ok 1
 * case pthread_mutexattr_setrobust_EINVAL: ok 1
 * case pthread_mutexattr_setprotocol_EINVAL: ok 1
 * case pthread_mutexattr_setprioceiling_EINVAL: ok 1
 * case pthread_mutexattr_gives_back_what_was_set: ok 1
 * case pthread_mutex_getprioceiling_EINVAL: ok 1
 * case pthread_mutex_setprioceiling_EINVAL: ok 1
 * case pthread_mutex_setprioceiling_EDEADLK: ok 1
 * case pthread_mutex_lock_EINVAL: ok 1
 * case pthread_mutex_trylock_EINVAL: ok 1
 * case pthread_mutex_setprioceiling_gives_the_old_one: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "hooks/fails.h"

static void *set_no_type(void *arg)
{
	pthread_mutexattr_t attr;
	int type;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE));
	GIVES(EINVAL, pthread_mutexattr_settype(&attr, -1));
	GIVES(EINVAL, pthread_mutexattr_settype(&attr, 77));
	GIVES(0, pthread_mutexattr_gettype(&attr, &type));
	assert(type == PTHREAD_MUTEX_RECURSIVE);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_settype_EINVAL(void)
{
	BOTH(set_no_type);
}

static void *share_with_no_sense(void *arg)
{
	pthread_mutexattr_t attr;
	int pshared;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(EINVAL, pthread_mutexattr_setpshared(&attr, 2));
	GIVES(EINVAL, pthread_mutexattr_setpshared(&attr, -1));
	GIVES(0, pthread_mutexattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_PRIVATE);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_setpshared_EINVAL(void)
{
	BOTH(share_with_no_sense);
}

static void *half_robust(void *arg)
{
	pthread_mutexattr_t attr;
	int robust;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(EINVAL, pthread_mutexattr_setrobust(&attr, 2));
	GIVES(EINVAL, pthread_mutexattr_setrobust(&attr, -1));
	GIVES(0, pthread_mutexattr_getrobust(&attr, &robust));
	assert(robust == PTHREAD_MUTEX_STALLED);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_setrobust_EINVAL(void)
{
	BOTH(half_robust);
}

static void *set_no_protocol(void *arg)
{
	pthread_mutexattr_t attr;
	int protocol;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(EINVAL, pthread_mutexattr_setprotocol(&attr, 3));
	GIVES(EINVAL, pthread_mutexattr_setprotocol(&attr, -1));
	GIVES(0, pthread_mutexattr_getprotocol(&attr, &protocol));
	assert(protocol == PTHREAD_PRIO_NONE);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_setprotocol_EINVAL(void)
{
	BOTH(set_no_protocol);
}

static void *set_no_ceiling(void *arg)
{
	int lowest = sched_get_priority_min(SCHED_FIFO),
	    highest = sched_get_priority_max(SCHED_FIFO);
	pthread_mutexattr_t attr;
	int ceiling;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_setprioceiling(&attr, highest));
	GIVES(EINVAL, pthread_mutexattr_setprioceiling(&attr, lowest - 1));
	GIVES(EINVAL, pthread_mutexattr_setprioceiling(&attr, highest + 1));
	GIVES(0, pthread_mutexattr_getprioceiling(&attr, &ceiling));
	assert(ceiling == highest);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_setprioceiling_EINVAL(void)
{
	BOTH(set_no_ceiling);
}

static void *set_and_get(void *arg)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ADAPTIVE_NP };
	pthread_mutexattr_t attr;
	int value;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_gettype(&attr, &value));
	assert(value == PTHREAD_MUTEX_DEFAULT);
	GIVES(0, pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	GIVES(0, pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	GIVES(0, pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	for (int i = 0; i < 4; i++) {
		GIVES(0, pthread_mutexattr_settype(&attr, types[i]));
		GIVES(0, pthread_mutexattr_gettype(&attr, &value));
		assert(value == types[i]);
	}
	GIVES(0, pthread_mutexattr_getpshared(&attr, &value));
	assert(value == PTHREAD_PROCESS_SHARED);
	GIVES(0, pthread_mutexattr_getrobust(&attr, &value));
	assert(value == PTHREAD_MUTEX_ROBUST);
	GIVES(0, pthread_mutexattr_getprotocol(&attr, &value));
	assert(value == PTHREAD_PRIO_INHERIT);
	GIVES(0, pthread_mutexattr_destroy(&attr));
	return arg;
}

static void pthread_mutexattr_gives_back_what_was_set(void)
{
	BOTH(set_and_get);
}

/* ---- Ceilings ---------------------------------------------------------------------------- */

static void *get_what_is_none(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int ceiling = 77;

	GIVES(EINVAL, pthread_mutex_getprioceiling(&m, &ceiling));
	assert(ceiling == 77);
	return arg;
}

static void pthread_mutex_getprioceiling_EINVAL(void)
{
	BOTH(get_what_is_none);
}

static void make(pthread_mutex_t *m, int ceiling)
{
	pthread_mutexattr_t attr;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
	GIVES(0, pthread_mutexattr_setprioceiling(&attr, ceiling));
	GIVES(0, pthread_mutex_init(m, &attr));
	GIVES(0, pthread_mutexattr_destroy(&attr));
}

static void *set_what_is_none(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int old = 77;

	GIVES(EINVAL, pthread_mutex_setprioceiling(&m, 5, &old));
	GIVES(0, pthread_mutex_destroy(&m));
	make(&m, 5);
	GIVES(EINVAL,
	      pthread_mutex_setprioceiling(&m, sched_get_priority_min(SCHED_FIFO) - 1, &old));
	GIVES(EINVAL,
	      pthread_mutex_setprioceiling(&m, sched_get_priority_max(SCHED_FIFO) + 1, &old));
	assert(old == 77);
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_setprioceiling_EINVAL(void)
{
	BOTH(set_what_is_none);
}

static void *set_twice(void *arg)
{
	pthread_mutex_t m;
	int ceiling;

	make(&m, 5);
	GIVES(0, pthread_mutex_getprioceiling(&m, &ceiling));
	assert(ceiling == 5);
	GIVES(0, pthread_mutex_setprioceiling(&m, 7, &ceiling));
	assert(ceiling == 5);
	GIVES(0, pthread_mutex_setprioceiling(&m, 9, &ceiling));
	assert(ceiling == 7);
	GIVES(0, pthread_mutex_getprioceiling(&m, &ceiling));
	assert(ceiling == 9);
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_setprioceiling_gives_the_old_one(void)
{
	BOTH(set_twice);
}

/* Runs in a thread with this priority, if the user may have one; with glibc only such a thread locks a mutex with
 * a ceiling. */
static void in_real_time(void *(*fn)(void *), int priority)
{
	struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t t;
	int error;

	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	GIVES(0, pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	GIVES(0, pthread_attr_setschedparam(&attr, &param));
	error = pthread_create(&t, &attr, fn, NULL);
	if (error == 0)
		GIVES(0, pthread_join(t, NULL));
	else
		assert(error == EPERM);
	GIVES(0, pthread_attr_destroy(&attr));
}

static void *lock_below(void *arg)
{
	struct timespec then = { .tv_sec = 1 };
	pthread_mutex_t m;
	int old;

	make(&m, 9);
	GIVES(EINVAL, pthread_mutex_lock(&m));
	GIVES(EINVAL, pthread_mutex_timedlock(&m, &then));
	GIVES(0, pthread_mutex_setprioceiling(&m, 10, &old));
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_lock_EINVAL(void)
{
	in_real_time(lock_below, 10);
}

static void *try_below(void *arg)
{
	pthread_mutex_t m;

	make(&m, 9);
	GIVES(EINVAL, pthread_mutex_trylock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	make(&m, 10);
	GIVES(0, pthread_mutex_trylock(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_trylock_EINVAL(void)
{
	in_real_time(try_below, 10);
}

static void *set_while_locked(void *arg)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	int old;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
	GIVES(0, pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
	GIVES(0, pthread_mutexattr_setprioceiling(&attr, 20));
	GIVES(0, pthread_mutex_init(&m, &attr));
	GIVES(0, pthread_mutexattr_destroy(&attr));
	GIVES(0, pthread_mutex_lock(&m));
	GIVES(EDEADLK, pthread_mutex_setprioceiling(&m, 30, &old));
	GIVES(EDEADLK, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_unlock(&m));
	GIVES(EPERM, pthread_mutex_unlock(&m));
	GIVES(0, pthread_mutex_destroy(&m));
	return arg;
}

static void pthread_mutex_setprioceiling_EDEADLK(void)
{
	in_real_time(set_while_locked, 10);
}

CASES(CASE(pthread_mutexattr_settype_EINVAL), CASE(pthread_mutexattr_setpshared_EINVAL),
      CASE(pthread_mutexattr_setrobust_EINVAL), CASE(pthread_mutexattr_setprotocol_EINVAL),
      CASE(pthread_mutexattr_setprioceiling_EINVAL),
      CASE(pthread_mutexattr_gives_back_what_was_set), CASE(pthread_mutex_getprioceiling_EINVAL),
      CASE(pthread_mutex_setprioceiling_EINVAL), CASE(pthread_mutex_setprioceiling_EDEADLK),
      CASE(pthread_mutex_lock_EINVAL), CASE(pthread_mutex_trylock_EINVAL),
      CASE(pthread_mutex_setprioceiling_gives_the_old_one))
