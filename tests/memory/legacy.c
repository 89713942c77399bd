/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * legacy.c - plain accesses that race, explored instead of reported (--plain=explore)
 *
 * case read_and_write --plain=explore: ok 2
 * case store_buffering --plain=explore: ok 4
 * case lost_increment --plain=explore: bug assertion at assert(x == 2
 * case initial_values --plain=explore: ok 4
 * case waits_for_a_flag --plain=explore: ok 1
 * case waits_for_ever --plain=explore: bug await-stuck
 * case several_at_once --plain=explore: ok 8
 * case two_sizes --plain=explore: ok 2
 * case neighbours --plain=explore: ok 4
 * case copies --plain=explore: ok 2
 * case on_the_heap --plain=explore: ok 2
 * case on_a_stack --plain=explore: ok 2
 * case atomic_and_plain --plain=explore: ok 2
 * case locked_sometimes --plain=explore: ok 4
 * case assertion_on_the_heap --plain=explore: bug assertion at assert(block[1] == 2)
 * case assertion_on_a_stack --plain=explore: bug assertion at assert(local[1] == 2)
 * case free_races_all_the_same --plain=explore: bug data-race|use-after-free
 * case no_race --plain=explore: ok 1
 * case the_last_write_of_main --plain=explore: bug assertion at assert(i < 1
 * case the_last_write_before_exit_now --plain=explore: bug assertion at assert(i < 1
 * case the_last_write_of_a_destructor --plain=explore: bug assertion at assert(i < 1
 * case the_last_write_before_a_bug --plain=explore --keep-going: bug abort at the others go on
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

static int x, y, result[2];
static volatile int sink;

static void *read_or_write_x(void *arg)
{
	if (arg)
		x = 1;
	else
		sink = x;
	return NULL;
}

static void read_and_write(void)
{
	THREADS(2, read_or_write_x);
	assert(x == 1 && (sink == 0 || sink == 1));
}

static void *buffer(void *arg)
{
	if (arg) {
		x = 1;
		result[1] = y;
	} else {
		y = 1;
		result[0] = x;
	}
	return NULL;
}

static void store_buffering(void)
{
	THREADS(2, buffer);
}

static void *increment(void *arg)
{
	x++;
	return arg;
}

static void lost_increment(void)
{
	THREADS(2, increment);
	assert(x == 2 || getenv("HEDDLE_TEST_NATIVELY"));
}

static long before = 5, other = 6;

static void *initials(void *arg)
{
	long *mine = arg ? &before : &other, *theirs = arg ? &other : &before, v;

	*mine = 1;
	v = *theirs;
	assert(v == 1 || v == (arg ? 6 : 5));
	return NULL;
}

static void initial_values(void)
{
	THREADS(2, initials);
}

static void *wait_or_set(void *arg)
{
	if (arg)
		x = 1;
	else
		while (!x)
			__asm__ volatile("" : : : "memory");
	return NULL;
}

static void waits_for_a_flag(void)
{
	THREADS(2, wait_or_set);
}

static void *wait_or_not(void *arg)
{
	if (arg)
		x = 0;
	else
		while (!x) /* bug: waits_for_ever */
			__asm__ volatile("" : : : "memory");
	return NULL;
}

static void waits_for_ever(void)
{
	THREADS(2, wait_or_not);
}

static struct {
	int a, b, c, d;
} four;

static void *write_four(void *arg)
{
	int n = arg ? 1 : 2;

	four.a = n;
	four.b = n;
	four.c = n;
	return NULL;
}

static void several_at_once(void)
{
	THREADS(2, write_four);
	assert(four.a && four.b && four.c && !four.d);
}

static union {
	uint64_t whole;
	uint32_t half[2];
} word;

static void *whole_or_half(void *arg)
{
	if (arg)
		word.whole = 0x100000001;
	else
		word.half[1] = 2;
	return NULL;
}

static void two_sizes(void)
{
	THREADS(2, whole_or_half);
	assert(word.half[0] == 1 && (word.half[1] == 1 || word.half[1] == 2));
}

static char bytes[8];

static void *byte(void *arg)
{
	if (arg) {
		bytes[1] = 1;
		sink = bytes[2];
	} else {
		bytes[2] = 1;
		sink = bytes[1];
	}
	return NULL;
}

static void neighbours(void)
{
	THREADS(2, byte);
	assert(bytes[1] == 1 && bytes[2] == 1);
}

static void *copy_or_write(void *arg)
{
	char own[sizeof(four)];

	if (arg)
		four.c = 7;
	else
		memcpy(own, &four, sizeof(four));
	return NULL;
}

static void copies(void)
{
	THREADS(2, copy_or_write);
	assert(four.c == 7);
}

static int *block;

static void *on_block(void *arg)
{
	if (arg)
		block[1] = 1;
	else
		sink = block[1];
	return NULL;
}

static void on_the_heap(void)
{
	block = calloc(2, sizeof(int));
	THREADS(2, on_block);
	assert(block[1] == 1 && (sink == 0 || sink == 1));
	free(block);
}

static void on_a_stack(void)
{
	int local[2] = { 0, 0 };

	block = local;
	THREADS(2, on_block);
	assert(local[1] == 1);
}

static atomic_int counter;

static void *atomic_or_plain(void *arg)
{
	if (arg)
		atomic_fetch_add(&counter, 1);
	else
		sink = *(int *)&counter;
	return NULL;
}

static void atomic_and_plain(void)
{
	THREADS(2, atomic_or_plain);
	assert(counter == 1);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *lock_or_not(void *arg)
{
	if (arg)
		pthread_mutex_lock(&m);
	x = x + 1;
	if (arg)
		pthread_mutex_unlock(&m);
	return NULL;
}

static void locked_sometimes(void)
{
	THREADS(2, lock_or_not);
	assert(x == 1 || x == 2);
}

static void *add_to_block(void *arg)
{
	block[1]++;
	return arg;
}

static void assertion_on_the_heap(void)
{
	block = calloc(2, sizeof(int));
	THREADS(2, add_to_block);
	assert(block[1] == 2);
}

static void assertion_on_a_stack(void)
{
	int local[2] = { 0, 0 };

	block = local;
	THREADS(2, add_to_block);
	assert(local[1] == 2);
}

static void *use_or_free(void *arg)
{
	if (arg)
		free(block); /* bug: free_races_all_the_same */
	else
		block[0] = 1;
	return NULL;
}

static void free_races_all_the_same(void)
{
	block = calloc(2, sizeof(int));
	THREADS(2, use_or_free);
}

static void no_race(void)
{
	THREADS(1, increment);
	assert(x == 1);
}

static int told;

static void *told_between(void *arg)
{
	for (int i = 0; i < 2; i++) {
		if (*(volatile int *)&told) {
			assert(i < 1); /* told between the two rounds */
			told = 0;
		}
	}
	return arg;
}

/* No call follows in which it could become known. */
static void the_last_write_of_main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, told_between, NULL);
	told = 1;
}

static void the_last_write_before_exit_now(void)
{
	the_last_write_of_main();
	_exit(0);
}

static void *tells_and_fails(void *arg)
{
	told = 1;
	if (!arg)
		abort(); /* the others go on behind it */
	return arg;
}

static void *hears(void *arg)
{
	for (int i = 0; i < 2; i++) {
		if (*(volatile int *)&told)
			told = 0;
	}
	return arg;
}

static void the_last_write_before_a_bug(void)
{
	RUN(tells_and_fails, hears);
}

static void the_end(void)
{
}

static void tell(void *arg)
{
	(void)arg;
	told = 1;
}

static void *leaves_a_value(void *arg)
{
	pthread_key_t *key = arg;

	pthread_setspecific(*key, arg);
	return NULL;
}

/* The process ends with its last thread: they count themselves, which is behind the write. */
static void the_last_write_of_a_destructor(void)
{
	static pthread_key_t key;
	pthread_t t;

	atexit(the_end);
	pthread_key_create(&key, tell);
	pthread_create(&t, NULL, told_between, NULL);
	pthread_create(&t, NULL, leaves_a_value, &key);
	pthread_exit(NULL);
}

CASES(CASE(read_and_write), CASE(store_buffering), CASE(lost_increment), CASE(initial_values),
      CASE(waits_for_a_flag), CASE(waits_for_ever), CASE(several_at_once), CASE(two_sizes),
      CASE(neighbours), CASE(copies), CASE(on_the_heap), CASE(on_a_stack), CASE(atomic_and_plain),
      CASE(locked_sometimes), CASE(assertion_on_the_heap), CASE(assertion_on_a_stack),
      CASE(free_races_all_the_same), CASE(no_race), CASE(the_last_write_of_main),
      CASE(the_last_write_before_exit_now), CASE(the_last_write_of_a_destructor),
      CASE(the_last_write_before_a_bug))
