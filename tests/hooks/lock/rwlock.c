/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwlock.c - pthread_rwlock_*
 *
 * case wrlock_of_a_constant: bug crash at pthread_rwlock_wrlock((pthread_rwlock_t *)
 * case a_writer_excludes_writers: ok 2
 * case a_writer_excludes_readers: ok 2
 * case readers_share: bug assertion at assert(__atomic_add_fetch
 * case readers_do_not_exclude_each_other: bug data-race
 * case a_lock_orders_what_it_protects: ok 2
 * case readers_come_in_any_order: ok 6
 * case a_reader_held_for_ever: bug deadlock at bug: take_twice
 * case a_writer_held_for_ever: bug deadlock at bug: take_twice
 * case upgrading_waits_for_ever: bug deadlock at THREADS(1, upgrade)
 * case two_locks_in_two_orders: bug deadlock at THREADS(2, cross)
 * case locking_what_one_writes_is_a_deadlock: ok 2
 * case trywrlock_may_fail_or_not: ok 3
 * case a_timed_lock_may_time_out_or_not: ok 3
 * case a_timed_lock_does_not_wait_for_ever: ok 7
 * case time_has_passed_after_a_time_out: ok 1
 * case a_free_lock_does_not_time_out: ok 1
 * case timed_locks_want_valid_times: ok 1
 * case unlock_of_an_unlocked_lock: bug lock-misuse at bug: unlock_it
 * case unlock_by_another_reader: bug lock-misuse at bug: unlock_it
 * case unlock_by_another_thread: bug lock-misuse at bug: unlock_it
 * case destroy_of_a_locked_lock: bug lock-misuse
 * case use_after_destroy: bug lock-misuse
 * case init_races_with_lock: bug data-race
 * case init_again_after_destroy: ok 4
 * case locked_before_the_first_thread: ok 1
 * case locked_before_the_first_thread_for_ever: bug deadlock at THREADS(1, wait_for_main)
 * case attributes: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "cases.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;
static int inside, shared;
static const struct timespec past = { 0, 0 };

static void lock_one(long writes)
{
	assert((writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&l) == 0);
}

static void unlock(void)
{
	assert(pthread_rwlock_unlock(&l) == 0);
}

static void *write_alone(void *arg)
{
	lock_one(1);
	assert(inside++ == 0);
	inside--;
	unlock();
	return arg;
}

static void a_writer_excludes_writers(void)
{
	THREADS(2, write_alone);
}

static void *first_writes(void *arg)
{
	lock_one(!arg);
	if (!arg)
		inside++;
	else
		assert(inside == 0 || inside == 2);
	if (!arg)
		inside++;
	unlock();
	return arg;
}

static void a_writer_excludes_readers(void)
{
	THREADS(2, first_writes);
}

static void *both_inside(void *arg)
{
	lock_one(0);
	assert(__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) == 1);
	__atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
	unlock();
	return arg;
}

static void readers_share(void)
{
	THREADS(2, both_inside);
}

static void *write_as_reader(void *arg)
{
	lock_one(0);
	shared++; /* bug: readers_do_not_exclude_each_other */
	unlock();
	return arg;
}

static void readers_do_not_exclude_each_other(void)
{
	THREADS(2, write_as_reader);
}

static void *write_as_writer(void *arg)
{
	lock_one(1);
	shared++;
	unlock();
	return arg;
}

static void a_lock_orders_what_it_protects(void)
{
	THREADS(2, write_as_writer);
	assert(shared == 2);
}

/* Two readers, each of whom locks and unlocks: six orders. */
static void *read_it(void *arg)
{
	lock_one(0);
	assert(!shared);
	unlock();
	return arg;
}

static void readers_come_in_any_order(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, read_it, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	lock_one(1);
	shared = 1;
	unlock();
}

static void *take_once(void *arg)
{
	lock_one(arg != NULL);
	return arg;
}

static void take_twice(long first, long second)
{
	pthread_t t;

	lock_one(first);
	assert(pthread_create(&t, NULL, take_once, (void *)second) == 0);
	assert(pthread_join(t, NULL) == 0); /* bug: take_twice */
}

static void a_reader_held_for_ever(void)
{
	take_twice(0, 1);
}

static void a_writer_held_for_ever(void)
{
	take_twice(1, 0);
}

static void *upgrade(void *arg)
{
	lock_one(0);
	pthread_rwlock_wrlock(&l);
	return arg;
}

static void upgrading_waits_for_ever(void)
{
	THREADS(1, upgrade);
}

static void *cross(void *arg)
{
	pthread_rwlock_wrlock(arg ? &l : &k);
	pthread_rwlock_rdlock(arg ? &k : &l);
	pthread_rwlock_unlock(&k);
	pthread_rwlock_unlock(&l);
	return arg;
}

static void two_locks_in_two_orders(void)
{
	THREADS(2, cross);
}

static void *write_twice(void *arg)
{
	lock_one(1);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK);
	assert(pthread_rwlock_rdlock(&l) == EDEADLK);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
	unlock();
	return arg;
}

