/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end.c - how a program ends wrongly, and jumps to where another thread was
 *
 * case exit_with_three: bug exit-code
 * case exit_of_a_thread_with_three: bug exit-code
 * case quick_exit_with_three: bug exit-code at quick_exit(3)
 * case _exit_with_three: bug exit-code
 * case _Exit_with_three: bug exit-code
 * case only_eight_bits_are_the_status: ok 1
 * case a_handler_may_fail: bug assertion at bug: fail
 * case a_handler_may_race: bug data-race at data = 2
 * case a_handler_of_quick_exit_may_fail: bug assertion at bug: fail
 * case abort_in_a_thread: bug abort at abort()
 * case a_failed_assertion: bug assertion
 * case a_failed_assert_perror: bug assertion at assert_perror(EINVAL)
 * case a_failed_assertion_of_old: bug assertion at __assert("data
 * case a_stack_that_was_written_over: bug crash at __stack_chk_fail()
 * case main_leaves_and_the_last_thread_runs_handlers: ok 2
 * case main_leaves_last: ok 2
 * case main_leaves_alone: ok 1
 * case main_leaves_and_any_thread_may_be_the_last: bug assertion at assert(ran_in_main)
 * case main_leaves_and_a_handler_sees_all_that_was_done: ok 2
 * case main_leaves_and_a_handler_fails: bug assertion at bug: fail
 * case main_leaves_and_a_thread_registers_a_handler: bug assertion at bug: fail
 * case main_leaves_a_thread_that_creates_another: ok 6
 * case longjmp_to_another_thread: bug thread-misuse at jump(in_main, 7)
 * case _longjmp_to_another_thread: bug thread-misuse at jump(in_main, 7)
 * case siglongjmp_to_another_thread: bug thread-misuse at jump(in_main, 7)
 * case longjmp_chk_to_another_thread: bug thread-misuse at jump(in_main, 7)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

static void exit_with_three(void)
{
	exit(3); /* bug: exit_with_three */
}

static void *exit_here(void *arg)
{
	(void)arg;
	exit(3); /* bug: exit_of_a_thread_with_three */
}

static void exit_of_a_thread_with_three(void)
{
	THREADS(1, exit_here);
}

static void quick_exit_with_three(void)
{
	quick_exit(3);
}

static void _exit_with_three(void)
{
	_exit(3); /* bug: _exit_with_three */
}

static void _Exit_with_three(void)
{
	_Exit(3); /* bug: _Exit_with_three */
}

static void only_eight_bits_are_the_status(void)
{
	exit(256);
}

static int data;

static void fail(void)
{
	assert(data == 1); /* bug: fail */
}

static void a_handler_may_fail(void)
{
	assert(atexit(fail) == 0);
	exit(0);
}

static void a_handler_of_quick_exit_may_fail(void)
{
	assert(at_quick_exit(fail) == 0);
	quick_exit(0);
}

static void write_data(void)
{
	data = 1;
}

static void *write_here(void *arg)
{
	data = 2;
	return arg;
}

/* Nobody waits for the thread. */
static void a_handler_may_race(void)
{
	pthread_t t;

	assert(atexit(write_data) == 0);
	assert(pthread_create(&t, NULL, write_here, NULL) == 0);
	exit(0);
}

static void *abort_here(void *arg)
{
	(void)arg;
	abort();
}

static void abort_in_a_thread(void)
{
	THREADS(1, abort_here);
}

static void a_failed_assertion(void)
{
	assert(data == 1); /* bug: a_failed_assertion */
}

static void a_failed_assert_perror(void)
{
	assert_perror(EINVAL);
}

void __assert(const char *expression, const char *file, int line);

static void a_failed_assertion_of_old(void)
{
	__assert("data == 1", "old.c", 7);
}

void __stack_chk_fail(void);

/* What the compiler calls when it finds that. */
static void a_stack_that_was_written_over(void)
{
	__stack_chk_fail();
}

/* ---- main calls pthread_exit() ------------------------------------------------------------- */

static pthread_t main_thread;
static int handled, ran_in_main;

static void *nothing(void *arg)
{
	return arg;
}

/* Handlers are seen to have run by their threads: two executions, where there would be one. */
static int order;

static void *meet(void *arg)
{
	__atomic_exchange_n(&order, 1, __ATOMIC_RELAXED);
	return arg;
}

static void handle(void)
{
	handled++;
	ran_in_main = pthread_equal(pthread_self(), main_thread);
}

static void handle_in_two_threads(void)
{
	assert(handled == 1);
	THREADS(2, meet);
}

static void *await_main(void *arg)
{
	assert(pthread_join(main_thread, NULL) == 0);
	return arg;
}

static void main_leaves_and_the_last_thread_runs_handlers(void)
{
	pthread_t t;

	main_thread = pthread_self();
	assert(pthread_create(&t, NULL, await_main, NULL) == 0);
	assert(pthread_detach(t) == 0);
	assert(atexit(handle_in_two_threads) == 0);
	assert(atexit(handle) == 0);
	pthread_exit(NULL);
}

static void fail_in_another(void)
{
	assert(ran_in_main);
}

static void main_leaves_last(void)
{
	THREADS(2, nothing);
	main_thread = pthread_self();
	assert(atexit(fail_in_another) == 0);
	assert(atexit(handle) == 0);
	pthread_exit(NULL);
}

static void main_leaves_alone(void)
{
	main_thread = pthread_self();
	assert(atexit(fail_in_another) == 0);
	assert(atexit(handle) == 0);
	pthread_exit(NULL);
}

static void main_leaves_and_any_thread_may_be_the_last(void)
{
	pthread_t t;

	main_thread = pthread_self();
	assert(pthread_create(&t, NULL, nothing, NULL) == 0);
	assert(atexit(fail_in_another) == 0);
	assert(atexit(handle) == 0);
	pthread_exit(NULL);
}

static void *write_data_here(void *arg)
{
	data = 1;
	return arg;
}

/* No race, though nobody joined the thread. */
static void main_leaves_and_a_handler_sees_all_that_was_done(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, write_data_here, NULL) == 0);
	assert(atexit(fail) == 0);
	pthread_exit(NULL);
}

