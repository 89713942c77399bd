/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attr.c - attributes, names, processors and priorities of threads
 *
 * case a_stack_of_the_size_asked_for: ok 1
 * case a_stack_larger_than_usual: ok 1
 * case a_stack_of_the_program_s_own: ok 1
 * case detached_from_the_start: ok 1
 * case names_are_kept: ok 1
 * case a_name_for_another_thread: ok 1
 * case bound_to_a_processor: ok 1
 * case priorities_are_accepted: ok 1
 * case yield_is_no_event: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

enum {
	LARGE = 3 << 20,
	VERY_LARGE = 40 << 20
};

static void *use_much(void *arg)
{
	volatile char much[LARGE - (LARGE >> 2)];

	much[0] = much[sizeof(much) - 1] = 1;
	assert(much[0] == 1);
	return arg;
}

static void start_and_join(const pthread_attr_t *attr, void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, attr, fn, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void a_stack_of_the_size_asked_for(void)
{
	pthread_attr_t attr;
	size_t size = 0;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, LARGE) == 0);
	assert(pthread_attr_getstacksize(&attr, &size) == 0);
	assert(size == LARGE);
	start_and_join(&attr, use_much);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void *use_little(void *arg)
{
	return arg;
}

static char area[1 << 18] __attribute__((aligned(4096)));

static void a_stack_of_the_program_s_own(void)
{
	pthread_attr_t attr;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstack(&attr, area, sizeof(area)) == 0);
	start_and_join(&attr, use_little);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void *lock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static pthread_t start_detached(void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, fn, NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
	return t;
}

static void detached_from_the_start(void)
{
	start_detached(use_little);
}

static void *have_a_name(void *arg)
{
	char name[16] = "";

	assert(pthread_setname_np(pthread_self(), "worker") == 0);
	assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	assert(!strcmp(name, "worker"));
	return arg;
}

static void names_are_kept(void)
{
	char name[16] = "";

	assert(pthread_setname_np(pthread_self(), "first") == 0);
	start_and_join(NULL, have_a_name);
	assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	assert(!strcmp(name, "first"));
}

static void a_name_for_another_thread(void)
{
	char name[16] = "";
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_create(&t, NULL, lock, NULL) == 0);
	assert(pthread_setname_np(t, "other") == 0);
	assert(pthread_getname_np(t, name, sizeof(name)) == 0);
	assert(!strcmp(name, "other"));
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static int first_cpu(void)
{
	cpu_set_t all;

	assert(sched_getaffinity(0, sizeof(all), &all) == 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			return i;
	return -1;
}

static void *bind_oneself(void *arg)
{
	int cpu = first_cpu();
	cpu_set_t one, now;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
	assert(pthread_getaffinity_np(pthread_self(), sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&one, &now));
	assert(sched_getaffinity(0, sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&one, &now));
	assert(sched_setaffinity(0, sizeof(one), &one) == 0);
	return arg;
}

static void bound_to_a_processor(void)
{
	start_and_join(NULL, bind_oneself);
}

static void *set_priorities(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };
	int policy = -1;

	assert(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
	assert(pthread_setschedparam(pthread_self(), policy, &param) == 0);
	assert(pthread_setschedprio(pthread_self(), param.sched_priority) == 0);
	assert(pthread_setschedparam(pthread_self(), -1, &param) == EINVAL);
	return arg;
}

static void priorities_are_accepted(void)
{
	start_and_join(NULL, set_priorities);
}

static void *yield(void *arg)
{
	assert(sched_yield() == 0);
	return arg;
}

static void yield_is_no_event(void)
{
	THREADS(2, yield);
}

static void *use_very_much(void *arg)
{
	volatile char much[VERY_LARGE - (VERY_LARGE >> 2)];

	much[0] = much[sizeof(much) - 1] = 1;
	assert(much[0] == 1);
	return arg;
}

/* The first thread as well as those behind it. */
static void a_stack_larger_than_usual(void)
{
	pthread_attr_t attr;
	pthread_t t[2];

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, VERY_LARGE) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], &attr, use_very_much, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
}

CASES(CASE(a_stack_of_the_size_asked_for), CASE(a_stack_larger_than_usual),
      CASE(a_stack_of_the_program_s_own), CASE(detached_from_the_start), CASE(names_are_kept),
      CASE(a_name_for_another_thread), CASE(bound_to_a_processor), CASE(priorities_are_accepted),
      CASE(yield_is_no_event))