static void locking_what_one_writes_is_a_deadlock(void)
{
	write_twice(NULL);
	THREADS(2, write_twice);
}

/* It comes first, finds the lock taken, or comes last. */
static void *try_or_not(void *arg)
{
	int error = arg ? pthread_rwlock_wrlock(&l) : pthread_rwlock_trywrlock(&l);

	assert(error == 0 || (!arg && error == EBUSY));
	if (!error)
		unlock();
	return arg;
}

static void trywrlock_may_fail_or_not(void)
{
	THREADS(2, try_or_not);
}

static void *lock_within_time(void *arg)
{
	int error;

	if (arg)
		error = pthread_rwlock_wrlock(&l);
	else
		error = pthread_rwlock_timedwrlock(&l, &past);
	assert(error == 0 || (!arg && error == ETIMEDOUT));
	if (!error) {
		shared++;
		unlock();
	}
	return arg;
}

static void a_timed_lock_may_time_out_or_not(void)
{
	THREADS(2, lock_within_time);
	assert(shared == 1 || shared == 2);
}

static void *cross_in_time(void *arg)
{
	pthread_rwlock_t *first = arg ? &l : &k, *second = arg ? &k : &l;
	int error;

	assert(pthread_rwlock_wrlock(first) == 0);
	error = pthread_rwlock_timedwrlock(second, &past);
	assert(error == 0 || error == ETIMEDOUT);
	if (!error)
		assert(pthread_rwlock_unlock(second) == 0);
	assert(pthread_rwlock_unlock(first) == 0);
	return arg;
}

static void a_timed_lock_does_not_wait_for_ever(void)
{
	THREADS(2, cross_in_time);
}

