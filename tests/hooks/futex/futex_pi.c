/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_pi.c - locks with priority inheritance
 *
 * case lock_without_others: ok 1
 * case lock_twice: ok 1
 * case lock_excludes: ok 6
 * case lock_in_user_space_excludes: ok 8
 * case lock_of_three: ok 66
 * case lock_of_three -e value: ok 66
 * case any_of_two_gets_it: bug assertion
 * case unlock_in_user_space_forgets_waiters: bug deadlock
 * case never_unlocked: bug deadlock
 * case a_shared_unlock_finds_no_private_sleeper: bug deadlock
 * case what_a_lock_protects_is_seen: ok 278
 * case what_is_not_protected_races: bug data-race
 * case trylock_of_a_taken_one: ok 2
 * case trylock_in_a_loop: ok 4
 * case unlock_of_another_one: ok 1
 * case timed_lock_times_out: ok 1
 * case timed_lock_may_get_it: ok 2
 * case timed_lock_of_an_ended_one: ok 1
 * case stale_bits_are_taken_over: ok 1
 * case a_circle_is_found: ok 2
 * case a_chain_is_none: ok 36
 * case owner_ends: ok 2
 * case owner_ends_first: ok 1
 * case owner_ends_before_a_timeout: bug assertion at assert(!(atomic_load
 * case owner_ends_before_a_timeout -e value: bug assertion at assert(!(atomic_load
 * case owner_ends_before_a_try: bug assertion
 * case owner_ends_and_nobody_recovers: bug deadlock at end(t[i])
 */
#define _GNU_SOURCE
#include "futexes.h"

/* ---- Locks with priority inheritance ---- */

static void *lock_alone(void *arg)
{
	lock_now(&word);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI2, 0, &passed, NULL, 0) == 0);
	unlock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, 0, &passed, NULL, 0) == 0);
	unlock_now(&word);
	return arg;
}

static void lock_without_others(void)
{
	lock_alone(NULL);
	THREADS(1, lock_alone);
}

static void *fail_with_one(void *arg)
{
	lock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	assert(futex(&word, FUTEX_LOCK_PI2, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	unlock_now(&word);
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
	return arg;
}

static void lock_twice(void)
{
	fail_with_one(NULL);
	THREADS(1, fail_with_one);
}

static void *count_now(void *arg)
{
	lock_now(&word);
	data++;
	unlock_now(&word);
	return arg;
}

static void lock_excludes(void)
{
	THREADS(2, count_now);
	assert(data == 2 && atomic_load(&word) == 0);
}

static void *count_up(void *arg)
{
	lock(&word);
	data++;
	unlock(&word);
	return arg;
}

static void lock_in_user_space_excludes(void)
{
	THREADS(2, count_up);
	assert(data == 2 && atomic_load(&word) == 0);
}

static void lock_of_three(void)
{
	THREADS(3, count_now);
	assert(data == 3 && atomic_load(&word) == 0);
}

static void *lock_and_say_so(void *arg)
{
	lock_now(&word);
	if (!data)
		data = (int)(long)arg;
	unlock_now(&word);
	return arg;
}

static void any_of_two_gets_it(void)
{
	pthread_t t[2];

	lock_now(&word);
	t[0] = begin(lock_and_say_so, (void *)1);
	t[1] = begin(lock_and_say_so, (void *)2);
	unlock_now(&word);
	end(t[0]);
	end(t[1]);
	assert(data == 1); /* bug: any_of_two_gets_it */
}

/* Would main end, the other got it. */
static void unlock_in_user_space_forgets_waiters(void)
{
	pthread_t t;

	lock(&word);
	t = begin(count_up, NULL);
	atomic_store(&word, 0);
	end(t); /* bug: unlock_in_user_space_forgets_waiters */
}

static void never_unlocked(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(count_now, NULL);
	end(t); /* bug: never_unlocked */
}

static void a_shared_unlock_finds_no_private_sleeper(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(count_now, NULL);
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert((atomic_load(&word) & FUTEX_TID_MASK) != (unsigned)gettid());
	end(t); /* bug: a_shared_unlock_finds_no_private_sleeper */
}

static void *add(void *arg)
{
	for (int i = 0; i < 2; i++)
		count_up(NULL);
	return arg;
}

static void what_a_lock_protects_is_seen(void)
{
	THREADS(2, add);
	assert(data == 4);
}

static void *count_behind(void *arg)
{
	lock(&word);
	unlock(&word);
	data++; /* bug: what_is_not_protected_races */
	return arg;
}

static void what_is_not_protected_races(void)
{
	THREADS(2, count_behind);
}

static void *try_once(void *arg)
{
	if (futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) {
		data++;
		unlock_now(&word);
	} else {
		assert(errno == EAGAIN);
		atomic_fetch_add(&done, 1);
	}
	return arg;
}

static void trylock_of_a_taken_one(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(try_once, NULL);
	data++;
	unlock_now(&word);
	end(t);
	assert(data + (int)atomic_load(&done) == 2 && atomic_load(&word) == 0);
}

static void *try_again(void *arg)
{
	while (futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0))
		assert(errno == EAGAIN);
	data++;
	unlock_now(&word);
	return arg;
}

static void trylock_in_a_loop(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(try_again, NULL);
	data++;
	unlock_now(&word);
	end(t);
	assert(data == 2);
}

static void *unlock_what_is_not_mine(void *arg)
{
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
	return arg;
}

static void unlock_of_another_one(void)
{
	lock_now(&word);
	THREADS(1, unlock_what_is_not_mine);
	unlock_now(&word);
}

static void *lock_for_a_while(void *arg)
{
	errno = 0;
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, &passed, NULL, 0) == 0) {
		data++;
		unlock_now(&word);
	} else {
		assert(errno == ETIMEDOUT);
		atomic_fetch_add(&done, 1);
	}
	return arg;
}

