/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * same.c - what libc makes up is the same in each execution: addresses, numbers, names, times
 *
 * As in repeat.c, each case passes a value between two threads, in all four ways of store buffering.
 * Another value in another execution would be noticed.
 *
 * case addresses_of_blocks: ok 4
 * case addresses_of_blocks_of_each_kind: ok 4
 * case numbers_of_rand: ok 4
 * case numbers_of_random: ok 4
 * case numbers_of_lrand48: ok 8
 * case numbers_of_mrand48: ok 8
 * case numbers_of_drand48: ok 8
 * case numbers_of_arc4random: ok 4
 * case numbers_of_arc4random_buf: ok 4
 * case numbers_of_arc4random_uniform: ok 4
 * case numbers_of_getentropy: ok 4
 * case names_of_files: ok 4
 * case names_of_more_files: ok 4
 * case names_of_folders: ok 4
 * case times_of_day: ok 4
 * case times_by_number: ok 4
 * case what_is_left_of_timers: ok 4
 * case stamps_of_timespec_get: ok 4
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static atomic_long x, y;

static void pass(void *arg, long value)
{
	atomic_store_explicit(arg ? &x : &y, value, memory_order_relaxed);
	(void)atomic_load_explicit(arg ? &y : &x, memory_order_relaxed);
}

/* A case whose threads pass the value of an expression. */
#define PASSES(name, ...)                        \
	static void *name##_in_thread(void *arg) \
	{                                        \
		pass(arg, (long)(__VA_ARGS__));  \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}

/* The blocks stay: an address is only seen to be the same while it is in use. */
static long allocate_two(void)
{
	char *p = malloc(10), *q = calloc(1, 3000);

	p = realloc(p, 5000);
	return (long)((uintptr_t)p + 7 * (uintptr_t)q);
}

static long allocate_aligned(void)
{
	void *p = NULL, *q = reallocarray(NULL, 5, 5);

	assert(posix_memalign(&p, 256, 10) == 0 && malloc_usable_size(q) >= 25);
	return (long)((uintptr_t)p + 3 * (uintptr_t)aligned_alloc(64, 64) + 5 * (uintptr_t)q +
		      7 * (uintptr_t)memalign(32, 10) + 11 * (uintptr_t)valloc(10) +
		      13 * (uintptr_t)pvalloc(10));
}

PASSES(addresses_of_blocks, allocate_two())
PASSES(addresses_of_blocks_of_each_kind, allocate_aligned())
PASSES(numbers_of_rand, rand())
PASSES(numbers_of_random, random())

static pthread_mutex_t draws = PTHREAD_MUTEX_INITIALIZER;

/* These are not safe for threads that do not lock. */
static long draw(int which)
{
	long v;

	pthread_mutex_lock(&draws);
	if (which == 0)
		v = lrand48();
	else
		v = which == 1 ? mrand48() : (long)(drand48() * 1e9);
	pthread_mutex_unlock(&draws);
	return v;
}

PASSES(numbers_of_lrand48, draw(0))
PASSES(numbers_of_mrand48, draw(1))
PASSES(numbers_of_drand48, draw(2))
PASSES(numbers_of_arc4random, arc4random())
PASSES(numbers_of_arc4random_uniform, arc4random_uniform(1000000))

static long fill(int which)
{
	long v = 0;

	if (which)
		arc4random_buf(&v, sizeof(v));
	else
		assert(getentropy(&v, sizeof(v)) == 0);
	return v;
}

PASSES(numbers_of_arc4random_buf, fill(1))
PASSES(numbers_of_getentropy, fill(0))

static long make_file(int which)
{
	char name[] = "same-XXXXXX";
	int fd = which ? mkostemp(name, 0) : mkstemp64(name);
	long v;

	assert(fd >= 0 && close(fd) == 0 && unlink(name) == 0);
	memcpy(&v, name + strlen(name) - 6, 6);
	return v & 0xffffffffffff;
}

static long make_folder(void)
{
	char name[] = "same-XXXXXX";
	long v;

	assert(mkdtemp(name) == name && rmdir(name) == 0);
	memcpy(&v, name + strlen(name) - 6, 6);
	return v & 0xffffffffffff;
}

PASSES(names_of_files, make_file(0))
PASSES(names_of_more_files, make_file(1))
PASSES(names_of_folders, make_folder())

static long ask_for_the_day(void)
{
	struct timeval t;

	assert(gettimeofday(&t, NULL) == 0);
	return time(NULL) + t.tv_sec * 1000000 + t.tv_usec;
}

static long ask_by_number(void)
{
	struct timespec t, u = { 0, 1 };
	struct timeval v;

	assert(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t) == 0);
	assert(syscall(SYS_gettimeofday, &v, NULL) == 0);
	assert(syscall(SYS_nanosleep, &u, NULL) == 0);
	assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &u, NULL) == 0);
	return syscall(SYS_time, NULL) + t.tv_nsec + v.tv_usec;
}

/* Of one that goes on and one that begins. */
static long ask_timers(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	struct itimerspec value = { { 0, 0 }, { 1000, 0 } }, left;
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &value, NULL) == 0 && timer_gettime(timer, &left) == 0);
	assert(timer_delete(timer) == 0);
	return left.it_value.tv_sec + left.it_value.tv_nsec;
}

static long ask_timespec(void)
{
	struct timespec t;

	assert(timespec_get(&t, TIME_UTC) == TIME_UTC);
	return t.tv_nsec;
}

PASSES(times_of_day, ask_for_the_day())
PASSES(times_by_number, ask_by_number())
PASSES(what_is_left_of_timers, ask_timers())
PASSES(stamps_of_timespec_get, ask_timespec())

CASES(CASE(addresses_of_blocks), CASE(addresses_of_blocks_of_each_kind), CASE(numbers_of_rand),
      CASE(numbers_of_random), CASE(numbers_of_lrand48), CASE(numbers_of_mrand48),
      CASE(numbers_of_drand48), CASE(numbers_of_arc4random), CASE(numbers_of_arc4random_buf),
      CASE(numbers_of_arc4random_uniform), CASE(numbers_of_getentropy), CASE(names_of_files),
      CASE(names_of_more_files), CASE(names_of_folders), CASE(times_of_day), CASE(times_by_number),
      CASE(what_is_left_of_timers), CASE(stamps_of_timespec_get))