static void *wait_a_little(void *arg)
{
	struct timespec until, now;

	assert(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
	assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	assert(now.tv_sec > until.tv_sec ||
	       (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	return arg;
}

static void time_has_passed_after_a_time_out(void)
{
	lock_one(0);
	THREADS(1, wait_a_little);
	unlock();
}

static void *take_free(void *arg)
{
	assert(pthread_rwlock_timedwrlock(&l, &past) == 0);
	unlock();
	assert(pthread_rwlock_timedrdlock(&l, &past) == 0);
	assert(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past) == 0);
	unlock();
	unlock();
	return arg;
}

static void a_free_lock_does_not_time_out(void)
{
	THREADS(1, take_free);
}

static void timed_locks_want_valid_times(void)
{
	struct timespec wrong = { .tv_sec = 1, .tv_nsec = 1000000000 };

	assert(pthread_rwlock_timedwrlock(&l, &wrong) == EINVAL);
	assert(pthread_rwlock_timedrdlock(&l, &wrong) == EINVAL);
	wrong.tv_nsec = -1;
	assert(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &wrong) == EINVAL);
	assert(pthread_rwlock_clockrdlock(&l, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
	THREADS(1, take_free);
}

static void *unlock_it(void *arg)
{
	pthread_rwlock_unlock(&l); /* bug: unlock_it */
	return arg;
}

static void unlock_of_an_unlocked_lock(void)
{
	THREADS(1, unlock_it);
}

static void unlock_by_another_reader(void)
{
	lock_one(0);
	THREADS(1, unlock_it);
}

static void unlock_by_another_thread(void)
{
	lock_one(1);
	THREADS(1, unlock_it);
}

static void *destroy_locked(void *arg)
{
	lock_one(0);
	pthread_rwlock_destroy(&l); /* bug: destroy_of_a_locked_lock */
	return arg;
}

static void destroy_of_a_locked_lock(void)
{
	THREADS(1, destroy_locked);
}

static void *destroy_then_lock(void *arg)
{
	assert(pthread_rwlock_destroy(&l) == 0);
	pthread_rwlock_rdlock(&l); /* bug: use_after_destroy */
	return arg;
}

static void use_after_destroy(void)
{
	THREADS(1, destroy_then_lock);
}

static void *init_or_lock(void *arg)
{
	if (arg)
		pthread_rwlock_init(&l, NULL); /* bug: init_races_with_lock */
	else
		pthread_rwlock_rdlock(&l);
	return arg;
}

static void init_races_with_lock(void)
{
	THREADS(2, init_or_lock);
}

static void init_again_after_destroy(void)
{
	for (int i = 0; i < 2; i++) {
		assert(pthread_rwlock_init(&l, NULL) == 0);
		THREADS(2, write_alone);
		assert(pthread_rwlock_destroy(&l) == 0);
	}
}

static void *wait_for_main(void *arg)
{
	lock_one(1);
	assert(shared == 1);
	unlock();
	return arg;
}

static void locked_before_the_first_thread(void)
{
	pthread_t t;

	lock_one(1);
	assert(pthread_create(&t, NULL, wait_for_main, NULL) == 0);
	shared = 1;
	unlock();
	assert(pthread_join(t, NULL) == 0);
}

static void locked_before_the_first_thread_for_ever(void)
{
	lock_one(0);
	lock_one(0);
	unlock();
	THREADS(1, wait_for_main);
}

static void attributes(void)
{
	pthread_rwlockattr_t attr;
	int value = -1;

	assert(pthread_rwlockattr_init(&attr) == 0);
	assert(pthread_rwlockattr_getpshared(&attr, &value) == 0);
	assert(value == PTHREAD_PROCESS_PRIVATE);
	assert(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
	assert(pthread_rwlock_init(&l, &attr) == 0);
	assert(pthread_rwlockattr_destroy(&attr) == 0);
	THREADS(1, write_alone);
	assert(pthread_rwlock_destroy(&l) == 0);
}

/* It looks as if somebody had it, and nobody can ever take it. */
static const char constant[64] = "taken";

static void *lock_constant(void *arg)
{
	pthread_rwlock_wrlock((pthread_rwlock_t *)(uintptr_t)constant);
	return arg;
}

static void wrlock_of_a_constant(void)
{
	THREADS(1, lock_constant);
}

CASES(CASE(wrlock_of_a_constant), CASE(a_writer_excludes_writers), CASE(a_writer_excludes_readers),
      CASE(readers_share), CASE(readers_do_not_exclude_each_other),
      CASE(a_lock_orders_what_it_protects), CASE(readers_come_in_any_order),
      CASE(a_reader_held_for_ever), CASE(a_writer_held_for_ever), CASE(upgrading_waits_for_ever),
      CASE(two_locks_in_two_orders), CASE(locking_what_one_writes_is_a_deadlock),
      CASE(trywrlock_may_fail_or_not), CASE(a_timed_lock_may_time_out_or_not),
      CASE(a_timed_lock_does_not_wait_for_ever), CASE(time_has_passed_after_a_time_out),
      CASE(a_free_lock_does_not_time_out), CASE(timed_locks_want_valid_times),
      CASE(unlock_of_an_unlocked_lock), CASE(unlock_by_another_reader),
      CASE(unlock_by_another_thread), CASE(destroy_of_a_locked_lock), CASE(use_after_destroy),
      CASE(init_races_with_lock), CASE(init_again_after_destroy),
      CASE(locked_before_the_first_thread), CASE(locked_before_the_first_thread_for_ever),
      CASE(attributes))
