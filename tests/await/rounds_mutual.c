/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_mutual.c - two threads of which each ends the other one's wait, or both wait for ever
 *
 * case both_wait_for_good: bug await-stuck at int a = atomic_load_explicit(mine, RLX)
 * case both_wait_for_good -m ra: bug await-stuck at int a = atomic_load_explicit(mine, RLX)
 */
#include <pthread.h>
#include <stdatomic.h>

#include <heddle.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int x, y, said_x, said_y;

/*
 * Goes on with 1, or when it has seen 3 twice. With 2 it is where it was with 5, for ever if that is
 * the last. What it stores to the other place is behind the 2 there, since it knows of that.
 */
static void wait_at(atomic_int *mine, atomic_int *other, atomic_int *said)
{
	int seen;

	heddle_assume(atomic_load_explicit(said, memory_order_acquire));
	seen = atomic_load_explicit(mine, RLX);
	if (seen <= 2) {
		atomic_store_explicit(other, 1, RLX);
		return;
	}
	for (;;) {
		int a = atomic_load_explicit(mine, RLX);

		if (a == 1 || a + seen == 6)
			break;
		seen = a == 2 ? 5 : a;
	}
	atomic_store_explicit(other, 3, RLX);
}

static void *wait_at_x(void *arg)
{
	wait_at(&x, &y, &said_y);
	return arg;
}

static void *wait_at_y(void *arg)
{
	wait_at(&y, &x, &said_x);
	return arg;
}

static void *let_both_go(void *arg)
{
	atomic_store_explicit(&x, 5, RLX);
	atomic_store_explicit(&x, 1, RLX);
	atomic_store_explicit(&y, 5, RLX);
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void *keep_x(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	atomic_store_explicit(&said_x, 1, memory_order_release);
	return arg;
}

static void *keep_y(void *arg)
{
	atomic_store_explicit(&y, 2, RLX);
	atomic_store_explicit(&said_y, 1, memory_order_release);
	return arg;
}

static void both_wait_for_good(void)
{
	RUN(wait_at_x, wait_at_y, let_both_go, keep_x, keep_y);
}

CASES(CASE(both_wait_for_good))
