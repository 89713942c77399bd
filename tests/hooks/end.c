/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end.c - how a program ends wrongly, and jumps to where another thread was
 *
 * case exit_with_three: bug exit-code
 * case exit_of_a_thread_with_three: bug exit-code
 * case quick_exit_with_three: bug exit-code
 * case _exit_with_three: bug exit-code
 * case _Exit_with_three: bug exit-code
 * case only_eight_bits_are_the_status: ok 1
 * case a_handler_may_fail: bug assertion
 * case a_handler_may_race: bug data-race
 * case a_handler_of_quick_exit_may_fail: bug assertion
 * case abort_in_a_thread: bug abort
 * case a_failed_assertion: bug assertion
 * case a_failed_assert_perror: bug assertion
 * case a_failed_assertion_of_old: bug assertion
 * case a_stack_that_was_written_over: bug crash
 * case longjmp_to_another_thread: bug thread-misuse
 * case _longjmp_to_another_thread: bug thread-misuse
 * case siglongjmp_to_another_thread: bug thread-misuse
 * case longjmp_chk_to_another_thread: bug thread-misuse
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
	exit(3);
}

static void *exit_here(void *arg)
{
	(void)arg;
	exit(3);
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
	_exit(3);
}

static void _Exit_with_three(void)
{
	_Exit(3);
}

static void only_eight_bits_are_the_status(void)
{
	exit(256);
}

static int data;

static void fail(void)
{
	assert(data == 1);
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
	assert(data == 1);
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
      CASE(longjmp_to_another_thread), CASE(_longjmp_to_another_thread),
      CASE(siglongjmp_to_another_thread), CASE(longjmp_chk_to_another_thread))
