/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * constructed.c - the stack of the first thread, where a constructor created a thread before main() began
 *
 * case a_race_is_explored --plain=explore: ok 2
 * case a_race_is_told: bug data-race at by another thread
 * case an_atomic_that_was_never_written: bug uninitialised-read at load of what is not there
 * case a_frame_that_was_left: bug use-after-return at store into what was left
 * case an_unannounced_store: ok 4
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static void *nothing(void *arg)
{
	return arg;
}

static __attribute__((constructor)) void first_thread(void)
{
	THREADS(1, nothing);
}

static int seen;

static void *look(void *arg)
{
	seen = *(volatile int *)arg; /* by another thread */
	return NULL;
}

static void races(void)
{
	int local = 0;
	pthread_t t;

	assert(pthread_create(&t, NULL, look, &local) == 0);
	*(volatile int *)&local = 1; /* local = 1 */
	assert(pthread_join(t, NULL) == 0);
}

static void a_race_is_explored(void)
{
	races();
}

static void a_race_is_told(void)
{
	races();
}

static void hide(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
}

static __attribute__((noinline)) void exchange(void)
{
	atomic_long far_down[200];

	hide(far_down);
	seen = (int)atomic_exchange(&far_down[3], 1); /* load of what is not there */
}

static void an_atomic_that_was_never_written(void)
{
	THREADS(1, nothing);
	exchange();
}

static atomic_int *_Atomic shown;

static void *store(void *arg)
{
	atomic_int *p;

	while (!(p = atomic_load(&shown)))
		;
	atomic_store(p, 1); /* store into what was left */
	return arg;
}

static __attribute__((noinline)) void show(void)
{
	atomic_int local = 0;

	atomic_store(&shown, &local);
	atomic_load(&local);
}

static void a_frame_that_was_left(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, store, NULL) == 0);
	show();
	assert(pthread_join(t, NULL) == 0);
}

static void *add(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
	return NULL;
}

/* Its first value is stored by an instruction that no compiler announces. */
static __attribute__((noinline)) void one_round(int value)
{
	atomic_int local = value;
	pthread_t t;

	assert(pthread_create(&t, NULL, add, (void *)&local) == 0);
	assert(atomic_load(&local) == value || atomic_load(&local) == value + 1);
	assert(pthread_join(t, NULL) == 0);
	assert(atomic_load(&local) == value + 1);
}

static void an_unannounced_store(void)
{
	one_round(1);
	one_round(5);
}

CASES(CASE(a_race_is_explored), CASE(a_race_is_told), CASE(an_atomic_that_was_never_written),
      CASE(a_frame_that_was_left), CASE(an_unannounced_store))