static void main_leaves_and_a_handler_fails(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, nothing, NULL) == 0);
	assert(atexit(fail) == 0);
	pthread_exit(NULL);
}

static void *register_here(void *arg)
{
	assert(pthread_join(main_thread, NULL) == 0);
	assert(atexit(fail) == 0);
	return arg;
}

static void main_leaves_and_a_thread_registers_a_handler(void)
{
	pthread_t t;

	main_thread = pthread_self();
	assert(pthread_create(&t, NULL, register_here, NULL) == 0);
	pthread_exit(NULL);
}

static void *create_another(void *arg)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, write_data_here, NULL) == 0);
	return arg;
}

static void main_leaves_a_thread_that_creates_another(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, create_another, NULL) == 0);
	assert(atexit(fail) == 0);
	pthread_exit(NULL);
}

/* ---- Jumps ------------------------------------------------------------------------------- */

static sigjmp_buf in_main;
static void (*jump)(struct __jmp_buf_tag buf[1], int value);

static void *jump_to_main(void *arg)
{
	jump(in_main, 7);
	return arg;
}

static void jump_from_a_thread(void (*how)(struct __jmp_buf_tag buf[1], int value))
{
	jump = how;
	if (!sigsetjmp(in_main, 1))
		THREADS(1, jump_to_main);
}

static void longjmp_to_another_thread(void)
{
	jump_from_a_thread(longjmp);
}

static void _longjmp_to_another_thread(void)
{
	jump_from_a_thread(_longjmp);
}

static void siglongjmp_to_another_thread(void)
{
	jump_from_a_thread(siglongjmp);
}

void __longjmp_chk(struct __jmp_buf_tag buf[1], int value);

static void longjmp_chk_to_another_thread(void)
{
	jump_from_a_thread(__longjmp_chk);
}

CASES(CASE(exit_with_three), CASE(exit_of_a_thread_with_three), CASE(quick_exit_with_three),
      CASE(_exit_with_three), CASE(_Exit_with_three), CASE(only_eight_bits_are_the_status),
      CASE(a_handler_may_fail), CASE(a_handler_may_race), CASE(a_handler_of_quick_exit_may_fail),
      CASE(abort_in_a_thread), CASE(a_failed_assertion), CASE(a_failed_assert_perror),
      CASE(a_failed_assertion_of_old), CASE(a_stack_that_was_written_over),
      CASE(main_leaves_and_the_last_thread_runs_handlers), CASE(main_leaves_last),
      CASE(main_leaves_alone), CASE(main_leaves_and_any_thread_may_be_the_last),
      CASE(main_leaves_and_a_handler_sees_all_that_was_done), CASE(main_leaves_and_a_handler_fails),
      CASE(main_leaves_and_a_thread_registers_a_handler),
      CASE(main_leaves_a_thread_that_creates_another), CASE(longjmp_to_another_thread),
      CASE(_longjmp_to_another_thread), CASE(siglongjmp_to_another_thread),
      CASE(longjmp_chk_to_another_thread))
