/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several threads have rounds whose read-modify-writes cancel out: do they stay in their loops for ever, or end each other's?
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case two_for_ever: bug await-stuck at bug: nothing
 * case two_for_ever -m tso -j 2: bug await-stuck at bug: nothing
 * case two_for_ever -m ra -e mo: bug await-stuck at bug: nothing
 * case a_lock_that_is_kept: bug await-stuck at bug: waits_for_a_lock
 * case a_lock_that_is_kept -m sc --backend=fork: bug await-stuck at bug: waits_for_a_lock
 * case a_lock_that_is_kept -m rc20: bug await-stuck at bug: waits_for_a_lock
 * case two_wait_for_three: bug await-stuck at bug: waits_for_three
 * case three_wait_for_three: ok 1032
 * case two_of_two_steps: ok 2
 * case two_of_one_step: bug await-stuck at bug: nothing
 * case leaves_from_within: ok 4
 * case never_at_once: bug await-stuck at bug: never_at_once
 * case stays_within: bug await-stuck at bug: nothing
 * case go_round_at_two_places: bug await-stuck at bug: nothing
 * case too_many_sums: inconclusive cancel out
 * case end_each_other: ok 2
 * case for_ever_when_all_is_over: bug await-stuck at bug: when_all_is_over
 * case main_does_not_wait: ok 2
 * case main_does_not_wait -m sc --backend=fork: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int x, y;

static void *nothing(void *arg)
{
	for (;;) {
		atomic_fetch_add(&x, 1); /* bug: nothing */
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void two_for_ever(void)
{
	THREADS(2, nothing);
}

/* A lock that the thread which has it never gives back. */
static void *waits_for_a_lock(void *arg)
{
	while (atomic_fetch_add(&x, 1)) /* bug: waits_for_a_lock */
		atomic_fetch_add(&x, -1);
	atomic_fetch_add(&x, -1);
	return arg;
}

static void a_lock_that_is_kept(void)
{
	assert(!atomic_fetch_add(&x, 1));
	THREADS(3, waits_for_a_lock);
}

static void *adds_one(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

/* Who did other things before, and stops where it comes by again. */
static void *starts_late(void *arg)
{
	atomic_fetch_add(&y, 1);
	atomic_fetch_add(&x, 2);
	atomic_fetch_sub(&x, 1);
	while (atomic_fetch_add(&x, 1)) /* bug: when_all_is_over */
		atomic_fetch_add(&x, -1);
	return arg;
}

static void for_ever_when_all_is_over(void)
{
	RUN(starts_late, adds_one, waits_for_a_lock);
}

/* They go round until the process ends with main. */
static void main_does_not_wait(void)
{
	pthread_t thread;

	assert(!atomic_fetch_add(&x, 1));
	for (int i = 0; i < 2; i++)
		assert(!pthread_create(&thread, NULL, waits_for_a_lock, NULL));
}

/* Who finds that two others are in their rounds gets out. */
static void *waits_for_three(void *arg)
{
	while (atomic_fetch_add(&x, 1) < 2) /* bug: waits_for_three */
		atomic_fetch_sub(&x, 1);
	atomic_fetch_add(&x, 4);
	return arg;
}

static void two_wait_for_three(void)
{
	THREADS(2, waits_for_three);
}

static void three_wait_for_three(void)
{
	THREADS(3, waits_for_three);
}

/* They end when another one has ended. */
static void *takes_one_step(void *arg)
{
	while (atomic_fetch_add(&x, 1) < 4)
		atomic_fetch_sub(&x, 1);
	return arg;
}

static void *takes_two_steps(void *arg)
{
	while (atomic_fetch_add(&x, 1) < 4) {
		atomic_fetch_add(&x, 1);
		atomic_fetch_sub(&x, 2);
	}
	return arg;
}

static void two_of_two_steps(void)
{
	RUN(takes_two_steps, waits_for_three);
}

static void two_of_one_step(void)
{
	RUN(nothing, waits_for_three);
}

/* What it finds in a round tells whether it looks once more; only that can get it out. */
static void *looks_twice(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 1 || atomic_fetch_add(&x, 0) != 2)
		atomic_fetch_sub(&x, 1);
	atomic_fetch_add(&x, 4);
	return arg;
}

static void leaves_from_within(void)
{
	RUN(takes_one_step, looks_twice);
}

static void *stays_in_any_case(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 1 || atomic_fetch_add(&x, 0) < 7)
		atomic_fetch_sub(&x, 1);
	return arg;
}

static void stays_within(void)
{
	RUN(nothing, stays_in_any_case);
}

static void *waits_at_another(void *arg)
{
	while (atomic_fetch_add(&y, 1))
		atomic_fetch_sub(&y, 1);
	return arg;
}

static void go_round_at_two_places(void)
{
	atomic_init(&y, 1);
	RUN(nothing, nothing, waits_at_another, waits_at_another);
}

/* More values of x than are followed. */
static void *adds_up(void *arg)
{
	for (;;) {
		for (int i = 0; i < 33; i++)
			atomic_fetch_add(&x, 1);
		atomic_fetch_sub(&x, 33);
	}
	return arg;
}

static void *adds_much(void *arg)
{
	for (;;) {
		atomic_fetch_add(&x, 64);
		atomic_fetch_sub(&x, 64);
	}
	return arg;
}

static void too_many_sums(void)
{
	RUN(adds_up, adds_much);
}

/* Two that exclude each other: who would find the other one there gets out, and never does. */
static void *is_never_met(void *arg)
{
	for (;;) {
		if (atomic_fetch_add(&x, 1) == 0) { /* bug: never_at_once */
			if (atomic_fetch_add(&x, 16) & 16)
				return arg;
			atomic_fetch_sub(&x, 16);
		}
		atomic_fetch_sub(&x, 1);
	}
}

static void never_at_once(void)
{
	THREADS(2, is_never_met);
}

/* Each is in its loop for ever if the other one does nothing, and lets it out if it does. */
static void *waits_for_another(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 1)
		atomic_fetch_sub(&x, 1);
	return arg;
}

static void end_each_other(void)
{
	THREADS(2, waits_for_another);
}

CASES(CASE(two_for_ever), CASE(a_lock_that_is_kept), CASE(for_ever_when_all_is_over),
      CASE(main_does_not_wait), CASE(two_wait_for_three), CASE(three_wait_for_three),
      CASE(two_of_two_steps), CASE(two_of_one_step), CASE(leaves_from_within), CASE(stays_within),
      CASE(go_round_at_two_places), CASE(too_many_sums), CASE(never_at_once), CASE(end_each_other))
