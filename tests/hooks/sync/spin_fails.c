/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_fails.c - how spin locks and once controls fail
 *
 * ways pthread_spin_trylock: EBUSY
 * ways pthread_spin_lock: ; not EDEADLK (glibc spins for ever: deadlock)
 * ways pthread_spin_unlock: ; not EPERM (undefined: lock-misuse)
 * ways pthread_spin_destroy: ; not EBUSY (undefined: lock-misuse)
 * never fails: pthread_spin_init pthread_once
 *
 * case pthread_spin_trylock_EBUSY: ok 1
 * case pthread_spin_trylock_EBUSY_of_another: ok 1
 * case pthread_spin_destroy_and_init: ok 1
 * case pthread_once_gives_0: ok 2
 * case pthread_once_of_several: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"

static void *try_again(void *arg)
{
	pthread_spinlock_t l;

	GIVES(0, pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE));
	GIVES(0, pthread_spin_trylock(&l));
	GIVES(EBUSY, pthread_spin_trylock(&l));
	GIVES(EBUSY, pthread_spin_trylock(&l));
	GIVES(0, pthread_spin_unlock(&l));
	GIVES(0, pthread_spin_trylock(&l));
	GIVES(0, pthread_spin_unlock(&l));
	GIVES(0, pthread_spin_destroy(&l));
	return arg;
}

static void pthread_spin_trylock_EBUSY(void)
{
	BOTH(try_again);
}

static pthread_spinlock_t held;

static void *try_held(void *arg)
{
	GIVES(EBUSY, pthread_spin_trylock(&held));
	return arg;
}

static void pthread_spin_trylock_EBUSY_of_another(void)
{
	GIVES(0, pthread_spin_init(&held, PTHREAD_PROCESS_SHARED));
	GIVES(0, pthread_spin_lock(&held));
	THREADS(2, try_held);
	GIVES(0, pthread_spin_unlock(&held));
	GIVES(0, pthread_spin_destroy(&held));
}

static void *destroy_and_init(void *arg)
{
	pthread_spinlock_t l;

	for (int i = 0; i < 3; i++) {
		GIVES(0, pthread_spin_init(&l, i % 2));
		GIVES(0, pthread_spin_lock(&l));
		GIVES(0, pthread_spin_unlock(&l));
		GIVES(0, pthread_spin_destroy(&l));
	}
	return arg;
}

static void pthread_spin_destroy_and_init(void)
{
	BOTH(destroy_and_init);
}

/* ---- pthread_once() ---------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times;

static void begin(void)
{
	times++;
}

static void *begin_once(void *arg)
{
	GIVES(0, pthread_once(&once, begin));
	assert(times == 1);
	GIVES(0, pthread_once(&once, begin));
	assert(times == 1);
	return arg;
}

/* Who calls it, and how often: the routine has run, once, when it comes back. */
static void pthread_once_gives_0(void)
{
	THREADS(2, begin_once);
	begin_once(NULL);
}

static pthread_once_t outer = PTHREAD_ONCE_INIT;

static void begin_both(void)
{
	GIVES(0, pthread_once(&once, begin));
	times++;
}

static void pthread_once_of_several(void)
{
	GIVES(0, pthread_once(&outer, begin_both));
	assert(times == 2);
	GIVES(0, pthread_once(&once, begin));
	GIVES(0, pthread_once(&outer, begin));
	assert(times == 2);
}

CASES(CASE(pthread_spin_trylock_EBUSY), CASE(pthread_spin_trylock_EBUSY_of_another),
      CASE(pthread_spin_destroy_and_init), CASE(pthread_once_gives_0),
      CASE(pthread_once_of_several))
