/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.c - pthread_spin_*
 *
 * case lock_of_a_constant: bug crash at pthread_spin_lock((pthread_spinlock_t *)
 * case trylock_of_a_constant: bug crash at pthread_spin_trylock((pthread_spinlock_t *)
 * case lock_excludes: ok 2
 * case trylock_fails_or_not: ok 3
 * case a_loop_of_tries_is_a_lock: ok 2
 * case relock_spins_for_ever: bug deadlock at THREADS(1, relock)
 * case relock_before_the_first_thread: bug deadlock
 * case locked_before_the_first_thread: ok 1
 * case lock_in_two_orders: bug deadlock at THREADS(2, both)
 * case a_lock_orders_what_it_protects: ok 2
 * case unlock_of_an_unlocked_lock: bug lock-misuse at bug: unlock
 * case unlock_by_another_thread: bug lock-misuse at bug: unlock
 * case destroy_of_a_locked_lock: bug lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case init_races_with_lock: bug data-race at assert(pthread_spin_init
 * case init_again_after_destroy: ok 4
 *
 * ways pthread_spin_trylock: EBUSY
 * ways pthread_spin_lock: ; not EDEADLK (glibc spins for ever: deadlock)
 * ways pthread_spin_unlock: ; not EPERM (undefined: lock-misuse)
 * ways pthread_spin_destroy: ; not EBUSY (undefined: lock-misuse)
 * never fails: pthread_spin_init
 *
 * case pthread_spin_trylock_EBUSY: ok 1
 * case pthread_spin_trylock_EBUSY_of_another: ok 1
 * case pthread_spin_destroy_and_init: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "hooks/fails.h"

static pthread_spinlock_t l, k;
static int inside, total;

static void init(pthread_spinlock_t *lock)
{
	assert(pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE) == 0);
}

static void *enter(void *arg)
{
	assert(pthread_spin_lock(&l) == 0);
	assert(inside++ == 0);
	inside--;
	total++;
	assert(pthread_spin_unlock(&l) == 0);
	return arg;
}

static void lock_excludes(void)
{
	init(&l);
	THREADS(2, enter);
	assert(pthread_spin_destroy(&l) == 0);
}

static void a_lock_orders_what_it_protects(void)
{
	init(&l);
	THREADS(2, enter);
	assert(total == 2);
}

static void *try_or_lock(void *arg)
{
	int error = arg ? pthread_spin_lock(&l) : pthread_spin_trylock(&l);

	assert(error == 0 || (!arg && error == EBUSY));
	if (!error)
		assert(pthread_spin_unlock(&l) == 0);
	return arg;
}

static void trylock_fails_or_not(void)
{
	init(&l);
	THREADS(2, try_or_lock);
}

static void *try_until(void *arg)
{
	while (pthread_spin_trylock(&l) == EBUSY)
		;
	assert(inside++ == 0);
	inside--;
	assert(pthread_spin_unlock(&l) == 0);
	return arg;
}

static void a_loop_of_tries_is_a_lock(void)
{
	init(&l);
	THREADS(2, try_until);
}

static void *relock(void *arg)
{
	pthread_spin_lock(&l);
	pthread_spin_lock(&l); /* bug: relock_before_the_first_thread */
	return arg;
}

static void relock_spins_for_ever(void)
{
	init(&l);
	THREADS(1, relock);
}

static void relock_before_the_first_thread(void)
{
	init(&l);
	relock(NULL);
}

static void locked_before_the_first_thread(void)
{
	pthread_t t;

	init(&l);
	assert(pthread_spin_lock(&l) == 0);
	assert(pthread_create(&t, NULL, enter, NULL) == 0);
	total++;
	assert(total == 1);
	assert(pthread_spin_unlock(&l) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void *both(void *arg)
{
	pthread_spin_lock(arg ? &l : &k);
	pthread_spin_lock(arg ? &k : &l);
	pthread_spin_unlock(&l);
	pthread_spin_unlock(&k);
	return arg;
}

static void lock_in_two_orders(void)
{
	init(&l);
	init(&k);
	THREADS(2, both);
}

static void *unlock(void *arg)
{
	pthread_spin_unlock(&l); /* bug: unlock */
	return arg;
}

static void unlock_of_an_unlocked_lock(void)
{
	init(&l);
	THREADS(1, unlock);
}

static void unlock_by_another_thread(void)
{
	init(&l);
	assert(pthread_spin_lock(&l) == 0);
	THREADS(1, unlock);
}

static void *destroy_locked(void *arg)
{
	pthread_spin_lock(&l);
	pthread_spin_destroy(&l); /* bug: destroy_of_a_locked_lock */
	return arg;
}

static void destroy_of_a_locked_lock(void)
{
	init(&l);
	THREADS(1, destroy_locked);
}

static void *destroy_then_lock(void *arg)
{
	assert(pthread_spin_destroy(&l) == 0);
	pthread_spin_lock(&l); /* bug: use_after_destroy */
	return arg;
}

static void use_after_destroy(void)
{
	init(&l);
	THREADS(1, destroy_then_lock);
}

static void *init_or_lock(void *arg)
{
	if (arg)
		init(&l);
	else
		pthread_spin_lock(&l);
	return arg;
}

static void init_races_with_lock(void)
{
	init(&l);
	THREADS(2, init_or_lock);
}

static void init_again_after_destroy(void)
{
	for (int i = 0; i < 2; i++) {
		init(&l);
		THREADS(2, enter);
		assert(pthread_spin_destroy(&l) == 0);
	}
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

/* It looks as if somebody had it, and nobody can ever take it. */
static const int constant = 1;

static void *lock_constant(void *arg)
{
	pthread_spin_lock((pthread_spinlock_t *)(uintptr_t)&constant);
	return arg;
}

static void lock_of_a_constant(void)
{
	THREADS(1, lock_constant);
}

static void *try_constant(void *arg)
{
	pthread_spin_trylock((pthread_spinlock_t *)(uintptr_t)&constant);
	return arg;
}

static void trylock_of_a_constant(void)
{
	THREADS(1, try_constant);
}

CASES(CASE(lock_of_a_constant), CASE(trylock_of_a_constant), CASE(lock_excludes),
      CASE(trylock_fails_or_not), CASE(a_loop_of_tries_is_a_lock), CASE(relock_spins_for_ever),
      CASE(relock_before_the_first_thread), CASE(locked_before_the_first_thread),
      CASE(lock_in_two_orders), CASE(a_lock_orders_what_it_protects),
      CASE(unlock_of_an_unlocked_lock), CASE(unlock_by_another_thread),
      CASE(destroy_of_a_locked_lock), CASE(use_after_destroy), CASE(init_races_with_lock),
      CASE(init_again_after_destroy), CASE(pthread_spin_trylock_EBUSY),
      CASE(pthread_spin_trylock_EBUSY_of_another), CASE(pthread_spin_destroy_and_init))
