/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that poll under a lock: a round that did nothing is left out, and nothing is lost by that
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case until_all_are_done: ok 6
 * case until_all_are_done -m sc: ok 6
 * case until_all_are_done -m tso: ok 6
 * case until_all_are_done -m ra -e mo: ok 6
 * case until_all_are_done -j 2 --backend=fork: ok 6
 * case two_poll: ok 2
 * case under_two_locks: ok 6
 * case looks_at_an_atomic: ok 2
 * case for_ever: bug await-stuck
 * case for_ever -m sc -j 2: bug await-stuck
 * case one_of_two_for_ever: bug await-stuck at bug: for_ever
 * case two_for_ever: bug await-stuck at bug: for_ever
 * case stuck_behind_another_one: bug await-stuck at bug: for_both
 * case beside_a_deadlock: bug await-stuck at bug: for_ever
 * case never_gets_the_lock: bug deadlock
 * case wrong_behind_the_wait: bug assertion
 * case tried_meanwhile: bug assertion
 * case timed_meanwhile: bug assertion
 * case shows_a_state --unroll=20: bug assertion
 * case shows_its_stack --unroll=20: bug assertion
 * case counts_its_rounds: bug assertion
 * case takes_a_recursive_one: bug assertion
 * case owner_died --unroll=6: bug assertion
 * case sets_a_key: bug assertion
 * case other_memory: bug assertion
 * case races_in_a_round: bug data-race
 * case races_beyond_hb --unroll=6: bug data-race
 * case code_that_is_not_told: bug assertion
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static int done, data;
static atomic_int x;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	done++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void poll_until(int n)
{
	for (;;) {
		pthread_mutex_lock(&m); /* bug: for_ever */
		if (done == n)
			break;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_unlock(&m);
}

static void until_all_are_done(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	poll_until(3);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *polls(void *arg)
{
	poll_until((int)(long)arg);
	return arg;
}

/* Behind the worker one of the two is the first. */
static void two_poll(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, polls, (void *)1l);
	pthread_create(&t[1], NULL, polls, (void *)1l);
	worker(NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void under_two_locks(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m2);
		pthread_mutex_lock(&m);
		over = done == 3;
		pthread_mutex_unlock(&m2);
		pthread_mutex_unlock(&m);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *stores(void *arg)
{
	atomic_store(&x, 1);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void looks_at_an_atomic(void)
{
	pthread_t t;

	pthread_create(&t, NULL, stores, NULL);
	for (;;) {
		pthread_mutex_lock(&m);
		if (__atomic_load_n((int *)&x,
				    __ATOMIC_SEQ_CST)) /* atomic_load() has a variable of its own */
			break;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

static void for_ever(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	poll_until(2);
	pthread_join(t, NULL);
}

static void two_for_ever(void)
{
	pthread_t t;

	pthread_create(&t, NULL, polls, (void *)2l);
	poll_until(1);
	pthread_join(t, NULL);
}

/* The other one comes out, so it is the last to have the lock. */
static void one_of_two_for_ever(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, polls, (void *)1l);
	poll_until(2);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void *works_and_polls(void *arg)
{
	worker(NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m); /* bug: for_both */
		over = done == 2;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

/* The first one has looked too early where the other one stays for ever. */
static void stuck_behind_another_one(void)
{
	pthread_t t;

	pthread_create(&t, NULL, works_and_polls, NULL);
	poll_until(1);
	pthread_join(t, NULL);
}

static void *locks_twice(void *arg)
{
	pthread_mutex_lock(&m2);
	pthread_mutex_lock(&m2);
	return arg;
}

static void beside_a_deadlock(void)
{
	pthread_t t;

	pthread_create(&t, NULL, locks_twice, NULL);
	poll_until(1); /* or this one waits for ever */
	pthread_join(t, NULL);
}

static void *keeps(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m2);
	return arg;
}

static void never_gets_the_lock(void)
{
	pthread_t t;

	pthread_mutex_lock(&m2);
	pthread_create(&t, NULL, keeps, NULL);
	for (int i = 0; i < 9 && done != 1; i++) {
		pthread_mutex_lock(&m); /* bug: never_gets_the_lock */
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_unlock(&m2);
	pthread_join(t, NULL);
}

static void wrong_behind_the_wait(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	poll_until(1);
	pthread_mutex_lock(&m);
	assert(done == 1); /* bug: wrong_behind_the_wait */
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* Only a round that does nothing makes the try fail. */
static void *tries(void *arg)
{
	assert(pthread_mutex_trylock(&m) == 0); /* bug: tried_meanwhile */
	done++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void tried_meanwhile(void)
{
	pthread_t t;

	pthread_create(&t, NULL, tries, NULL);
	poll_until(1);
	pthread_join(t, NULL);
}

static void *tries_for_a_time(void *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	assert(pthread_mutex_timedlock(&m, &now) == 0); /* bug: timed_meanwhile */
	done++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void timed_meanwhile(void)
{
	pthread_t t;

	pthread_create(&t, NULL, tries_for_a_time, NULL);
	poll_until(1);
	pthread_join(t, NULL);
}

/* Who sees, within a round, what is undone in the end, brings the next one to an end. */
static void *sees(void *arg)
{
	int *shown = arg;

	pthread_mutex_lock(&m);
	done = *shown;
	pthread_mutex_unlock(&m);
	return arg;
}

static void show(int *here)
{
	pthread_t t;

	pthread_create(&t, NULL, sees, here);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done;
		*here = 1;
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
		*here = 0;
		pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
}

static void shows_a_state(void)
{
	show(&data);
	assert(!done); /* bug: shows_a_state */
}

static void *shows(void *arg)
{
	int here = 0;

	show(&here);
	assert(!done); /* bug: shows_its_stack */
	return arg;
}

static void shows_its_stack(void)
{
	THREADS(1, shows);
}

static void counts_its_rounds(void)
{
	pthread_t t;
	int rounds = 0;

	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over; rounds++) {
		pthread_mutex_lock(&m);
		over = done || rounds == 8;
		pthread_mutex_unlock(&m);
	}
	assert(rounds != 7); /* bug: counts_its_rounds */
	pthread_join(t, NULL);
}

static pthread_mutex_t r;

/* One level more in each round. */
static void takes_a_recursive_one(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&r, &a);
	pthread_mutex_lock(&r);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done || r.__data.__count > 8;
		pthread_mutex_lock(&r);
		pthread_mutex_unlock(&m);
	}
	assert(r.__data.__count != 5); /* bug: takes_a_recursive_one */
	pthread_join(t, NULL);
}

static void sets_a_key(void)
{
	pthread_key_t key;
	pthread_t t;

	pthread_key_create(&key, NULL);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done || pthread_getspecific(key) == (void *)8l;
		pthread_setspecific(key, (char *)pthread_getspecific(key) + 1);
		pthread_mutex_unlock(&m);
	}
	assert(pthread_getspecific(key) != (void *)6l); /* bug: sets_a_key */
	pthread_join(t, NULL);
}

static pthread_mutex_t robust;

static void *dies(void *arg)
{
	pthread_mutex_lock(&robust);
	return arg;
}

/* The first lock tells that the owner died, and nobody else is told. */
static void *asks(void *arg)
{
	int error = pthread_mutex_lock(&robust);

	if (error == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	else
		done = 1;
	pthread_mutex_unlock(&robust);
	return arg;
}

static void owner_died(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_create(&t, NULL, dies, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, asks, NULL);
	for (bool over = false; !over;) {
		if (pthread_mutex_lock(&robust) == EOWNERDEAD)
			pthread_mutex_consistent(&robust);
		over = done;
		pthread_mutex_unlock(&robust);
	}
	assert(!done); /* bug: owner_died */
	pthread_join(t, NULL);
}

/* What a round found under another lock is told by its state only. */
static void other_memory(void)
{
	pthread_t t;
	int saw = 0;

	pthread_create(&t, NULL, worker, NULL);
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&m);
		saw = saw * 2 + !done;
		pthread_mutex_unlock(&m);
	}
	assert(saw != 0x38); /* bug: other_memory */
	pthread_join(t, NULL);
}

static void *writes_without(void *arg)
{
	data = 1; /* bug: races_in_a_round */
	return worker(arg);
}

static void races_in_a_round(void)
{
	pthread_t t;

	pthread_create(&t, NULL, writes_without, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done || data;
		pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
}

/* What a round in vain reads is written behind its thread, but not in hb. */
static void *writes_later(void *arg)
{
	if (atomic_load_explicit(&x, memory_order_relaxed))
		data = 1; /* bug: races_beyond_hb */
	return arg;
}

static void races_beyond_hb(void)
{
	pthread_t t[2];
	int saw = 0;

	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, writes_later, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done;
		if (!over)
			saw |= data;
		pthread_mutex_unlock(&m);
	}
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(!saw);
}

static int secret;

__attribute__((no_sanitize("thread"), noinline)) static void count_secretly(void)
{
	secret++;
}

static void code_that_is_not_told(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done || secret == 8;
		count_secretly();
		pthread_mutex_unlock(&m);
	}
	assert(secret != 6); /* bug: code_that_is_not_told */
	pthread_join(t, NULL);
}

CASES(CASE(until_all_are_done), CASE(two_poll), CASE(under_two_locks), CASE(looks_at_an_atomic),
      CASE(for_ever), CASE(two_for_ever), CASE(one_of_two_for_ever), CASE(stuck_behind_another_one),
      CASE(beside_a_deadlock), CASE(never_gets_the_lock), CASE(wrong_behind_the_wait),
      CASE(tried_meanwhile), CASE(timed_meanwhile), CASE(shows_a_state), CASE(shows_its_stack),
      CASE(counts_its_rounds), CASE(takes_a_recursive_one), CASE(owner_died), CASE(sets_a_key),
      CASE(other_memory), CASE(races_in_a_round), CASE(races_beyond_hb),
      CASE(code_that_is_not_told))
