/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mends.c - assertions that relaxed operations let fail, of which one execution each is the cause: what would mend it?
 *
 * SHAPE names the litmus test. What stands in a line has one memory order, and mends.test changes it there.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
	BUFFERING = 1,
	MESSAGE,
	FOUR,
	WRITES,
	CAUSE,
	RING,
	HANDED
};

#define R memory_order_relaxed

static atomic_int x, y, z;
static int a, b, c, d;

static void *first(void *arg)
{
	atomic_store_explicit(&x, 1, R);
	if (SHAPE == BUFFERING)
		a = atomic_load_explicit(&y, R);
	if (SHAPE == MESSAGE || SHAPE == RING || SHAPE == HANDED)
		atomic_store_explicit(&y, 1, R);
	if (SHAPE == WRITES)
		atomic_store_explicit(&y, 2, R);
	return arg;
}

static void *second(void *arg)
{
	if (SHAPE == BUFFERING)
		atomic_store_explicit(&y, 1, R);
	if (SHAPE == BUFFERING)
		b = atomic_load_explicit(&x, R);
	if (SHAPE == MESSAGE || SHAPE == RING)
		a = atomic_load_explicit(&y, R);
	if (SHAPE == MESSAGE)
		b = atomic_load_explicit(&x, R);
	if (SHAPE == FOUR)
		atomic_store_explicit(&y, 1, R);
	if (SHAPE == WRITES)
		atomic_store_explicit(&y, 1, R);
	if (SHAPE == WRITES)
		atomic_store_explicit(&x, 2, R);
	if (SHAPE == CAUSE)
		a = atomic_load_explicit(&x, R);
	if (SHAPE == CAUSE || SHAPE == RING)
		atomic_store_explicit(&z, 1, R);
	if (SHAPE == HANDED)
		a = atomic_fetch_add_explicit(&y, 1, R);
	return arg;
}

static void *third(void *arg)
{
	if (SHAPE == FOUR)
		a = atomic_load_explicit(&x, R);
	if (SHAPE == FOUR)
		b = atomic_load_explicit(&y, R);
	if (SHAPE == CAUSE || SHAPE == RING)
		b = atomic_load_explicit(&z, R);
	if (SHAPE == HANDED)
		b = atomic_load_explicit(&y, R);
	if (SHAPE == CAUSE || SHAPE == RING || SHAPE == HANDED)
		c = atomic_load_explicit(&x, R);
	return arg;
}

static void *fourth(void *arg)
{
	if (SHAPE == FOUR)
		c = atomic_load_explicit(&y, R);
	if (SHAPE == FOUR)
		d = atomic_load_explicit(&x, R);
	return arg;
}

int main(void)
{
	void *(*const routine[])(void *) = { first, second, third, fourth };
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, routine[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	if (SHAPE == BUFFERING)
		assert(a || b);
	if (SHAPE == MESSAGE)
		assert(!a || b);
	if (SHAPE == FOUR)
		assert(!(a && !b && c && !d));
	if (SHAPE == WRITES)
		assert(!(atomic_load(&x) == 1 && atomic_load(&y) == 1));
	if (SHAPE == CAUSE || SHAPE == RING)
		assert(!(a && b && !c));
	if (SHAPE == HANDED)
		assert(!(a == 1 && b == 2 && !c));
	return 0;
}
