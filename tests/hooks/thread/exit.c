/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit.c - the end of the program, and jumps
 *
 * never fails: exit quick_exit _exit _Exit abort longjmp _longjmp siglongjmp on_exit
 *
 * also ulimit -s unlimited: the kernel maps libraries elsewhere then
 *
 * case exit_runs_handlers_from_the_last: ok 2
 * case exit_runs_handlers_that_handlers_register: ok 2
 * case exit_in_a_thread: ok 1
 * case exit_in_two_threads: ok 4
 * case exit_in_two_threads_without_handlers: ok 1
 * case exit_in_two_threads_by_who_is_first: bug assertion at pthread_self(), first
 * case quick_exit_in_two_threads: ok 4
 * case a_handler_exits: ok 2
 * case a_handler_joins_one_that_exits: bug deadlock
 * case exit_gives_on_exit_the_status: ok 2
 * case pthread_exit_of_the_last_thread_exits_with_0: ok 1
 * case _exit_runs_no_handlers: ok 1
 * case _Exit_runs_no_handlers: ok 1
 * case quick_exit_runs_its_own_handlers_only: ok 2
 * case atexit_takes_32: ok 2
 * case main_ends_and_a_thread_looks_for_ever: ok 1
 * case main_ends_and_a_thread_looks_and_yields: ok 1
 * case main_ends_and_a_thread_works_for_ever: ok 2
 * case main_joins_a_thread_that_looks_for_ever: bug await-stuck at looks until told
 * case longjmp_gives_the_value: ok 1
 * case longjmp_of_0_gives_1: ok 1
 * case siglongjmp_restores_the_mask: ok 1
 * case _longjmp_leaves_the_mask: ok 1
 */
#define _GNU_SOURCE
#include <heddle.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "hooks/fails.h"

static int steps;

#define STEP(n)                       \
	static void step_##n(void)    \
	{                             \
		assert(++steps == n); \
	}

STEP(0)
STEP(1)
STEP(2)

/* The last step has two executions, so a handler that does not run is seen. */
static int order;

static void *meet(void *arg)
{
	__atomic_exchange_n(&order, 1, __ATOMIC_RELAXED);
	return arg;
}

static void step_3(void)
{
	assert(++steps == 3);
	THREADS(2, meet);
}

static void never(void)
{
	abort();
}

static void exit_runs_handlers_from_the_last(void)
{
	GIVES(0, atexit(step_3));
	GIVES(0, atexit(step_2));
	GIVES(0, atexit(step_1));
	exit(0);
}

static void register_one(void)
{
	step_1();
	GIVES(0, atexit(step_2));
}

static void exit_runs_handlers_that_handlers_register(void)
{
	GIVES(0, atexit(step_3));
	GIVES(0, atexit(register_one));
	exit(0);
}

static void *exit_here(void *arg)
{
	(void)arg;
	exit(0); /* bug: a_handler_joins_one_that_exits */
}

/* Others are not waited for. */
static void exit_in_a_thread(void)
{
	GIVES(0, atexit(step_2));
	GIVES(0, atexit(step_1));
	THREADS(1, exit_here);
	never();
}

static void start_detached(void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	assert(pthread_detach(t) == 0);
}

/* Natively a second one may end the process, as libc was before POSIX said so. */
static void start_another(void *(*fn)(void *))
{
	if (heddle_running())
		start_detached(fn);
}

static void exit_in_two_threads(void)
{
	GIVES(0, atexit(step_3));
	GIVES(0, atexit(step_2));
	GIVES(0, atexit(step_1));
	start_another(exit_here);
	exit(0);
}

/* Who is first is no matter. */
static void exit_in_two_threads_without_handlers(void)
{
	start_another(exit_here);
	exit(0);
}

static pthread_t first;

static void first_was_main(void)
{
	assert(pthread_equal(pthread_self(), first));
}

static void exit_in_two_threads_by_who_is_first(void)
{
	first = pthread_self();
	GIVES(0, atexit(first_was_main));
	start_another(exit_here);
	exit(0);
}

static void *exit_quickly(void *arg)
{
	(void)arg;
	quick_exit(0);
}

static void quick_exit_in_two_threads(void)
{
	GIVES(0, at_quick_exit(step_3));
	GIVES(0, at_quick_exit(step_2));
	GIVES(0, at_quick_exit(step_1));
	start_another(exit_quickly);
	quick_exit(0);
}

static void exit_again(void)
{
	step_1();
	exit(0);
}

static void a_handler_exits(void)
{
	GIVES(0, atexit(step_3));
	GIVES(0, atexit(step_2));
	GIVES(0, atexit(exit_again));
	THREADS(1, meet);
	exit(0);
}

static void join_first(void)
{
	pthread_join(first, NULL);
}

static void a_handler_joins_one_that_exits(void)
{
	GIVES(0, atexit(join_first));
	GIVES(0, pthread_create(&first, NULL, exit_here, NULL));
	exit(0);
}

static void take_status(int status, void *arg)
{
	assert(status == 0 && arg == &steps);
	step_1();
}

static void exit_gives_on_exit_the_status(void)
{
	GIVES(0, atexit(step_3));
	GIVES(0, atexit(step_2));
	GIVES(0, on_exit(take_status, &steps));
	exit(0);
}

static pthread_t main_thread;

static void *outlive_main(void *arg)
{
	GIVES(0, pthread_join(main_thread, NULL));
	steps = -1;
	step_0();
	return arg;
}

