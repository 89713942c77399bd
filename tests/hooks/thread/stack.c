/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.c - how large the stack of a thread is, and what it is told of that
 *
 * case more_than_was_asked_for: bug crash
 * case more_by_and_by: bug crash
 * case more_than_the_program_s_default: bug crash
 * case nearly_all_of_it: ok 1
 * case a_larger_one_in_its_place: ok 2
 * case a_smaller_one_in_its_place: bug crash
 * case told_as_asked_for: ok 1
 * case told_the_program_s_default: ok 1
 * case told_its_processors: ok 1
 *
 * What is used of a stack is written to from its lower end on, as a frame with a large array may be.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "cases.h"

enum {
	KIB = 1024,
	SMALL = 256 * KIB,
	LARGE = 4096 * KIB
};

static void *use_much(void *arg)
{
	volatile char much[1536 * KIB];

	for (size_t i = 0; i < sizeof(much); i += 4096)
		much[i] = 1; /* bug: more_than_was_asked_for */
	return arg;
}

static void *use_a_little(void *arg)
{
	volatile char little[SMALL - SMALL / 4];

	for (size_t i = 0; i < sizeof(little); i += 4096)
		little[i] = 1;
	return arg;
}

static void run(void *(*fn)(void *), size_t size)
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, size) == 0);
	assert(pthread_create(&t, &attr, fn, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void more_than_was_asked_for(void)
{
	run(use_much, SMALL);
}

static volatile int one = 1;

static int go_down(int n)
{
	volatile char some[KIB];

	some[0] = (char)n; /* bug: more_by_and_by */
	return n * one ? go_down(n - one) + some[0] : 0;
}

static void *go_down_far(void *arg)
{
	go_down(SMALL / KIB + 1000);
	return arg;
}

static void more_by_and_by(void)
{
	run(go_down_far, SMALL);
}

static void be_small_by_default(size_t guard)
{
	pthread_attr_t attr;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, SMALL) == 0);
	assert(pthread_attr_setguardsize(&attr, guard) == 0);
	assert(pthread_setattr_default_np(&attr) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void *use_much_by_default(void *arg)
{
	volatile char much[1536 * KIB];

	for (size_t i = 0; i < sizeof(much); i += 4096)
		much[i] = 1; /* bug: more_than_the_program_s_default */
	return arg;
}

static void more_than_the_program_s_default(void)
{
	pthread_t t;

	be_small_by_default(4096);
	assert(pthread_create(&t, NULL, use_much_by_default, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void nearly_all_of_it(void)
{
	run(use_a_little, SMALL);
	run(use_much, LARGE);
}

/* In another execution, or with the id of one that was joined, it is the same memory. */
static void in_turn(size_t first, size_t second, void *(*fn)(void *))
{
	pthread_t a, b;
	pthread_attr_t attr;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, first) == 0);
	assert(pthread_create(&a, &attr, use_a_little, NULL) == 0);
	assert(pthread_join(a, NULL) == 0);
	for (int i = 0; i < 20; i++)
		run(use_a_little, first);
	assert(pthread_attr_setstacksize(&attr, second) == 0);
	assert(pthread_create(&b, &attr, fn, NULL) == 0);
	assert(pthread_join(b, NULL) == 0);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void a_larger_one_in_its_place(void)
{
	pthread_t t;

	in_turn(SMALL, LARGE, use_much);
	assert(pthread_create(&t, NULL, take, NULL) == 0);
	take(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void *use_much_again(void *arg)
{
	volatile char much[1536 * KIB];

	for (size_t i = 0; i < sizeof(much); i += 4096)
		much[i] = 1; /* bug: a_smaller_one_in_its_place */
	return arg;
}

static void a_smaller_one_in_its_place(void)
{
	in_turn(LARGE, SMALL, use_much_again);
}

static size_t wanted_size, wanted_guard;

static void *look(void *arg)
{
	size_t size, guard;
	pthread_attr_t attr;
	void *low;

	assert(pthread_getattr_np(pthread_self(), &attr) == 0);
	assert(pthread_attr_getstack(&attr, &low, &size) == 0 && size == wanted_size);
	assert((char *)&attr >= (char *)low && (char *)&attr < (char *)low + size);
	assert(pthread_attr_getguardsize(&attr, &guard) == 0 && guard == wanted_guard);
	assert(pthread_attr_destroy(&attr) == 0);
	return arg;
}

static void told_as_asked_for(void)
{
	pthread_attr_t attr;
	pthread_t t;

	wanted_size = SMALL;
	wanted_guard = 4 * 4096;
	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, wanted_size) == 0);
	assert(pthread_attr_setguardsize(&attr, wanted_guard) == 0);
	assert(pthread_create(&t, &attr, look, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void told_the_program_s_default(void)
{
	pthread_t t;

	wanted_size = SMALL;
	wanted_guard = 2 * 4096;
	be_small_by_default(wanted_guard);
	assert(pthread_create(&t, NULL, look, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void *look_at_processors(void *arg)
{
	cpu_set_t mine, told;
	pthread_attr_t attr;

	assert(pthread_getattr_np(pthread_self(), &attr) == 0);
	assert(pthread_attr_getaffinity_np(&attr, sizeof(told), &told) == 0);
	assert(pthread_getaffinity_np(pthread_self(), sizeof(mine), &mine) == 0);
	assert(CPU_EQUAL(&mine, &told));
	assert(pthread_attr_destroy(&attr) == 0);
	return arg;
}

static void told_its_processors(void)
{
	RUN(look_at_processors);
}

CASES(CASE(more_than_was_asked_for), CASE(more_by_and_by), CASE(more_than_the_program_s_default),
      CASE(nearly_all_of_it), CASE(a_larger_one_in_its_place), CASE(a_smaller_one_in_its_place),
      CASE(told_as_asked_for), CASE(told_the_program_s_default), CASE(told_its_processors))
