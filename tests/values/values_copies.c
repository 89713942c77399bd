/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), copies from one shared variable to another: y = x, z = y, x = z, and y += x
 *
 * All accesses are sc, so the counts are those of all interleavings of the reads and writes (by hand in Python: 13, 101 and 4 vectors).
 * Addresses are values, too: who reads pointers to different objects that hold the same has read different values.
 *
 * case in_a_circle -e value: ok 13
 * case in_a_circle -e value -m sc: ok 13
 * case in_a_circle -e value -m tso -j 2: ok 13
 * case in_a_circle -e value -m ra: ok 13
 * case in_a_circle -e rf: ok 29
 * case that_add -e value: ok 101
 * case that_add -e value -m sc: ok 101
 * case that_add -e value -m tso -j 2: ok 101
 * case that_add -e rf: ok 162
 * case of_pointers -e value: ok 3
 * case of_pointers -e value -m wra: ok 3
 * case of_what_pointers_show -e value: ok 2
 * case prints_an_address -e value: ok 3
 * case compares_pointers -e value: ok 3
 *
 * Both halves of a pair in one access, beside atomic accesses to one: wra has no order for those, but for races between them.
 *
 * case of_a_pair -e value -m wra: bug data-race
 * case of_a_pair -e value -m ra: bug data-race
 * case of_a_pair_in_turn -e value -m wra: ok 2
 * case of_a_pair_in_turn -e rf -m wra: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

static atomic_int x, y, z;
static int seven = 7, another_seven = 7;
static int *_Atomic shown;
static atomic_int number;

static void *writes(void *arg)
{
	x = 1;
	x = 2;
	return arg;
}

static void *y_from_x(void *arg)
{
	y = x;
	return arg;
}

static void *z_from_y(void *arg)
{
	z = y;
	return arg;
}

static void *x_from_z(void *arg)
{
	x = z;
	return arg;
}

static void *adds(void *arg)
{
	y += x;
	z += y;
	return arg;
}

static void runs(void *(*last)(void *))
{
	pthread_t t[4];

	assert(pthread_create(&t[0], NULL, writes, NULL) == 0);
	assert(pthread_create(&t[1], NULL, y_from_x, NULL) == 0);
	assert(pthread_create(&t[2], NULL, z_from_y, NULL) == 0);
	assert(pthread_create(&t[3], NULL, last, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
	assert(pthread_join(t[2], NULL) == 0);
	assert(pthread_join(t[3], NULL) == 0);
	(void)x;
	(void)y;
	(void)z;
}

static void in_a_circle(void)
{
	runs(x_from_z);
}

static void that_add(void)
{
	runs(adds);
}

static void *shows(void *arg)
{
	shown = arg;
	return NULL;
}

static void *shows_number(void *arg)
{
	number = *(int *)arg;
	return NULL;
}

static void both(void *(*f)(void *), pthread_t t[2])
{
	assert(pthread_create(&t[0], NULL, f, &seven) == 0);
	assert(pthread_create(&t[1], NULL, f, &another_seven) == 0);
}

static void join_both(const pthread_t t[2])
{
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

static void of_pointers(void)
{
	pthread_t t[2];
	int *got;

	both(shows, t);
	got = shown;
	assert(!got || *got == 7);
	join_both(t);
}

/* The same, but for which object it is. */
static void of_what_pointers_show(void)
{
	pthread_t t[2];

	both(shows_number, t);
	(void)number;
	join_both(t);
}

static struct pair {
	atomic_int a, b;
} pair, copied;

static void *copies_if_told(void *arg)
{
	if (x)
		memcpy(&copied, &pair, sizeof(pair)); /* bug: of_a_pair */
	return arg;
}

static void *copies_and_looks(void *arg)
{
	x = 1;
	memcpy(&pair, &copied, sizeof(pair));
	(void)atomic_load_explicit(&copied.a, memory_order_relaxed);
	return arg;
}

static void of_a_pair(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, copies_if_told, NULL) == 0);
	assert(pthread_create(&t[1], NULL, copies_and_looks, NULL) == 0);
	join_both(t);
}

static atomic_int turn;

static void *copies_in_turn(void *arg)
{
	if (atomic_load_explicit(&turn, memory_order_acquire)) {
		memcpy(&copied, &pair, sizeof(pair));
		assert(copied.a == 1 && copied.b == 1);
	}
	return arg;
}

static void *sets_and_passes(void *arg)
{
	atomic_store_explicit(&pair.a, 1, memory_order_relaxed);
	atomic_store_explicit(&pair.b, 1, memory_order_relaxed);
	atomic_store_explicit(&turn, 1, memory_order_release);
	return arg;
}

static void of_a_pair_in_turn(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, copies_in_turn, NULL) == 0);
	assert(pthread_create(&t[1], NULL, sets_and_passes, NULL) == 0);
	join_both(t);
}

static void prints_an_address(void)
{
	pthread_t t[2];
	char text[64];

	both(shows, t);
	snprintf(text, sizeof(text), "%p", (void *)shown);
	assert(text[0]);
	join_both(t);
}

static void compares_pointers(void)
{
	static int order;
	pthread_t t[2];

	both(shows, t);
	order = shown < &another_seven;
	join_both(t);
	assert(order < 2);
}

CASES(CASE(in_a_circle), CASE(that_add), CASE(of_pointers), CASE(of_what_pointers_show),
      CASE(of_a_pair), CASE(of_a_pair_in_turn), CASE(prints_an_address), CASE(compares_pointers))