/* As if it had called exit(0). */
static void pthread_exit_of_the_last_thread_exits_with_0(void)
{
	pthread_t t;

	main_thread = pthread_self();
	GIVES(0, atexit(step_2));
	GIVES(0, on_exit(take_status, &steps));
	GIVES(0, pthread_create(&t, NULL, outlive_main, NULL));
	pthread_exit(NULL);
}

static void _exit_runs_no_handlers(void)
{
	GIVES(0, atexit(never));
	GIVES(0, at_quick_exit(never));
	_exit(0);
}

static void _Exit_runs_no_handlers(void)
{
	GIVES(0, atexit(never));
	_Exit(0);
}

static void quick_exit_runs_its_own_handlers_only(void)
{
	GIVES(0, atexit(never));
	GIVES(0, at_quick_exit(step_3));
	GIVES(0, at_quick_exit(step_2));
	GIVES(0, at_quick_exit(step_1));
	quick_exit(0);
}

static void count(void)
{
	steps++;
}

static void after_32(void)
{
	assert(steps == 31);
	steps = 2;
	step_3();
}

static void atexit_takes_32(void)
{
	GIVES(0, atexit(after_32));
	for (int i = 0; i < 31; i++)
		GIVES(0, atexit(count));
	exit(0);
}

/* ---- Jumps ------------------------------------------------------------------------------- */

static void *jump(void *arg)
{
	volatile int jumps = 0;
	jmp_buf here;

	if (setjmp(here) == 0)
		longjmp(here, 7);
	switch (setjmp(here)) {
	case 0:
		jumps++;
		longjmp(here, 7);
	case 7:
		assert(jumps == 1);
		return arg;
	}
	abort();
}

static void longjmp_gives_the_value(void)
{
	BOTH(jump);
}

static void *jump_with_0(void *arg)
{
	jmp_buf here;

	switch (_setjmp(here)) {
	case 0:
		longjmp(here, 0);
	case 1:
		return arg;
	}
	abort();
}

static void longjmp_of_0_gives_1(void)
{
	BOTH(jump_with_0);
}

static void block(int signal)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signal);
	GIVES(0, pthread_sigmask(SIG_BLOCK, &one, NULL));
}

static int blocked(int signal)
{
	sigset_t now;

	GIVES(0, pthread_sigmask(SIG_BLOCK, NULL, &now));
	return sigismember(&now, signal);
}

static void *jump_with_the_mask(void *arg)
{
	sigjmp_buf here;

	switch (sigsetjmp(here, 1)) {
	case 0:
		block(SIGUSR1);
		assert(blocked(SIGUSR1));
		siglongjmp(here, 7);
	case 7:
		assert(!blocked(SIGUSR1));
		block(SIGUSR1);
		siglongjmp(here, 8); /* as often as one likes */
	case 8:
		assert(!blocked(SIGUSR1));
		return arg;
	}
	abort();
}

static void siglongjmp_restores_the_mask(void)
{
	BOTH(jump_with_the_mask);
}

static void *jump_without_the_mask(void *arg)
{
	jmp_buf here;

	switch (_setjmp(here)) {
	case 0:
		block(SIGUSR1);
		_longjmp(here, 7);
	case 7:
		assert(blocked(SIGUSR1));
		return arg;
	}
	abort();
}

static int told;

static void *looks(void *arg)
{
	while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE)) /* looks until told */
		;
	return arg;
}

static void *looks_and_yields(void *arg)
{
	while (__atomic_load_n(&told, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
	return arg;
}

static void *works(void *arg)
{
	while (__atomic_load_n(&told, __ATOMIC_ACQUIRE) < 2)
		if (__atomic_load_n(&told, __ATOMIC_ACQUIRE) == 1)
			__atomic_store_n(&told, 0, __ATOMIC_RELEASE);
	return arg;
}

/* The process ends with main, whatever its threads wait for. */
static void main_ends_and_a_thread_looks_for_ever(void)
{
	start_detached(looks);
}

static void main_ends_and_a_thread_looks_and_yields(void)
{
	start_detached(looks_and_yields);
	__atomic_store_n(&told, 1, __ATOMIC_RELEASE);
}

static void main_ends_and_a_thread_works_for_ever(void)
{
	start_detached(works);
	__atomic_store_n(&told, 1, __ATOMIC_RELEASE);
}

static void main_joins_a_thread_that_looks_for_ever(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, looks, NULL) == 0);
	pthread_join(t, NULL);
}

static void _longjmp_leaves_the_mask(void)
{
	BOTH(jump_without_the_mask);
}

CASES(CASE(exit_runs_handlers_from_the_last), CASE(exit_runs_handlers_that_handlers_register),
      CASE(exit_in_a_thread), CASE(exit_in_two_threads), CASE(exit_in_two_threads_without_handlers),
      CASE(exit_in_two_threads_by_who_is_first), CASE(quick_exit_in_two_threads),
      CASE(a_handler_exits), CASE(a_handler_joins_one_that_exits),
      CASE(exit_gives_on_exit_the_status), CASE(pthread_exit_of_the_last_thread_exits_with_0),
      CASE(_exit_runs_no_handlers), CASE(_Exit_runs_no_handlers),
      CASE(quick_exit_runs_its_own_handlers_only), CASE(atexit_takes_32),
      CASE(main_ends_and_a_thread_looks_for_ever), CASE(main_ends_and_a_thread_looks_and_yields),
      CASE(main_ends_and_a_thread_works_for_ever), CASE(main_joins_a_thread_that_looks_for_ever),
      CASE(longjmp_gives_the_value), CASE(longjmp_of_0_gives_1), CASE(siglongjmp_restores_the_mask),
      CASE(_longjmp_leaves_the_mask))
