/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outcomes.c - calls that try, or wait for some time: each comes to all of its ends
 *
 * One thread has the object for a while, another one tries to get it: before, afterwards, or in vain.
 * A semaphore is posted: it is got, or not yet.
 *
 * case pthread_mutex_trylock_: ok 3
 * case pthread_mutex_timedlock_: ok 3
 * case pthread_mutex_clocklock_: ok 3
 * case pthread_rwlock_tryrdlock_: ok 3
 * case pthread_rwlock_trywrlock_: ok 3
 * case pthread_rwlock_timedrdlock_: ok 3
 * case pthread_rwlock_timedwrlock_: ok 3
 * case pthread_rwlock_clockrdlock_: ok 3
 * case pthread_rwlock_clockwrlock_: ok 3
 * case pthread_spin_trylock_: ok 3
 * case mtx_trylock_: ok 3
 * case mtx_timedlock_: ok 3
 * case sem_trywait_: ok 2
 * case sem_timedwait_: ok 2
 * case sem_clockwait_: ok 2
 * case sem_getvalue_: ok 2
 * case pthread_tryjoin_np_: ok 2
 * case pthread_timedjoin_np_: ok 2
 * case pthread_clockjoin_np_: ok 2
 * case pthread_cond_timedwait_: ok 4
 * case pthread_cond_clockwait_: ok 4
 * case cnd_timedwait_: ok 4
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "cases.h"

/* An hour from now, or long over: which, makes no difference to the ends there are. */
static const struct timespec past = { .tv_sec = 1 };
static struct timespec later;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t mtx;
static cnd_t cnd;

static void init(void)
{
	assert(clock_gettime(CLOCK_REALTIME, &later) == 0);
	later.tv_sec += 3600;
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(sem_init(&sem, 0, 0) == 0);
	assert(mtx_init(&mtx, mtx_timed) == thrd_success);
	assert(cnd_init(&cnd) == thrd_success);
}