static void timed_lock_times_out(void)
{
	lock_now(&word);
	THREADS(1, lock_for_a_while);
	assert(atomic_load(&done) == 1);
	assert(atomic_load(&word) == (FUTEX_WAITERS | (unsigned)gettid())); /* as it was left */
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
}

static void *lock_for_long(void *arg)
{
	struct timespec t;

	assert(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
	t.tv_sec += 20;
	errno = 0;
	if (futex(&word, FUTEX_LOCK_PI2_PRIVATE, 0, &t, NULL, 0) == 0) {
		data = 1;
		unlock_now(&word);
	} else {
		assert(errno == ETIMEDOUT);
	}
	return arg;
}

static void timed_lock_may_get_it(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(lock_for_long, NULL);
	while (!(atomic_load(&word) & FUTEX_WAITERS))
		sched_yield();
	unlock_now(&word);
	end(t);
	assert(atomic_load(&word) == 0);
}

/* An owner of which nothing is left but its id, and what an owner that died left behind. */
static void *take_over(void *arg)
{
	atomic_store(&word, FUTEX_WAITERS);
	lock_now(&word);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	atomic_store(&word, FUTEX_WAITERS | FUTEX_OWNER_DIED);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert(atomic_load(&word) == (FUTEX_OWNER_DIED | (unsigned)gettid()));
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
	return arg;
}

static void stale_bits_are_taken_over(void)
{
	take_over(NULL);
	THREADS(1, take_over);
}

/* ---- Chains ---- */

static void *lock_the_other_way(void *arg)
{
	lock_now(&other);
	atomic_store(&turn, 1);
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0)
		unlock_now(&word);
	else
		atomic_fetch_add(&done, errno == EDEADLK);
	unlock_now(&other);
	return arg;
}

