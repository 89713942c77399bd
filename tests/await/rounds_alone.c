/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_alone.c - loops that go through several states: under wra there is no last write, so one may
 * find now this, now that (runtime/preload/await/alone.c)
 *
 * case two_states -m wra: bug await-stuck
 * case two_states_and_a_way_out -m wra: ok 2
 * case states_in_memory -m wra: bug await-stuck at v = atomic_load(&x); // for ever
 * case states_in_memory_and_a_way_out -m wra: ok 1
 * case states_in_a_register_and_a_way_out -m wra: ok 1
 * case way_out_of_one_state -m wra: ok 1
 * case way_out_is_hidden_by_what_it_read -m wra: bug await-stuck
 * case way_out_of_two_states_is_hidden -m wra: bug await-stuck
 * case ways_out_are_hidden_one_by_one -m wra: bug await-stuck
 * case two_threads_and_one_goes_on -m wra: ok 2
 * case way_out_by_a_call -m wra: ok 2
 * case tries_a_mutex -m wra: ok 0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int x, y;

static void run(int n, void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	void *(*fn[])(void *) = { a, b, c };
	pthread_t t[3];

	if (getenv("HEDDLE_TEST_NATIVELY"))
		return; /* no machine does that */
	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *set_1(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void *set_2(void *arg)
{
	atomic_store(&x, 2);
	return arg;
}

static void *adds_to_9(void *arg)
{
	int a;

	do
		a = atomic_load(&x); /* bug: two_states */
	while (a + atomic_load(&x) != 9);
	return arg;
}

/* It may find 1 and 2 in any order, as often as it likes. */
static void two_states(void)
{
	run(3, adds_to_9, set_1, set_2);
}

static void *adds_to_3(void *arg)
{
	int a;

	do
		a = atomic_load(&x);
	while (a + atomic_load(&x) != 3);
	return arg;
}

static void two_states_and_a_way_out(void)
{
	run(3, adds_to_3, set_1, set_2);
}

/* The last three values that it found, in memory. */
static volatile int found;

static void *remembers(void *arg)
{
	int wanted = *(int *)arg, v;

	do {
		v = atomic_load(&x); // for ever
		found = (10 * found + v) % 1000;
	} while (found != wanted);
	return arg;
}

static int never = 999, some_time = 212;

static void *remembers_999(void *arg)
{
	return remembers(arg ? arg : &never);
}

static void *remembers_212(void *arg)
{
	return remembers(arg ? arg : &some_time);
}

static void states_in_memory(void)
{
	run(3, remembers_999, set_1, set_2);
}

static void states_in_memory_and_a_way_out(void)
{
	run(3, remembers_212, set_1, set_2);
}

static void *remembers_212_in_a_register(void *arg)
{
	int mine = 0;

	do
		mine = (10 * mine + atomic_load(&x)) % 1000;
	while (mine != 212);
	return arg;
}

static void states_in_a_register_and_a_way_out(void)
{
	run(3, remembers_212_in_a_register, set_1, set_2);
}

static void *looks_at_y_after_1(void *arg)
{
	for (;;)
		if (atomic_load(&x) == 1 && atomic_load(&y) == 1)
			return arg;
}

static void *set_y(void *arg)
{
	atomic_store(&y, 1);
	return arg;
}

/* y is looked at in one of its states only. */
static void way_out_of_one_state(void)
{
	run(3, looks_at_y_after_1, set_1, set_y);
}

static void *one_then_zero(void *arg)
{
	int a;

	do
		a = atomic_load(&x); /* bug: way_out_is_hidden_by_what_it_read */
	while (!(a == 1 && atomic_load(&x) == 0));
	return arg;
}

static void way_out_is_hidden_by_what_it_read(void)
{
	run(2, one_then_zero, set_1, NULL);
}

static void *something_then_zero(void *arg)
{
	int a;

	do
		a = atomic_load(&x); /* bug: way_out_of_two_states_is_hidden */
	while (!(a && atomic_load(&x) == 0));
	return arg;
}

static void way_out_of_two_states_is_hidden(void)
{
	run(3, something_then_zero, set_1, set_2);
}

static void *set_5_then_1(void *arg)
{
	atomic_store(&x, 5);
	atomic_store(&x, 1);
	return arg;
}

static void *set_6_then_2(void *arg)
{
	atomic_store(&x, 6);
	atomic_store(&x, 2);
	return arg;
}

static void *waits_for_5_or_6(void *arg)
{
	while (atomic_load(&x) < 5) /* bug: ways_out_are_hidden_one_by_one */
		;
	return arg;
}

/* Each value that it may find sends it back; when it has found both, there is no way out. */
static void ways_out_are_hidden_one_by_one(void)
{
	run(3, waits_for_5_or_6, set_5_then_1, set_6_then_2);
}

/* The first one waits for ever only where the second one does. */
static void *waits_for_y(void *arg)
{
	while (!atomic_load(&y))
		;
	return arg;
}

static void *adds_to_3_and_sets_y(void *arg)
{
	int a;

	atomic_store(&x, 2);
	do
		a = atomic_load(&x);
	while (a + atomic_load(&x) != 3);
	atomic_store(&y, 1);
	return arg;
}

static void two_threads_and_one_goes_on(void)
{
	run(3, waits_for_y, adds_to_3_and_sets_y, set_1);
}

static pthread_key_t key;

static void *adds_and_calls(void *arg)
{
	int a;

	do
		a = atomic_load(&x);
	while (a + atomic_load(&x) != 3);
	assert(pthread_setspecific(key, &x) == 0);
	return arg;
}

static void way_out_by_a_call(void)
{
	assert(pthread_key_create(&key, NULL) == 0);
	run(3, adds_and_calls, set_1, set_2);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *adds_and_tries(void *arg)
{
	int a;

	do
		a = atomic_load(&x);
	while (a + atomic_load(&x) != 9 && pthread_mutex_trylock(&m));
	return arg;
}

/* Whether a mutex is ever free is not followed. It is said that nobody knows (rounds.test). */
static void tries_a_mutex(void)
{
	pthread_mutex_lock(&m);
	run(3, adds_and_tries, set_1, set_2);
}

CASES(CASE(two_states), CASE(two_states_and_a_way_out), CASE(states_in_memory),
      CASE(states_in_memory_and_a_way_out), CASE(way_out_of_one_state),
      CASE(way_out_is_hidden_by_what_it_read), CASE(way_out_of_two_states_is_hidden),
      CASE(ways_out_are_hidden_one_by_one), CASE(states_in_a_register_and_a_way_out),
      CASE(two_threads_and_one_goes_on), CASE(way_out_by_a_call), CASE(tries_a_mutex))
