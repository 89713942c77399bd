/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * large.c - ranges of many megabytes: what is known of all of their bytes, and then of some
 *
 * case takes_no_time --timeout=20: ok 1
 * case before_the_threads --timeout=20: ok 1
 * case is_not_kept_twice: ok 1
 * case is_put_back: ok 2
 * case one_after_the_other: ok 2
 * case one_after_the_other -e value --timeout=20: ok 2
 * case parts_of_it: ok 1
 * case two_read: ok 1
 * case two_write: bug data-race
 * case one_writes_a_byte: bug data-race
 * case one_writes_a_byte_first: bug data-race
 * case one_reads_all: bug data-race
 * case two_read_and_one_writes: bug data-race
 * case an_atomic_in_it: bug data-race
 * case freed: bug use-after-free
 * case freed_meanwhile: bug data-race|use-after-free at memset(all, 2, SIZE)
 * case too_long: bug out-of-bounds
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

#define SIZE  ((size_t)4 << 20)
#define HUGE  ((size_t)512 << 20)
#define CHUNK ((uintptr_t)512 << 10) /* what is remembered at once */

static char *all;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *huge(void *arg)
{
	char *p = malloc(HUGE);

	memset(p, 1, HUGE);
	assert(p[HUGE / 2] == 1);
	free(p);
	return arg;
}

static void takes_no_time(void)
{
	THREADS(1, huge);
}

static void *nothing(void *arg)
{
	return arg;
}

static void before_the_threads(void)
{
	char *p = malloc(HUGE);

	memset(p, 1, HUGE);
	THREADS(1, nothing);
	assert(p[HUGE / 2] == 1);
	free(p);
}

static void *set_locked(void *arg)
{
	pthread_mutex_lock(&m);
	memset(all, 1, SIZE);
	all[SIZE / 2] = 2;
	pthread_mutex_unlock(&m);
	return arg;
}

static void one_after_the_other(void)
{
	all = malloc(SIZE);
	THREADS(2, set_locked);
	memset(all, 3, SIZE);
	free(all);
}

static void *set_half(void *arg)
{
	memset(arg ? all + SIZE / 2 : all, 1, SIZE / 2);
	return arg;
}

static void parts_of_it(void)
{
	all = malloc(SIZE);
	memset(all, 0, SIZE);
	THREADS(2, set_half);
	assert(all[SIZE / 2 - 1] == 1 && all[SIZE / 2] == 1);
	free(all);
}

static char copies[2][SIZE];

static void *read_all(void *arg)
{
	memcpy(copies[(uintptr_t)arg], all, SIZE);
	return arg;
}

static void two_read(void)
{
	all = malloc(SIZE);
	memset(all, 5, SIZE);
	THREADS(2, read_all);
	memset(all, 6, SIZE);
	assert(copies[0][SIZE / 2] == 5 && copies[1][SIZE - 1] == 5);
	free(all);
}

static void *set(void *arg)
{
	memset(all, 1, SIZE); /* bug: two_write */
	return arg;
}

static void two_write(void)
{
	all = malloc(SIZE);
	THREADS(2, set);
}

static void *set_or_byte(void *arg)
{
	if (arg)
		all[SIZE / 2] = 1; /* bug: one_writes_a_byte */
	else
		memset(all, 1, SIZE);
	return arg;
}

static void one_writes_a_byte(void)
{
	all = malloc(SIZE);
	THREADS(2, set_or_byte);
}

static void *byte_or_set(void *arg)
{
	if (arg)
		memset(all, 1, SIZE); /* bug: one_writes_a_byte_first */
	else
		all[SIZE / 2] = 1;
	return arg;
}

static void one_writes_a_byte_first(void)
{
	all = malloc(SIZE);
	THREADS(2, byte_or_set);
}

static void *set_or_read(void *arg)
{
	if (arg)
		memcpy(copies[0], all, SIZE); /* bug: one_reads_all */
	else
		memset(all, 1, SIZE);
	return arg;
}

static void one_reads_all(void)
{
	all = malloc(SIZE);
	THREADS(2, set_or_read);
}

static void *read_or_set(void *arg)
{
	if ((uintptr_t)arg < 2)
		memcpy(copies[(uintptr_t)arg], all, SIZE);
	else
		memset(all, 1, SIZE); /* bug: two_read_and_one_writes */
	return arg;
}

static void two_read_and_one_writes(void)
{
	all = malloc(SIZE);
	memset(all, 0, SIZE);
	THREADS(3, read_or_set);
}

static void *add_or_set(void *arg)
{
	if (arg)
		memset(all, 1, SIZE); /* bug: an_atomic_in_it */
	else
		atomic_fetch_add((atomic_int *)(all + SIZE / 2), 1);
	return arg;
}

static void an_atomic_in_it(void)
{
	all = malloc(SIZE);
	memset(all, 0, SIZE);
	THREADS(2, add_or_set);
}

static void *free_and_read(void *arg)
{
	volatile char *p = malloc(SIZE);

	memset((char *)p, 1, SIZE);
	free((char *)p);
	return arg + p[SIZE / 2]; /* bug: freed */
}

static void freed(void)
{
	THREADS(1, free_and_read);
}

static void *free_or_set(void *arg)
{
	if (arg)
		memset(all, 2, SIZE);
	else
		free(all);
	return arg;
}

static void freed_meanwhile(void)
{
	all = malloc(SIZE);
	THREADS(2, free_or_set);
}

/* Of the process, as the kernel knows it. */
static long most_resident(void)
{
	struct rusage use;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_getrusage), "D"(RUSAGE_SELF), "S"(&use)
			 : "rcx", "r11", "memory");
	assert(result == 0);
	return use.ru_maxrss << 10;
}

/* Executions that begin with so much are made otherwise than by a copy of it. */
static void is_not_kept_twice(void)
{
	char *p = malloc(HUGE);

	memset(p, 1, HUGE);
	THREADS(1, nothing);
	assert(most_resident() < HUGE / 2 * 3);
	free(p);
}

static atomic_int turn;
static char *image;

static void *write_to_it(void *arg)
{
	int mine = atomic_fetch_add(&turn, 1);

	assert(image[HUGE / 4 * (size_t)mine] == 1);
	image[HUGE / 4 * (size_t)mine] = 2;
	return arg;
}

static void is_put_back(void)
{
	image = malloc(HUGE);
	memset(image, 1, HUGE);
	THREADS(2, write_to_it);
	assert(image[0] == 2 && image[HUGE / 4] == 2 && image[HUGE / 2] == 1);
	free(image);
}

static void *set_too_much(void *arg)
{
	char *p = malloc(SIZE);
	uintptr_t end = ((uintptr_t)p + SIZE + CHUNK) & ~(CHUNK - 1);
	volatile size_t size = end - (uintptr_t)p;

	memset(p, 1, size); /* bug: too_long */
	free(p);
	return arg;
}

static void too_long(void)
{
	THREADS(1, set_too_much);
}

CASES(CASE(takes_no_time), CASE(before_the_threads), CASE(is_not_kept_twice), CASE(is_put_back),
      CASE(one_after_the_other), CASE(parts_of_it), CASE(two_read), CASE(two_write),
      CASE(one_writes_a_byte), CASE(one_writes_a_byte_first), CASE(one_reads_all),
      CASE(two_read_and_one_writes), CASE(an_atomic_in_it), CASE(freed), CASE(freed_meanwhile),
      CASE(too_long))
