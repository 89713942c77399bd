/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwritten.c - atomic variables of functions that nobody has written to
 *
 * case load_of_a_variable: bug uninitialised-read at sink = atomic_load(&here)
 * case add_to_a_variable: bug uninitialised-read at atomic_fetch_add(&counter
 * case by_another_thread: bug uninitialised-read at sink = atomic_load((atomic_int *)arg)
 * case in_a_called_function: bug uninitialised-read at return atomic_load(&deeper
 * case of_main: bug uninitialised-read at sink = (int)atomic_exchange(&of_main
 * case of_main -e value: bug uninitialised-read at sink = (int)atomic_exchange(&of_main
 * case a_store_that_need_not_be_seen: bug uninitialised-read at sink = atomic_load_explicit(&late
 * case initialised: ok 1
 * case written_by_an_initialiser: ok 1
 * case written_by_memset: ok 1
 * case written_with_that_value: ok 1
 * case written_by_inline_assembly: ok 1
 * case written_plainly_by_another: ok 1
 * case in_a_structure: ok 1
 * case again_and_again: ok 1
 * without notes: inline assembly stands for what nobody announces
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "hooks/blocks.h"

static volatile int sink;

IN_A_THREAD(load_of_a_variable)
{
	atomic_int here;

	hide(&here);
	sink = atomic_load(&here);
	return arg;
}

IN_A_THREAD(add_to_a_variable)
{
	atomic_long counter;

	hide(&counter);
	atomic_fetch_add(&counter, 1);
	return arg;
}

static void *load_it(void *arg)
{
	sink = atomic_load((atomic_int *)arg);
	return arg;
}

static void *let_another_load(void *arg)
{
	atomic_int here;
	pthread_t t;

	assert(pthread_create(&t, NULL, load_it, hide(&here)) == 0);
	assert(pthread_join(t, NULL) == 0);
	return arg;
}

static void by_another_thread(void)
{
	THREADS(1, let_another_load);
}

static __attribute__((noinline)) int load_deeper(void)
{
	atomic_int deeper[100];

	hide(deeper);
	return atomic_load(&deeper[3]);
}

IN_A_THREAD(in_a_called_function)
{
	static atomic_int before;

	atomic_fetch_add(&before, 1);
	sink = load_deeper();
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static __attribute__((noinline)) void exchange(void)
{
	atomic_long of_main[200]; /* the last ones are where pthread_join() has left something */

	hide(of_main);
	sink = (int)atomic_exchange(&of_main[3], 1);
}

static void of_main(void)
{
	THREADS(1, nothing);
	exchange();
}

static void *store_late(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 1, memory_order_relaxed);
	return NULL;
}

IN_A_THREAD(a_store_that_need_not_be_seen)
{
	atomic_int late;
	pthread_t t;

	assert(pthread_create(&t, NULL, store_late, hide(&late)) == 0);
	sink = atomic_load_explicit(&late, memory_order_relaxed);
	assert(pthread_join(t, NULL) == 0);
	return arg;
}

IN_A_THREAD(initialised)
{
	atomic_int here;

	atomic_init(&here, 1);
	hide(&here);
	assert(atomic_load(&here) == 1);
	return arg;
}

IN_A_THREAD(written_by_an_initialiser)
{
	atomic_int here = 0;
	atomic_long table[10] = { 0 };

	hide(&here);
	hide(table);
	assert(atomic_load(&here) == 0 && atomic_load(&table[7]) == 0);
	return arg;
}

IN_A_THREAD(written_by_memset)
{
	atomic_int table[10];

	memset(hide(table), 0, sizeof(table));
	assert(atomic_load(&table[3]) == 0);
	return arg;
}

IN_A_THREAD(written_with_that_value)
{
	atomic_int here = (int)0xcbcbcbcb;

	hide(&here);
	assert(atomic_load(&here) == (int)0xcbcbcbcb);
	return arg;
}

/* Not announced, but there. */
IN_A_THREAD(written_by_inline_assembly)
{
	atomic_int here;

	__asm__ volatile("movl $5, %0" : "=m"(here));
	assert(atomic_load(&here) == 5);
	return arg;
}

static void *write_it(void *arg)
{
	*(int *)arg = 3;
	return arg;
}

IN_A_THREAD(written_plainly_by_another)
{
	atomic_int here;
	pthread_t t;

	assert(pthread_create(&t, NULL, write_it, hide(&here)) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(atomic_load(&here) == 3);
	return arg;
}

struct parts {
	int a;
	atomic_int b;
	char c;
	atomic_long d;
};

IN_A_THREAD(in_a_structure)
{
	struct parts here = { .c = 1 }, other;

	hide(&here);
	other = here;
	hide(&other);
	assert(atomic_load(&other.b) == 0 && atomic_load(&other.d) == 0);
	return arg;
}

static __attribute__((noinline)) int count_to(int n)
{
	atomic_int count = 0;

	hide(&count);
	while (atomic_fetch_add(&count, 1) < n)
		;
	return n ? count_to(n - 1) : 0;
}

IN_A_THREAD(again_and_again)
{
	assert(count_to(5) == 0 && count_to(3) == 0);
	return arg;
}

CASES(CASE(load_of_a_variable), CASE(add_to_a_variable), CASE(by_another_thread),
      CASE(in_a_called_function), CASE(of_main), CASE(a_store_that_need_not_be_seen),
      CASE(initialised), CASE(written_by_an_initialiser), CASE(written_by_memset),
      CASE(written_with_that_value), CASE(written_by_inline_assembly),
      CASE(written_plainly_by_another), CASE(in_a_structure), CASE(again_and_again))