/* One of them is told, at least. */
static void a_circle_is_found(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(lock_the_other_way, NULL);
	while (!atomic_load(&turn))
		sched_yield();
	if (futex(&other, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0)
		unlock_now(&other);
	else
		atomic_fetch_add(&done, errno == EDEADLK);
	unlock_now(&word);
	end(t);
	assert(atomic_load(&done) >= 1);
	assert(atomic_load(&word) == 0 && atomic_load(&other) == 0);
}

static void *lock_both(void *arg)
{
	lock_now(&other);
	lock_now(&word);
	data++;
	unlock_now(&word);
	unlock_now(&other);
	return arg;
}

static void a_chain_is_none(void)
{
	pthread_t t[2];

	lock_now(&word);
	t[0] = begin(lock_both, NULL);
	t[1] = begin(lock_both, NULL);
	data++;
	unlock_now(&word);
	end(t[0]);
	end(t[1]);
	assert(data == 3);
}

/* ---- Owners that end ---- */

static atomic_uint dead;

static void *lock_and_end(void *arg)
{
	lock_now(&word);
	data = 1;
	atomic_store(&dead, (unsigned)gettid());
	atomic_store(&turn, 1);
	return arg;
}

/* Gets it from a thread that has ended, if it asked before that. */
static void *inherit(void *arg)
{
	while (!atomic_load(&turn))
		sched_yield();
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) {
		assert(data == 1);
		assert(atomic_load(&word) ==
		       (FUTEX_WAITERS | FUTEX_OWNER_DIED | (unsigned)gettid()));
		unlock_now(&word);
		assert(atomic_load(&word) == 0);
	} else {
		assert(errno == ESRCH);
		assert((atomic_load(&word) & ~FUTEX_WAITERS) == atomic_load(&dead));
	}
	return arg;
}

static void owner_ends(void)
{
	pthread_t t[2] = { begin(lock_and_end, NULL), begin(inherit, NULL) };

	end(t[0]);
	end(t[1]);
}

static void timed_lock_of_an_ended_one(void)
{
	THREADS(1, lock_and_end);
	assert(futex(&word, FUTEX_LOCK_PI, 0, &passed, NULL, 0) == -1 && errno == ESRCH);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == ESRCH);
}

static void owner_ends_first(void)
{
	THREADS(1, lock_and_end);
	assert(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == ESRCH);
	assert(atomic_load(&word) == (FUTEX_WAITERS | atomic_load(&dead)));
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
}

static void *take_and_end(void *arg)
{
	lock(&word);
	return arg;
}

/* Who waits for a while may get it of the dead. */
static void owner_ends_before_a_timeout(void)
{
	pthread_t t = begin(take_and_end, NULL);

	while (!atomic_load(&word))
		sched_yield();
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, &passed, NULL, 0) == 0)
		assert(!(atomic_load(&word) & FUTEX_OWNER_DIED));
	end(t);
}

static void *take_wait_and_end(void *arg)
{
	lock(&word);
	while (!atomic_load(&turn))
		futex(&turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

/* However the threads are run: the try may come behind the end. */
static void owner_ends_before_a_try(void)
{
	pthread_t t = begin(take_wait_and_end, NULL);

	while (!atomic_load(&word))
		sched_yield();
	atomic_store(&turn, 1);
	futex(&turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	assert(futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == -1);
	assert(errno == EAGAIN); /* bug: owner_ends_before_a_try */
	end(t);
}

static void *inherit_and_end(void *arg)
{
	futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

/* The third waits in user space for what a thread that has ended will not do. */
static void *wait_for_0(void *arg)
{
	while (atomic_load(&word))
		futex(&other, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

static void owner_ends_and_nobody_recovers(void)
{
	pthread_t t[3] = { begin(lock_and_end, NULL), begin(inherit_and_end, NULL),
			   begin(wait_for_0, NULL) };

	for (int i = 0; i < 3; i++)
		end(t[i]);
}

CASES(CASE(lock_without_others), CASE(lock_twice), CASE(lock_excludes),
      CASE(lock_in_user_space_excludes), CASE(lock_of_three), CASE(any_of_two_gets_it),
      CASE(unlock_in_user_space_forgets_waiters), CASE(never_unlocked),
      CASE(a_shared_unlock_finds_no_private_sleeper), CASE(what_a_lock_protects_is_seen),
      CASE(what_is_not_protected_races), CASE(trylock_of_a_taken_one), CASE(trylock_in_a_loop),
      CASE(unlock_of_another_one), CASE(timed_lock_times_out), CASE(timed_lock_may_get_it),
      CASE(timed_lock_of_an_ended_one), CASE(stale_bits_are_taken_over), CASE(a_circle_is_found),
      CASE(a_chain_is_none), CASE(owner_ends), CASE(owner_ends_first),
      CASE(owner_ends_before_a_timeout), CASE(owner_ends_before_a_try),
      CASE(owner_ends_and_nobody_recovers))
