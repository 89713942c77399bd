/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwlock_fails.c - how read-write locks fail
 *
 * ways pthread_rwlock_rdlock: EDEADLK; not EAGAIN (glibc: from 2^29 readers on)
 * ways pthread_rwlock_tryrdlock: EBUSY; not EAGAIN (as above)
 * ways pthread_rwlock_timedrdlock: EDEADLK EINVAL ETIMEDOUT; not EAGAIN (as above)
 * ways pthread_rwlock_clockrdlock: EDEADLK EINVAL ETIMEDOUT; not EAGAIN (as above)
 * ways pthread_rwlock_wrlock: EDEADLK
 * ways pthread_rwlock_trywrlock: EBUSY
 * ways pthread_rwlock_timedwrlock: EDEADLK EINVAL ETIMEDOUT
 * ways pthread_rwlock_clockwrlock: EDEADLK EINVAL ETIMEDOUT
 * ways pthread_rwlock_unlock: ; not EPERM (undefined: lock-misuse)
 * ways pthread_rwlock_destroy: ; not EBUSY (undefined: lock-misuse)
 * never fails: pthread_rwlock_init
 *
 * case pthread_rwlock_rdlock_EDEADLK: ok 1
 * case pthread_rwlock_timedrdlock_EDEADLK: ok 1
 * case pthread_rwlock_clockrdlock_EDEADLK: ok 1
 * case pthread_rwlock_wrlock_EDEADLK: ok 1
 * case pthread_rwlock_timedwrlock_EDEADLK: ok 1
 * case pthread_rwlock_clockwrlock_EDEADLK: ok 1
 * case pthread_rwlock_tryrdlock_EBUSY: ok 1
 * case pthread_rwlock_tryrdlock_EBUSY_of_another: ok 1
 * case pthread_rwlock_trywrlock_EBUSY: ok 1
 * case pthread_rwlock_trywrlock_EBUSY_of_another: ok 1
 * case pthread_rwlock_timedrdlock_EINVAL: ok 1
 * case pthread_rwlock_clockrdlock_EINVAL: ok 1
 * case pthread_rwlock_timedwrlock_EINVAL: ok 1
 * case pthread_rwlock_clockwrlock_EINVAL: ok 1
 * case pthread_rwlock_timedrdlock_ETIMEDOUT: ok 1
 * case pthread_rwlock_clockrdlock_ETIMEDOUT: ok 1
 * case pthread_rwlock_timedwrlock_ETIMEDOUT: ok 1
 * case pthread_rwlock_clockwrlock_ETIMEDOUT: ok 1
 * case pthread_rwlock_timedwrlock_ETIMEDOUT_of_a_reader: ok 1
 * case pthread_rwlock_rdlock_nests: ok 1
 * case pthread_rwlock_rdlock_shares: ok 1
 * case pthread_rwlock_destroy_and_init: ok 1
 * case pthread_rwlockattr_setpshared_EINVAL: ok 1
 * case pthread_rwlockattr_setkind_np_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"
#include "hooks/times.h"

typedef int lock_fn(pthread_rwlock_t *);

/* ---- The calls, waiting for ever, or not at all ------------------------------------------ */

#define TIMED(name, timedcall, clockcall, time)              \
	static int timed_##name(pthread_rwlock_t *l)         \
	{                                                    \
		return timedcall(l, &time);                  \
	}                                                    \
	static int clock_##name(pthread_rwlock_t *l)         \
	{                                                    \
		return clockcall(l, CLOCK_MONOTONIC, &time); \
	}

TIMED(rd_never, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, never)
TIMED(wr_never, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, never)
TIMED(rd_past, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, past)
TIMED(wr_past, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, past)
TIMED(rd_large, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, too_large)
TIMED(wr_large, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, too_large)
TIMED(rd_negative, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, negative)
TIMED(wr_negative, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, negative)

/* ---- What the caller writes -------------------------------------------------------------- */

static void lock_what_one_writes(int error, lock_fn *lock)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	GIVES(0, pthread_rwlock_wrlock(&l));
	GIVES(error, lock(&l));
	GIVES(error, lock(&l));
	GIVES(0, pthread_rwlock_unlock(&l)); /* once is all */
	GIVES(0, pthread_rwlock_tryrdlock(&l));
	GIVES(0, pthread_rwlock_unlock(&l));
	GIVES(0, pthread_rwlock_destroy(&l));
}

