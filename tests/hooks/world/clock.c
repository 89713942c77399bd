/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.c - time, sleeping and random numbers
 *
 * case time_goes_on: ok 1
 * case sleeping_takes_its_time: ok 1
 * case a_sleep_is_no_order: bug data-race at data++
 * case invalid_sleeps: ok 1
 * case the_clocks_agree: ok 1
 * case random_numbers_are_the_same_each_time: ok 4
 * case a_seed_begins_again: ok 1
 * case the_kernels_random_numbers: ok 4
 * case polls_until_a_time: inconclusive a loop that asks for the time was followed for 256 rounds only
 * case polls_and_sleeps_until_a_time: ok 12
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static int data;
static atomic_int x, y;

static int64_t now(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *watch(void *arg)
{
	int64_t last = 0;

	for (int i = 0; i < 10; i++) {
		int64_t t = now(CLOCK_MONOTONIC);

		assert(t >= last);
		last = t;
	}
	return arg;
}

static void time_goes_on(void)
{
	watch(NULL);
	THREADS(2, watch);
}

static void *doze(void *arg)
{
	struct timespec t = { .tv_nsec = 2000000 }, until;
	int64_t start = now(CLOCK_MONOTONIC);

	assert(nanosleep(&t, NULL) == 0);
	assert(usleep(1000) == 0);
	assert(now(CLOCK_MONOTONIC) - start >= 3000000);
	assert(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_sec++;
	assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
	assert(now(CLOCK_MONOTONIC) >= (int64_t)until.tv_sec * 1000000000 + until.tv_nsec);
	return arg;
}

static void sleeping_takes_its_time(void)
{
	THREADS(2, doze);
}

static void *write_later(void *arg)
{
	if (arg)
		sleep(10);
	data++;
	return NULL;
}

static void a_sleep_is_no_order(void)
{
	THREADS(2, write_later);
}

static void *invalid(void *arg)
{
	struct timespec t = { .tv_nsec = 1000000000 };

	assert(nanosleep(&t, NULL) == -1 && errno == EINVAL);
	assert(clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL) == EINVAL);
	return arg;
}

static void invalid_sleeps(void)
{
	THREADS(1, invalid);
}

static void *agree(void *arg)
{
	struct timeval tv;
	time_t t = time(NULL);

	assert(gettimeofday(&tv, NULL) == 0);
	assert(tv.tv_sec - t <= 1);
	assert(now(CLOCK_REALTIME) / 1000000000 - t <= 1);
	sched_yield();
	return arg;
}

static void the_clocks_agree(void)
{
	THREADS(1, agree);
}

/* Store buffering whose values are random numbers: others each time would be noticed. */
static void *random_values(void *arg)
{
	int r = rand() % 1000 + 1;

	atomic_store_explicit(arg ? &x : &y, r, memory_order_relaxed);
	r = atomic_load_explicit(arg ? &y : &x, memory_order_relaxed);
	assert(r >= 0 && r <= 1000);
	return NULL;
}

static void random_numbers_are_the_same_each_time(void)
{
	srand((unsigned)time(NULL));
	THREADS(2, random_values);
}

static void *seeded(void *arg)
{
	int r;

	srand(7);
	r = rand();
	srand(7);
	assert(r == rand());
	return arg;
}

static void a_seed_begins_again(void)
{
	THREADS(1, seeded);
}

static void *kernel_values(void *arg)
{
	unsigned char b[3];

	assert(getrandom(b, sizeof(b), 0) == sizeof(b));
	atomic_store_explicit(arg ? &x : &y, b[0] + 1, memory_order_relaxed);
	atomic_load_explicit(arg ? &y : &x, memory_order_relaxed);
	assert(getentropy(b, 257) == -1 && errno == EIO);
	return NULL;
}

static void the_kernels_random_numbers(void)
{
	THREADS(2, kernel_values);
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *set_x(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

/* With arg it has ten rounds, each of which may be the last or see nothing; else a million. */
static void *poll_for_a_second(void *arg)
{
	const long until = milliseconds() + 1000;

	while (!atomic_load(&x) && milliseconds() < until)
		if (arg)
			usleep(100000);
	return arg;
}

static void polls_until_a_time(void)
{
	RUN(poll_for_a_second, set_x);
}

static void *poll_and_sleep(void *arg)
{
	poll_for_a_second(&x);
	return arg;
}

static void polls_and_sleeps_until_a_time(void)
{
	RUN(poll_and_sleep, set_x);
}

CASES(CASE(time_goes_on), CASE(sleeping_takes_its_time), CASE(a_sleep_is_no_order),
      CASE(invalid_sleeps), CASE(the_clocks_agree), CASE(random_numbers_are_the_same_each_time),
      CASE(a_seed_begins_again), CASE(the_kernels_random_numbers), CASE(polls_until_a_time),
      CASE(polls_and_sleeps_until_a_time))
