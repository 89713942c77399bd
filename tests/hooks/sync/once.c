/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * once.c - pthread_once
 *
 * case the_routine_runs_once: ok 2
 * case everybody_sees_what_it_did: ok 3
 * case done_before_the_first_thread: ok 1
 * case called_by_its_own_routine: bug deadlock at THREADS(1, call_again)
 * case a_routine_that_exits_is_tried_again: ok 2
 * case a_routine_that_is_cancelled_is_tried_again: ok 1
 *
 * never fails: pthread_once
 *
 * case pthread_once_gives_0: ok 2
 * case pthread_once_of_several: ok 1
 */
#include <pthread.h>

#include "hooks/fails.h"

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

static int tries;

static void exit_at_first(void)
{
	if (!tries++)
		pthread_exit(NULL);
}

static void *call_it(void *arg)
{
	assert(pthread_once(&once, exit_at_first) == 0);
	assert(tries == 2);
	return arg;
}

static void a_routine_that_exits_is_tried_again(void)
{
	THREADS(2, call_it);
	call_it(NULL);
}

static void cancelled_at_first(void)
{
	if (tries++)
		return;
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void *call_and_be_cancelled(void *arg)
{
	pthread_once(&once, cancelled_at_first);
	assert(!"it goes on");
	return arg;
}

/* POSIX: as if pthread_once() had never been called. */
static void a_routine_that_is_cancelled_is_tried_again(void)
{
	THREADS(1, call_and_be_cancelled);
	assert(tries == 1);
	assert(pthread_once(&once, cancelled_at_first) == 0);
	assert(tries == 2);
}

/* --- what it answers ---------------------------------------------------------------------------- */

static pthread_once_t inner = PTHREAD_ONCE_INIT;
static int times;

static void begin(void)
{
	times++;
}

static void *begin_once(void *arg)
{
	GIVES(0, pthread_once(&inner, begin));
	assert(times == 1);
	GIVES(0, pthread_once(&inner, begin));
	assert(times == 1);
	return arg;
}

/* Who calls it, and how often: the routine has run, once, when it comes back. */
static void pthread_once_gives_0(void)
{
	THREADS(2, begin_once);
	begin_once(NULL);
}

static pthread_once_t outer = PTHREAD_ONCE_INIT;

static void begin_both(void)
{
	GIVES(0, pthread_once(&inner, begin));
	times++;
}

static void pthread_once_of_several(void)
{
	GIVES(0, pthread_once(&outer, begin_both));
	assert(times == 2);
	GIVES(0, pthread_once(&inner, begin));
	GIVES(0, pthread_once(&outer, begin));
	assert(times == 2);
}

CASES(CASE(the_routine_runs_once), CASE(everybody_sees_what_it_did),
      CASE(done_before_the_first_thread), CASE(called_by_its_own_routine),
      CASE(a_routine_that_exits_is_tried_again), CASE(a_routine_that_is_cancelled_is_tried_again),
      CASE(pthread_once_gives_0), CASE(pthread_once_of_several))