#define OF_ONES_OWN(case_name, error, lock)        \
	static void *own_##case_name(void *arg)    \
	{                                          \
		lock_what_one_writes(error, lock); \
		return arg;                        \
	}                                          \
	static void case_name(void)                \
	{                                          \
		BOTH(own_##case_name);             \
	}

OF_ONES_OWN(pthread_rwlock_rdlock_EDEADLK, EDEADLK, pthread_rwlock_rdlock)
OF_ONES_OWN(pthread_rwlock_timedrdlock_EDEADLK, EDEADLK, timed_rd_never)
OF_ONES_OWN(pthread_rwlock_clockrdlock_EDEADLK, EDEADLK, clock_rd_past)
OF_ONES_OWN(pthread_rwlock_wrlock_EDEADLK, EDEADLK, pthread_rwlock_wrlock)
OF_ONES_OWN(pthread_rwlock_timedwrlock_EDEADLK, EDEADLK, timed_wr_past)
OF_ONES_OWN(pthread_rwlock_clockwrlock_EDEADLK, EDEADLK, clock_wr_never)
OF_ONES_OWN(pthread_rwlock_tryrdlock_EBUSY, EBUSY, pthread_rwlock_tryrdlock)
OF_ONES_OWN(pthread_rwlock_trywrlock_EBUSY, EBUSY, pthread_rwlock_trywrlock)

/* ---- What another one holds -------------------------------------------------------------- */

static pthread_rwlock_t written, read_only;
static lock_fn *lock_tried;
static int tried;

static void *lock_what_another_writes(void *arg)
{
	GIVES(tried, lock_tried(&written));
	return arg;
}

static void *lock_what_another_reads(void *arg)
{
	GIVES(tried, lock_tried(&read_only));
	return arg;
}

static void of_a_writer(int error, lock_fn *lock)
{
	tried = error;
	lock_tried = lock;
	GIVES(0, pthread_rwlock_init(&written, NULL));
	GIVES(0, pthread_rwlock_wrlock(&written));
	THREADS(2, lock_what_another_writes);
	GIVES(0, pthread_rwlock_unlock(&written));
	GIVES(0, pthread_rwlock_destroy(&written));
}

static void of_a_reader(int error, lock_fn *lock)
{
	tried = error;
	lock_tried = lock;
	GIVES(0, pthread_rwlock_init(&read_only, NULL));
	GIVES(0, pthread_rwlock_rdlock(&read_only));
	THREADS(2, lock_what_another_reads);
	GIVES(0, pthread_rwlock_unlock(&read_only));
	GIVES(0, pthread_rwlock_destroy(&read_only));
}

static void pthread_rwlock_tryrdlock_EBUSY_of_another(void)
{
	of_a_writer(EBUSY, pthread_rwlock_tryrdlock);
}

static void pthread_rwlock_trywrlock_EBUSY_of_another(void)
{
	of_a_writer(EBUSY, pthread_rwlock_trywrlock);
	of_a_reader(EBUSY, pthread_rwlock_trywrlock);
}

static void pthread_rwlock_timedrdlock_EINVAL(void)
{
	of_a_writer(EINVAL, timed_rd_large);
	of_a_writer(EINVAL, timed_rd_negative);
}

static void pthread_rwlock_timedwrlock_EINVAL(void)
{
	of_a_writer(EINVAL, timed_wr_large);
	of_a_reader(EINVAL, timed_wr_negative);
}

static int rdlock_by_no_clock(pthread_rwlock_t *l)
{
	return pthread_rwlock_clockrdlock(l, CLOCK_PROCESS_CPUTIME_ID, &past);
}

static int wrlock_by_no_clock(pthread_rwlock_t *l)
{
	return pthread_rwlock_clockwrlock(l, CLOCK_PROCESS_CPUTIME_ID, &past);
}

static void pthread_rwlock_clockrdlock_EINVAL(void)
{
	of_a_writer(EINVAL, clock_rd_large);
	of_a_writer(EINVAL, clock_rd_negative);
	of_a_writer(EINVAL, rdlock_by_no_clock);
}

static void pthread_rwlock_clockwrlock_EINVAL(void)
{
	of_a_writer(EINVAL, clock_wr_large);
	of_a_reader(EINVAL, clock_wr_negative);
	of_a_reader(EINVAL, wrlock_by_no_clock);
}

static void pthread_rwlock_timedrdlock_ETIMEDOUT(void)
{
	of_a_writer(ETIMEDOUT, timed_rd_past);
}

static void pthread_rwlock_clockrdlock_ETIMEDOUT(void)
{
	of_a_writer(ETIMEDOUT, clock_rd_past);
}

static void pthread_rwlock_timedwrlock_ETIMEDOUT(void)
{
	of_a_writer(ETIMEDOUT, timed_wr_past);
}

static void pthread_rwlock_clockwrlock_ETIMEDOUT(void)
{
	of_a_writer(ETIMEDOUT, clock_wr_past);
}

static void pthread_rwlock_timedwrlock_ETIMEDOUT_of_a_reader(void)
{
	of_a_reader(ETIMEDOUT, timed_wr_past);
}

/* ---- And what does not fail -------------------------------------------------------------- */

/* POSIX: a thread may hold several read locks, and unlocks as often. */
static void *read_deep(void *arg)
{
	enum {
		DEPTH = 40
	};
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < DEPTH; i++)
			GIVES(0, i % 2 ? pthread_rwlock_rdlock(&l) : pthread_rwlock_tryrdlock(&l));
		for (int i = 0; i < DEPTH; i++) {
			GIVES(EBUSY, pthread_rwlock_trywrlock(&l));
			GIVES(0, pthread_rwlock_unlock(&l));
		}
	}
	GIVES(0, pthread_rwlock_trywrlock(&l));
	GIVES(0, pthread_rwlock_unlock(&l));
	GIVES(0, pthread_rwlock_destroy(&l));
	return arg;
}

