/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * robust.c - robust mutexes
 *
 * case who_locks_next_is_told: ok 1
 * case who_waits_is_told: ok 2
 * case timedlock_is_told: ok 1
 * case a_consistent_mutex_is_as_before: ok 1
 * case without_consistent_it_is_lost: ok 1
 * case all_that_wait_for_a_lost_mutex_are_told: ok 2
 * case a_stalled_mutex_stays_locked: bug deadlock
 * case two_owners_die: ok 1
 * case an_owner_that_was_told_dies: ok 1
 * case all_mutexes_of_a_thread_get_free: ok 1
 * case pthread_exit_frees_them_too: ok 1
 * case consistent_of_a_stalled_mutex: ok 1
 * case a_wait_is_told: ok 6
 * case a_wait_that_gives_up_an_inconsistent_mutex_loses_it: ok 1
 * case it_excludes_as_others_do: ok 2
 * case a_recursive_one_counts: ok 1
 * case the_dead_owner_orders_what_it_wrote: ok 2
 * case init_again_after_it_was_lost: ok 1
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
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static pthread_mutex_t m, n;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int data, inside;

static void init_as(pthread_mutex_t *mutex, int type, int robust)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, type) == 0);
	assert(pthread_mutexattr_setrobust(&attr, robust) == 0);
	assert(pthread_mutex_init(mutex, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
}

static void init(pthread_mutex_t *mutex)
{
	init_as(mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
}

static void destroy(pthread_mutex_t *mutex)
{
	assert(pthread_mutex_destroy(mutex) == 0);
}

static void *die_with_it(void *arg)
{
	int error = pthread_mutex_lock(&m);

	assert(error == 0 || error == EOWNERDEAD);
	data++;
	return arg;
}

static void recover(void)
{
	assert(pthread_mutex_consistent(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
}

static void who_locks_next_is_told(void)
{
	init(&m);
	THREADS(1, die_with_it);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	recover();
	destroy(&m);
}

/* One of the two dies with it first. */
static void *die_or_recover(void *arg)
{
	int error = pthread_mutex_lock(&m);

	if (!error)
		return arg;
	assert(error == EOWNERDEAD);
	recover();
	return arg;
}

static void who_waits_is_told(void)
{
	init(&m);
	THREADS(2, die_or_recover);
	destroy(&m);
}

static void timedlock_is_told(void)
{
	const struct timespec past = { 0, 0 };

	init(&m);
	THREADS(1, die_with_it);
	assert(pthread_mutex_timedlock(&m, &past) == EOWNERDEAD);
	recover();
}

static void *lock_and_unlock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void a_consistent_mutex_is_as_before(void)
{
	who_locks_next_is_told();
	init(&m);
	THREADS(1, lock_and_unlock);
}

static void *find_it_lost(void *arg)
{
	const struct timespec past = { 0, 0 };

	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
	assert(pthread_mutex_timedlock(&m, &past) == ENOTRECOVERABLE);
	if (!getenv("HEDDLE_TEST_NATIVELY")) /* glibc 2.36 returns that, but keeps it locked */
		assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return arg;
}

static void lose(void)
{
	init(&m);
	THREADS(1, die_with_it);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&m) == 0);
}

static void without_consistent_it_is_lost(void)
{
	lose();
	find_it_lost(NULL);
	THREADS(1, find_it_lost);
	destroy(&m);
}

/* The first to lock is told of the dead owner, and unlocks; the other is told that it is late. */
static void *lose_or_find_it_lost(void *arg)
{
	int error = pthread_mutex_lock(&m);

	assert(error == EOWNERDEAD || error == ENOTRECOVERABLE);
	if (error == EOWNERDEAD) {
		assert(inside++ == 0);
		assert(pthread_mutex_unlock(&m) == 0);
	}
	return arg;
}

static void all_that_wait_for_a_lost_mutex_are_told(void)
{
	init(&m);
	THREADS(1, die_with_it);
	THREADS(2, lose_or_find_it_lost);
}

static void a_stalled_mutex_stays_locked(void)
{
	init_as(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
	THREADS(1, die_with_it);
	pthread_mutex_lock(&m); /* bug: a_stalled_mutex_stays_locked */
}

static void two_owners_die(void)
{
	init(&m);
	THREADS(1, die_with_it);
	THREADS(1, die_with_it);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	recover();
}

static void *die_though_told(void *arg)
{
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	return arg;
}

static void an_owner_that_was_told_dies(void)
{
	init(&m);
	THREADS(1, die_with_it);
	THREADS(1, die_though_told);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	recover();
}

static void *die_with_both(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&n) == 0);
	return arg;
}

static void all_mutexes_of_a_thread_get_free(void)
{
	init(&m);
	init(&n);
	THREADS(1, die_with_both);
	assert(pthread_mutex_lock(&n) == EOWNERDEAD);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
}

static void *exit_with_it(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	pthread_exit(arg);
}

static void pthread_exit_frees_them_too(void)
{
	init(&m);
	THREADS(1, exit_with_it);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	recover();
}

static void consistent_of_a_stalled_mutex(void)
{
	init_as(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_consistent(&m) == EINVAL);
	assert(pthread_mutex_unlock(&m) == 0);
	THREADS(1, lock_and_unlock);
}

static void *wait_for_data(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	data = 1;
	while (data == 1) {
		int error = pthread_cond_wait(&c, &m);

		assert(error == 0 || error == EOWNERDEAD);
		if (error)
			assert(pthread_mutex_consistent(&m) == 0);
	}
	assert(data == 2);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void *signal_and_die(void *arg)
{
	int error = pthread_mutex_lock(&m);

	assert(error == 0);
	if (data == 1) {
		data = 2;
		assert(pthread_cond_signal(&c) == 0);
		return arg;
	}
	assert(pthread_mutex_unlock(&m) == 0);
	return signal_and_die(arg);
}

static void a_wait_is_told(void)
{
	pthread_t t[2];

	init(&m);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_create(&t[0], NULL, wait_for_data, NULL) == 0);
	while (!data)
		assert(pthread_cond_timedwait(&c, &m, &(struct timespec){ 0, 0 }) == ETIMEDOUT);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_create(&t[1], NULL, signal_and_die, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void a_wait_that_gives_up_an_inconsistent_mutex_loses_it(void)
{
	const struct timespec past = { 0, 0 };

	init(&m);
	THREADS(1, die_with_it);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	assert(pthread_cond_timedwait(&c, &m, &past) == ENOTRECOVERABLE);
	assert(pthread_mutex_unlock(&m) == EPERM);
}

static void *enter(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(inside++ == 0);
	inside--;
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void it_excludes_as_others_do(void)
{
	init(&m);
	THREADS(2, enter);
}

static void *die_deep(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void a_recursive_one_counts(void)
{
	init_as(&m, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST);
	THREADS(1, die_deep);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_consistent(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
}

static void *write_and_die(void *arg)
{
	int error = pthread_mutex_lock(&m);

	assert(error == 0 || error == EOWNERDEAD);
	assert(data == (error ? 1 : 0));
	data++;
	return arg;
}

static void the_dead_owner_orders_what_it_wrote(void)
{
	init(&m);
	THREADS(2, write_and_die);
}

static void init_again_after_it_was_lost(void)
{
	lose();
	destroy(&m);
	init(&m);
	THREADS(1, lock_and_unlock);
}

/* --- how they fail ---------------------------------------------------------------------------- */

static void make(int type)
{
	pthread_mutexattr_t attr;

	GIVES(0, pthread_mutexattr_init(&attr));
	GIVES(0, pthread_mutexattr_settype(&attr, type));
	GIVES(0, pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	GIVES(0, pthread_mutex_init(&m, &attr));
}

static void *die_holding_it(void *arg)
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
		THREADS(1, die_holding_it);
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
	THREADS(1, die_holding_it);
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
	THREADS(1, die_holding_it);
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
	THREADS(1, die_holding_it);
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
	THREADS(1, die_holding_it);
	GIVES(EINVAL, pthread_mutex_consistent(&m));
	GIVES(EOWNERDEAD, pthread_mutex_lock(&m));
	GIVES(0, pthread_mutex_consistent(&m));
	GIVES(0, pthread_mutex_unlock(&m));
}

CASES(CASE(who_locks_next_is_told), CASE(who_waits_is_told), CASE(timedlock_is_told),
      CASE(a_consistent_mutex_is_as_before), CASE(without_consistent_it_is_lost),
      CASE(all_that_wait_for_a_lost_mutex_are_told), CASE(a_stalled_mutex_stays_locked),
      CASE(two_owners_die), CASE(an_owner_that_was_told_dies),
      CASE(all_mutexes_of_a_thread_get_free), CASE(pthread_exit_frees_them_too),
      CASE(consistent_of_a_stalled_mutex), CASE(a_wait_is_told),
      CASE(a_wait_that_gives_up_an_inconsistent_mutex_loses_it), CASE(it_excludes_as_others_do),
      CASE(a_recursive_one_counts), CASE(the_dead_owner_orders_what_it_wrote),
      CASE(init_again_after_it_was_lost), CASE(pthread_mutex_lock_EOWNERDEAD),
      CASE(pthread_mutex_trylock_EOWNERDEAD), CASE(pthread_mutex_timedlock_EOWNERDEAD),
      CASE(pthread_mutex_clocklock_EOWNERDEAD), CASE(pthread_mutex_lock_ENOTRECOVERABLE),
      CASE(pthread_mutex_trylock_ENOTRECOVERABLE), CASE(pthread_mutex_timedlock_ENOTRECOVERABLE),
      CASE(pthread_mutex_clocklock_ENOTRECOVERABLE), CASE(pthread_mutex_unlock_EPERM_of_robust),
      CASE(pthread_mutex_consistent_EINVAL), CASE(pthread_mutex_consistent_EINVAL_of_stalled),
      CASE(pthread_mutex_consistent_EINVAL_of_another))
