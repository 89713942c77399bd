/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutex.c - pthread_mutex_*
 *
 * case lock_of_a_constant: bug crash at pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)constant)
 * case a_timed_lock_of_a_constant: bug crash at pthread_mutex_timedlock((pthread_mutex_t *)
 * case lock_excludes: ok 2
 * case lock_in_two_orders: bug deadlock at THREADS(2, both)
 * case normal_relock_blocks_for_ever: bug deadlock at THREADS(1, relock)
 * case recursive_counts: ok 2
 * case errorcheck_tells: ok 2
 * case adaptive_excludes: ok 2
 * case static_initialisers: ok 1
 * case shared_by_processes: ok 2
 * case trylock_of_a_locked_mutex_is_busy: ok 4
 * case a_timed_lock_gets_it_or_times_out: ok 3
 * case timed_locks_in_two_orders: ok 7
 * case time_has_passed_after_a_time_out: ok 1
 * case unlock_by_another_thread: bug lock-misuse at bug: unlock
 * case unlock_of_an_unlocked_mutex: bug lock-misuse at bug: unlock
 * case destroy_of_a_locked_mutex: bug lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case locked_before_the_first_thread: ok 1
 * case locked_before_the_first_thread_for_ever: bug deadlock at THREADS(1, enter)
 * case init_again_after_destroy: ok 4
 * case init_races_with_lock: bug data-race
 * case a_mutex_orders_what_it_protects: ok 2
 * case two_mutexes_order_nothing: bug data-race
 * case a_mutex_on_the_stack_of_each_call: ok 1
 * case a_ceiling_is_set_by_who_has_the_mutex: bug deadlock at THREADS(1, set_ceiling)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int inside, shared;

static void *enter(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(inside++ == 0);
	inside--;
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void lock_excludes(void)
{
	THREADS(2, enter);
}

static void *both(void *arg)
{
	pthread_mutex_lock(arg ? &m : &n);
	pthread_mutex_lock(arg ? &n : &m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return NULL;
}

static void lock_in_two_orders(void)
{
	THREADS(2, both);
}

static void *relock(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	return arg;
}

static void normal_relock_blocks_for_ever(void)
{
	THREADS(1, relock);
}

static void init_type(pthread_mutex_t *mutex, int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	assert(pthread_mutexattr_settype(&attr, type) == 0);
	assert(pthread_mutex_init(mutex, &attr) == 0);
	pthread_mutexattr_destroy(&attr);
}

static void *recurse(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_trylock(&m) == 0);
	assert(inside++ == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(inside-- == 1);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return arg;
}

static void recursive_counts(void)
{
	init_type(&m, PTHREAD_MUTEX_RECURSIVE);
	THREADS(2, recurse);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void *check(void *arg)
{
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == EDEADLK);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void errorcheck_tells(void)
{
	init_type(&m, PTHREAD_MUTEX_ERRORCHECK);
	THREADS(2, check);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void adaptive_excludes(void)
{
	init_type(&m, PTHREAD_MUTEX_ADAPTIVE_NP);
	THREADS(2, enter);
	assert(pthread_mutex_destroy(&m) == 0);
}

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void *use_initialised(void *arg)
{
	assert(pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_unlock(&recursive) == 0);
	assert(pthread_mutex_unlock(&recursive) == 0);
	assert(pthread_mutex_lock(&errorcheck) == 0);
	assert(pthread_mutex_lock(&errorcheck) == EDEADLK);
	assert(pthread_mutex_unlock(&errorcheck) == 0);
	assert(pthread_mutex_lock(&adaptive) == 0);
	assert(pthread_mutex_trylock(&adaptive) == EBUSY);
	assert(pthread_mutex_unlock(&adaptive) == 0);
	return arg;
}

static void static_initialisers(void)
{
	THREADS(1, use_initialised);
}

static void shared_by_processes(void)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
	THREADS(2, enter);
}

static void *try(void *arg)
{
	int error = pthread_mutex_trylock(&m);

	assert(error == 0 || error == EBUSY);
	if (!error) {
		assert(inside++ == 0);
		inside--;
		assert(pthread_mutex_unlock(&m) == 0);
	}
	return arg;
}

static void trylock_of_a_locked_mutex_is_busy(void)
{
	assert(pthread_mutex_trylock(&m) == 0);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	assert(pthread_mutex_unlock(&m) == 0);
	THREADS(2, try);
}

static const struct timespec past = { 0, 0 };

static void *lock_in_time(void *arg)
{
	int error = arg ? pthread_mutex_lock(&m) : pthread_mutex_timedlock(&m, &past);

	assert(error == 0 || (!arg && error == ETIMEDOUT));
	if (!error) {
		assert(inside++ == 0);
		inside--;
		assert(pthread_mutex_unlock(&m) == 0);
	}
	return arg;
}

static void a_timed_lock_gets_it_or_times_out(void)
{
	THREADS(2, lock_in_time);
}

static void *both_in_time(void *arg)
{
	pthread_mutex_t *first = arg ? &m : &n, *second = arg ? &n : &m;
	int error;

	assert(pthread_mutex_lock(first) == 0);
	error = pthread_mutex_timedlock(second, &past);
	assert(error == 0 || error == ETIMEDOUT);
	if (!error)
		assert(pthread_mutex_unlock(second) == 0);
	assert(pthread_mutex_unlock(first) == 0);
	return arg;
}

static void timed_locks_in_two_orders(void)
{
	THREADS(2, both_in_time);
}

static bool earlier(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void *wait_a_little(void *arg)
{
	struct timespec until, now;

	assert(clock_gettime(CLOCK_REALTIME, &until) == 0);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert(pthread_mutex_timedlock(&m, &until) == ETIMEDOUT);
	assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
	assert(!earlier(now, until));
	return arg;
}

static void time_has_passed_after_a_time_out(void)
{
	assert(pthread_mutex_lock(&m) == 0);
	THREADS(1, wait_a_little);
	assert(pthread_mutex_unlock(&m) == 0);
}

static void *unlock(void *arg)
{
	pthread_mutex_unlock(&m); /* bug: unlock */
	return arg;
}

static void unlock_by_another_thread(void)
{
	pthread_mutex_lock(&m);
	THREADS(1, unlock);
}

static void unlock_of_an_unlocked_mutex(void)
{
	THREADS(1, unlock);
}

static void *lock_only(void *arg)
{
	pthread_mutex_lock(&m); /* bug: use_after_destroy */
	return arg;
}

static void destroy_of_a_locked_mutex(void)
{
	THREADS(1, lock_only);
	pthread_mutex_destroy(&m); /* bug: destroy_of_a_locked_mutex */
}

static void use_after_destroy(void)
{
	pthread_mutex_destroy(&m);
	THREADS(1, lock_only);
}

static void locked_before_the_first_thread(void)
{
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_create(&t, NULL, enter, NULL) == 0);
	inside = 0;
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void locked_before_the_first_thread_for_ever(void)
{
	pthread_mutex_lock(&m);
	THREADS(1, enter);
}

static void init_again_after_destroy(void)
{
	for (int i = 0; i < 2; i++) {
		assert(pthread_mutex_init(&m, NULL) == 0);
		THREADS(2, enter);
		assert(pthread_mutex_destroy(&m) == 0);
	}
}

static void *init(void *arg)
{
	if (arg)
		pthread_mutex_init(&m, NULL); /* bug: init_races_with_lock */
	else
		enter(NULL);
	return NULL;
}

static void init_races_with_lock(void)
{
	THREADS(2, init);
}

static void *add(void *arg)
{
	pthread_mutex_lock(&m);
	shared++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_mutex_orders_what_it_protects(void)
{
	THREADS(2, add);
	assert(shared == 2);
}

static void *add_under_its_own(void *arg)
{
	pthread_mutex_lock(arg ? &m : &n);
	shared++; /* bug: two_mutexes_order_nothing */
	pthread_mutex_unlock(arg ? &m : &n);
	return NULL;
}

static void two_mutexes_order_nothing(void)
{
	THREADS(2, add_under_its_own);
}

static void use_local(int type)
{
	pthread_mutex_t local;

	init_type(&local, type);
	assert(pthread_mutex_lock(&local) == 0);
	assert(pthread_mutex_unlock(&local) == 0);
	assert(pthread_mutex_destroy(&local) == 0);
}

static void *locals(void *arg)
{
	use_local(PTHREAD_MUTEX_NORMAL);
	use_local(PTHREAD_MUTEX_RECURSIVE);
	use_local(PTHREAD_MUTEX_ERRORCHECK);
	return arg;
}

static void a_mutex_on_the_stack_of_each_call(void)
{
	THREADS(2, locals);
}

static void *set_ceiling(void *arg)
{
	int old;

	assert(pthread_mutex_setprioceiling(&m, 7, &old) == 0);
	return arg;
}

/* With glibc only real-time threads may lock such a mutex. */
static void a_ceiling_is_set_by_who_has_the_mutex(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	THREADS(1, set_ceiling);
}

/* It looks as if somebody had it, and nobody can ever take it. */
static const char constant[64] = "taken";

static void *lock_constant(void *arg)
{
	pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)constant);
	return arg;
}

static void lock_of_a_constant(void)
{
	THREADS(1, lock_constant);
}

static void *lock_constant_until(void *arg)
{
	struct timespec past = { 0 };

	pthread_mutex_timedlock((pthread_mutex_t *)(uintptr_t)constant, &past);
	return arg;
}

static void a_timed_lock_of_a_constant(void)
{
	THREADS(1, lock_constant_until);
}

CASES(CASE(lock_of_a_constant), CASE(a_timed_lock_of_a_constant), CASE(lock_excludes),
      CASE(lock_in_two_orders), CASE(normal_relock_blocks_for_ever), CASE(recursive_counts),
      CASE(errorcheck_tells), CASE(adaptive_excludes), CASE(static_initialisers),
      CASE(shared_by_processes), CASE(trylock_of_a_locked_mutex_is_busy),
      CASE(a_timed_lock_gets_it_or_times_out), CASE(timed_locks_in_two_orders),
      CASE(time_has_passed_after_a_time_out), CASE(unlock_by_another_thread),
      CASE(unlock_of_an_unlocked_mutex), CASE(destroy_of_a_locked_mutex), CASE(use_after_destroy),
      CASE(locked_before_the_first_thread), CASE(locked_before_the_first_thread_for_ever),
      CASE(init_again_after_destroy), CASE(init_races_with_lock),
      CASE(a_mutex_orders_what_it_protects), CASE(two_mutexes_order_nothing),
      CASE(a_mutex_on_the_stack_of_each_call), CASE(a_ceiling_is_set_by_who_has_the_mutex))