static void pthread_rwlock_rdlock_nests(void)
{
	BOTH(read_deep);
}

static void *read_too(void *arg)
{
	GIVES(0, pthread_rwlock_tryrdlock(&read_only));
	GIVES(0, timed_rd_never(&read_only));
	GIVES(0, clock_rd_past(&read_only));
	for (int i = 0; i < 3; i++)
		GIVES(0, pthread_rwlock_unlock(&read_only));
	return arg;
}

static void pthread_rwlock_rdlock_shares(void)
{
	GIVES(0, pthread_rwlock_init(&read_only, NULL));
	GIVES(0, pthread_rwlock_rdlock(&read_only));
	THREADS(1, read_too);
	GIVES(0, pthread_rwlock_unlock(&read_only));
}

static void *destroy_and_init(void *arg)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	for (int i = 0; i < 3; i++) {
		GIVES(0, pthread_rwlock_wrlock(&l));
		GIVES(0, pthread_rwlock_unlock(&l));
		GIVES(0, pthread_rwlock_destroy(&l));
		GIVES(0, pthread_rwlock_init(&l, NULL));
	}
	return arg;
}

static void pthread_rwlock_destroy_and_init(void)
{
	BOTH(destroy_and_init);
}

/* ---- Attributes -------------------------------------------------------------------------- */

static void *share_with_no_sense(void *arg)
{
	pthread_rwlockattr_t attr;
	int pshared;

	GIVES(0, pthread_rwlockattr_init(&attr));
	GIVES(EINVAL, pthread_rwlockattr_setpshared(&attr, 2));
	GIVES(0, pthread_rwlockattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_PRIVATE);
	GIVES(0, pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	GIVES(0, pthread_rwlockattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_SHARED);
	GIVES(0, pthread_rwlockattr_destroy(&attr));
	return arg;
}

static void pthread_rwlockattr_setpshared_EINVAL(void)
{
	BOTH(share_with_no_sense);
}

static void *prefer_nobody(void *arg)
{
	pthread_rwlockattr_t attr;
	int kind;

	GIVES(0, pthread_rwlockattr_init(&attr));
	GIVES(EINVAL, pthread_rwlockattr_setkind_np(&attr, 3));
	GIVES(EINVAL, pthread_rwlockattr_setkind_np(&attr, -1));
	GIVES(0, pthread_rwlockattr_getkind_np(&attr, &kind));
	assert(kind == PTHREAD_RWLOCK_DEFAULT_NP);
	GIVES(0, pthread_rwlockattr_destroy(&attr));
	return arg;
}

static void pthread_rwlockattr_setkind_np_EINVAL(void)
{
	BOTH(prefer_nobody);
}

CASES(CASE(pthread_rwlock_rdlock_EDEADLK), CASE(pthread_rwlock_timedrdlock_EDEADLK),
      CASE(pthread_rwlock_clockrdlock_EDEADLK), CASE(pthread_rwlock_wrlock_EDEADLK),
      CASE(pthread_rwlock_timedwrlock_EDEADLK), CASE(pthread_rwlock_clockwrlock_EDEADLK),
      CASE(pthread_rwlock_tryrdlock_EBUSY), CASE(pthread_rwlock_tryrdlock_EBUSY_of_another),
      CASE(pthread_rwlock_trywrlock_EBUSY), CASE(pthread_rwlock_trywrlock_EBUSY_of_another),
      CASE(pthread_rwlock_timedrdlock_EINVAL), CASE(pthread_rwlock_clockrdlock_EINVAL),
      CASE(pthread_rwlock_timedwrlock_EINVAL), CASE(pthread_rwlock_clockwrlock_EINVAL),
      CASE(pthread_rwlock_timedrdlock_ETIMEDOUT), CASE(pthread_rwlock_clockrdlock_ETIMEDOUT),
      CASE(pthread_rwlock_timedwrlock_ETIMEDOUT), CASE(pthread_rwlock_clockwrlock_ETIMEDOUT),
      CASE(pthread_rwlock_timedwrlock_ETIMEDOUT_of_a_reader), CASE(pthread_rwlock_rdlock_nests),
      CASE(pthread_rwlock_rdlock_shares), CASE(pthread_rwlock_destroy_and_init),
      CASE(pthread_rwlockattr_setpshared_EINVAL), CASE(pthread_rwlockattr_setkind_np_EINVAL))
