/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * api.c - heddle.h
 *
 * case choose_tries_all: ok 6
 * case choose_of_one_is_zero: ok 1
 * case assume_drops_the_rest: ok 3
 * case a_failed_assertion: bug assertion at heddle_assert(heddle_choose
 * case running_tells: ok 1
 */
#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

#include "cases.h"

static void *choose_two(void *arg)
{
	int a = heddle_choose(2), b = heddle_choose(3);

	assert(a >= 0 && a < 2 && b >= 0 && b < 3);
	return arg;
}

static void choose_tries_all(void)
{
	THREADS(1, choose_two);
}

static void *choose_one(void *arg)
{
	assert(heddle_choose(1) == 0);
	assert(heddle_choose(-5) == 0);
	return arg;
}

static void choose_of_one_is_zero(void)
{
	assert(heddle_choose(1) == 0);
	THREADS(1, choose_one);
}

static void *assume_less(void *arg)
{
	int a = heddle_choose(5);

	heddle_assume(a < 3);
	heddle_assert(a < 3);
	return arg;
}

static void assume_drops_the_rest(void)
{
	heddle_assume(1);
	THREADS(1, assume_less);
}

static void *fails(void *arg)
{
	heddle_assert(heddle_choose(4) != 2 || !heddle_running());
	return arg;
}

static void a_failed_assertion(void)
{
	THREADS(1, fails);
}

static void *nothing(void *arg)
{
	return arg;
}

static void running_tells(void)
{
	const char *natively = getenv("HEDDLE_TEST_NATIVELY");

	assert(heddle_running() == !natively);
	THREADS(1, nothing);
	assert(heddle_running() == !natively);
}

CASES(CASE(choose_tries_all), CASE(choose_of_one_is_zero), CASE(assume_drops_the_rest),
      CASE(a_failed_assertion), CASE(running_tells))
