/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffering.c - store buffering on statically initialised atomics
 *
 * -DOUTCOMES: every outcome fails an assertion of its own, so that a run that keeps going
 * reports which outcomes there are. -DORDER: of all four accesses.
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static atomic_int x = 1, y = 1;
static int left, right;

static void *write_x(void *arg)
{
	atomic_store_explicit(&x, 2, ORDER);
	left = atomic_load_explicit(&y, ORDER);
	return arg;
}

static void *write_y(void *arg)
{
	atomic_store_explicit(&y, 2, ORDER);
	right = atomic_load_explicit(&x, ORDER);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, write_x, NULL);
	pthread_create(&b, NULL, write_y, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	heddle_assert(left == 1 || left == 2);
	heddle_assert(right == 1 || right == 2);
#ifdef OUTCOMES
	heddle_assert(!(left == 1 && right == 1));
	heddle_assert(!(left == 1 && right == 2));
	heddle_assert(!(left == 2 && right == 1));
	heddle_assert(!(left == 2 && right == 2));
#endif
	return 0;
}
