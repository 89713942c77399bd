/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * once.c - pthread_once
 *
 * case the_routine_runs_once: ok 2
 * case everybody_sees_what_it_did: ok *
 * case done_before_the_first_thread: ok 1
 * case called_by_its_own_routine: bug deadlock
 */
#include <pthread.h>

#include "cases.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void routine(void)
{
	runs++;
}

static void *call(void *arg)
{
	assert(pthread_once(&once, routine) == 0);
	assert(runs == 1);
	return arg;
}

static void the_routine_runs_once(void)
{
	THREADS(2, call);
	assert(runs == 1);
}

static void everybody_sees_what_it_did(void)
{
	THREADS(3, call);
}

static void done_before_the_first_thread(void)
{
	call(NULL);
	THREADS(2, call);
}

static void again(void)
{
	pthread_once(&once, again);
}

static void *call_again(void *arg)
{
	pthread_once(&once, again);
	return arg;
}

static void called_by_its_own_routine(void)
{
	THREADS(1, call_again);
}

CASES(CASE(the_routine_runs_once), CASE(everybody_sees_what_it_did),
      CASE(done_before_the_first_thread), CASE(called_by_its_own_routine))
