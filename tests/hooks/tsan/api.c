/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * api.c - heddle.h
 *
 * case choose_tries_all: ok 6
 * case choose_before_threads: ok 5
 * case choose_before_threads -j 2: ok 5
 * case choose_how_many: bug data-race at chosen++
 * case choose_without_threads: ok 7
 * case choose_without_threads -e value: ok 7
 * case a_failed_assertion_without_threads: bug assertion at heddle_assert(n * m
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

static int chosen;

static void *looks(void *arg)
{
	assert(chosen >= 0 && chosen < 5);
	return arg;
}

static void choose_before_threads(void)
{
	chosen = heddle_choose(5);
	THREADS(2, looks);
}

static void *counts(void *arg)
{
	chosen++;
	return arg;
}

/* One thread alone has no race, and two have. */
static void choose_how_many(void)
{
	int n = heddle_choose(3);

	THREADS(n, counts);
}

/* Of 3 times 4, those that follow one another are not looked at. */
static void choose_without_threads(void)
{
	int n = heddle_choose(3), m = heddle_choose(4);
	char *p = malloc(4);

	heddle_assume(m != n + 1);
	heddle_assume(m != n - 1);
	p[m] = (char)n;
	assert(p[m] == n);
	free(p);
}

static void a_failed_assertion_without_threads(void)
{
	int n = heddle_choose(3), m = heddle_choose(4);

	heddle_assert(n * m != 6);
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

CASES(CASE(choose_tries_all), CASE(choose_before_threads), CASE(choose_how_many),
      CASE(choose_without_threads), CASE(a_failed_assertion_without_threads),
      CASE(choose_of_one_is_zero), CASE(assume_drops_the_rest), CASE(a_failed_assertion),
      CASE(running_tells))