/* Both in threads of their own. */
static void compete(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t t[2];

	init();
	assert(pthread_create(&t[0], NULL, one, NULL) == 0);
	assert(pthread_create(&t[1], NULL, other, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

/* ---- Locks ------------------------------------------------------------------------------- */

static void *hold_mutex(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void *hold_rwlock(void *arg)
{
	assert(pthread_rwlock_wrlock(&rw) == 0);
	assert(pthread_rwlock_unlock(&rw) == 0);
	return arg;
}

static void *hold_spin(void *arg)
{
	assert(pthread_spin_lock(&spin) == 0);
	assert(pthread_spin_unlock(&spin) == 0);
	return arg;
}

static void *hold_mtx(void *arg)
{
	assert(mtx_lock(&mtx) == thrd_success);
	assert(mtx_unlock(&mtx) == thrd_success);
	return arg;
}

/* The call, and what follows when it has got the lock; it fails with this error only. */
#define TRIES(name, hold, call, error, unlock)    \
	static void *do_##name(void *arg)         \
	{                                         \
		int got = call;                   \
                                                  \
		assert(got == 0 || got == error); \
		if (!got)                         \
			assert(unlock == 0);      \
		return arg;                       \
	}                                         \
	static void name##_(void)                 \
	{                                         \
		compete(hold, do_##name);         \
	}

TRIES(pthread_mutex_trylock, hold_mutex, pthread_mutex_trylock(&m), EBUSY, pthread_mutex_unlock(&m))
TRIES(pthread_mutex_timedlock, hold_mutex, pthread_mutex_timedlock(&m, &later), ETIMEDOUT,
      pthread_mutex_unlock(&m))
TRIES(pthread_mutex_clocklock, hold_mutex, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past),
      ETIMEDOUT, pthread_mutex_unlock(&m))
TRIES(pthread_rwlock_tryrdlock, hold_rwlock, pthread_rwlock_tryrdlock(&rw), EBUSY,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_rwlock_trywrlock, hold_rwlock, pthread_rwlock_trywrlock(&rw), EBUSY,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_rwlock_timedrdlock, hold_rwlock, pthread_rwlock_timedrdlock(&rw, &later), ETIMEDOUT,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_rwlock_timedwrlock, hold_rwlock, pthread_rwlock_timedwrlock(&rw, &past), ETIMEDOUT,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_rwlock_clockrdlock, hold_rwlock,
      pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &past), ETIMEDOUT,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_rwlock_clockwrlock, hold_rwlock,
      pthread_rwlock_clockwrlock(&rw, CLOCK_REALTIME, &later), ETIMEDOUT,
      pthread_rwlock_unlock(&rw))
TRIES(pthread_spin_trylock, hold_spin, pthread_spin_trylock(&spin), EBUSY,
      pthread_spin_unlock(&spin))
TRIES(mtx_trylock, hold_mtx, mtx_trylock(&mtx), thrd_busy, mtx_unlock(&mtx))
TRIES(mtx_timedlock, hold_mtx, mtx_timedlock(&mtx, &past), thrd_timedout, mtx_unlock(&mtx))

/* ---- Semaphores -------------------------------------------------------------------------- */

static void *post(void *arg)
{
	assert(sem_post(&sem) == 0);
	return arg;
}

static int value(void)
{
	int now;

	assert(sem_getvalue(&sem, &now) == 0);
	assert(now == 0 || now == 1);
	return now;
}

/* -1 with this error, or 0. */
static int with_errno(int result, int error)
{
	assert(result == 0 || (result == -1 && errno == error));
	return result;
}

TRIES(sem_trywait, post, with_errno(sem_trywait(&sem), EAGAIN), -1, value())
TRIES(sem_timedwait, post, with_errno(sem_timedwait(&sem, &past), ETIMEDOUT), -1, value())
TRIES(sem_clockwait, post, with_errno(sem_clockwait(&sem, CLOCK_MONOTONIC, &past), ETIMEDOUT), -1,
      value())
TRIES(sem_getvalue, post, value(), 1, 0)

/* ---- Joins ------------------------------------------------------------------------------- */

static void *end_at_once(void *arg)
{
	return arg;
}

#define JOINS(name, call, error)                                          \
	static void name##_(void)                                         \
	{                                                                 \
		pthread_t t;                                              \
		int joined;                                               \
                                                                          \
		init();                                                   \
		assert(pthread_create(&t, NULL, end_at_once, NULL) == 0); \
		joined = call;                                            \
		assert(joined == 0 || joined == error);                   \
		if (joined)                                               \
			assert(pthread_join(t, NULL) == 0);               \
	}

JOINS(pthread_tryjoin_np, pthread_tryjoin_np(t, NULL), EBUSY)
JOINS(pthread_timedjoin_np, pthread_timedjoin_np(t, NULL, &past), ETIMEDOUT)
JOINS(pthread_clockjoin_np, pthread_clockjoin_np(t, NULL, CLOCK_REALTIME, &later), ETIMEDOUT)

/* ---- Condition variables ----------------------------------------------------------------- */

static void *signal_c(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_cond_signal(&c) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void *signal_cnd(void *arg)
{
	assert(mtx_lock(&mtx) == thrd_success);
	assert(cnd_signal(&cnd) == thrd_success);
	assert(mtx_unlock(&mtx) == thrd_success);
	return arg;
}

/* Too late for the signal; woken; in time for it, but not waiting any more, and behind it. */
#define WAITS(name, signal, lock, call, error, unlock) \
	static void *do_##name(void *arg)              \
	{                                              \
		int woken;                             \
                                                       \
		assert(lock == 0);                     \
		woken = call;                          \
		assert(woken == 0 || woken == error);  \
		assert(unlock == 0);                   \
		return arg;                            \
	}                                              \
	static void name##_(void)                      \
	{                                              \
		compete(signal, do_##name);            \
	}

WAITS(pthread_cond_timedwait, signal_c, pthread_mutex_lock(&m),
      pthread_cond_timedwait(&c, &m, &past), ETIMEDOUT, pthread_mutex_unlock(&m))
WAITS(pthread_cond_clockwait, signal_c, pthread_mutex_lock(&m),
      pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past), ETIMEDOUT, pthread_mutex_unlock(&m))
WAITS(cnd_timedwait, signal_cnd, mtx_lock(&mtx), cnd_timedwait(&cnd, &mtx, &past), thrd_timedout,
      mtx_unlock(&mtx))

CASES(CASE(pthread_mutex_trylock_), CASE(pthread_mutex_timedlock_), CASE(pthread_mutex_clocklock_),
      CASE(pthread_rwlock_tryrdlock_), CASE(pthread_rwlock_trywrlock_),
      CASE(pthread_rwlock_timedrdlock_), CASE(pthread_rwlock_timedwrlock_),
      CASE(pthread_rwlock_clockrdlock_), CASE(pthread_rwlock_clockwrlock_),
      CASE(pthread_spin_trylock_), CASE(mtx_trylock_), CASE(mtx_timedlock_), CASE(sem_trywait_),
      CASE(sem_timedwait_), CASE(sem_clockwait_), CASE(sem_getvalue_), CASE(pthread_tryjoin_np_),
      CASE(pthread_timedjoin_np_), CASE(pthread_clockjoin_np_), CASE(pthread_cond_timedwait_),
      CASE(pthread_cond_clockwait_), CASE(cnd_timedwait_))
