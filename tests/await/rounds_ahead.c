/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_ahead.c - loops that wait, in functions that do more than that behind them
 *
 * What comes behind a loop may be a call of which heddle knows nothing, or code that is not instrumented. It is not part of
 * the rounds, and no run that only tries a value out may do it (preload/liveness/stretch_frames.c). But where the way round
 * leads through such code, rounds are no longer alike.
 *
 * case a_call_behind_the_loop: ok 1
 * case a_call_in_the_function_that_called: ok 1
 * case its_caller_counts_behind_the_loop: ok 2
 * case a_thread_ends_behind_the_loop: ok 2
 * case its_caller_counts_the_rounds: bug assertion at "two rounds"
 * case longjmp_makes_the_rounds: bug assertion at "two jumps"
 */
#define _GNU_SOURCE 1
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cases.h"
#include "waits_for_x.h"

#define NOT_SEEN __attribute__((no_sanitize("thread"), noinline))

static atomic_int y;
static int counted;
static jmp_buf start;

static void *waits_and_calls(void *arg)
{
	while (!atomic_load(&x))
		;
	setlocale(LC_ALL, "C");
	atomic_store(&y, 1);
	return arg;
}

static void a_call_behind_the_loop(void)
{
	with(waits_and_calls);
}

__attribute__((noinline)) static void wait_for_x(void)
{
	while (!atomic_load(&x))
		;
}

static void *calls_after_waiting(void *arg)
{
	wait_for_x();
	setlocale(LC_ALL, "C");
	atomic_store(&y, 1);
	return arg;
}

static void a_call_in_the_function_that_called(void)
{
	with(calls_after_waiting);
}

/* As often as executions say, and no more: a run that tries a value out does not come here. */
NOT_SEEN static void *counts_after_waiting(void *arg)
{
	wait_for_x();
	counted++;
	atomic_store(&y, 1);
	return arg;
}

static void *waits_for_two(void *arg)
{
	while (atomic_load(&x) != 2)
		;
	return arg;
}

static void its_caller_counts_behind_the_loop(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, counts_after_waiting, NULL) == 0);
	assert(pthread_create(&t[1], NULL, waits_for_two, NULL) == 0);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
	assert(counted == 1);
}

static void *ends_unseen(void *arg)
{
	wait_for_x();
	return arg;
}

NOT_SEEN static void *run_unseen(void *arg)
{
	void *(*volatile fn)(void *) = ends_unseen;
	void *result = fn(arg);

	counted++;
	return result;
}

static void a_thread_ends_behind_the_loop(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, run_unseen, NULL) == 0);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	assert(pthread_join(t, NULL) == 0);
	assert(counted == 1);
}

__attribute__((noinline)) static int look(void)
{
	return atomic_load(&x);
}

NOT_SEEN static void *counts_rounds(void *arg)
{
	while (!look())
		counted++;
	return arg;
}

static void its_caller_counts_the_rounds(void)
{
	with(counts_rounds);
	assert(counted != 2 && "two rounds");
}

/* There is another way round, which changes nothing. */
__attribute__((noinline)) static void look_and_jump(void)
{
	for (int looks = 0; !atomic_load(&x); looks++)
		if (looks == 1)
			longjmp(start, 1);
}

NOT_SEEN static void *jumps(void *arg)
{
	if (setjmp(start))
		counted++;
	look_and_jump();
	return arg;
}

static void longjmp_makes_the_rounds(void)
{
	with(jumps);
	assert(counted != 2 && "two jumps");
}

CASES(CASE(a_call_behind_the_loop), CASE(a_call_in_the_function_that_called),
      CASE(its_caller_counts_behind_the_loop), CASE(a_thread_ends_behind_the_loop),
      CASE(its_caller_counts_the_rounds), CASE(longjmp_makes_the_rounds))
