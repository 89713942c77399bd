/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * long.c - executions of a hundred thousand events, of which few threads' reads are a choice
 *
 * Whether a read of an old value is consistent may be a question about all that came before, with a choice for each store. Neither the
 * stack nor the time may be short then.
 *
 * case both_are_late -m sc: ok 3
 * case both_are_late -m tso: ok 4
 * case both_are_late -m sra: ok 4
 * case both_are_late: ok 4
 * case seen_in_two_orders -m sc: ok 15
 * case seen_in_two_orders -m tso: ok 15
 * case seen_in_two_orders -m sra: ok 16
 * case seen_in_two_orders: ok 16
 * case each_at_its_own -m sc: ok 37
 * case each_at_its_own -m sra: ok 37
 * case each_at_its_own: ok 39
 * case both_are_fenced: ok 3
 * case both_are_fenced -m rc20: ok 4
 * case both_are_fenced -m sra: ok 4
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

#define RLX memory_order_relaxed

enum {
	ROUNDS = 50000
};

static atomic_int x, y, own;

static void write_and_read(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		atomic_store_explicit(&own, i, RLX);
		atomic_load_explicit(&own, RLX);
	}
}

/* Store buffering, with all the rounds between the store and the load. */
static void *reads_y_at_last(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	write_and_read();
	atomic_load_explicit(&y, RLX);
	return arg;
}

static void *reads_x(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void both_are_late(void)
{
	RUN(reads_y_at_last, reads_x);
}

/* Independent reads of independent writes. */
static void *writes_x_at_last(void *arg)
{
	write_and_read();
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *writes_y(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void *reads_y_and_x(void *arg)
{
	atomic_load_explicit(&y, RLX);
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void *reads_x_and_y(void *arg)
{
	atomic_load_explicit(&x, RLX);
	atomic_load_explicit(&y, RLX);
	return arg;
}

static void seen_in_two_orders(void)
{
	RUN(writes_x_at_last, writes_y, reads_y_and_x, reads_x_and_y);
}

/* What a thread does at a location of its own is no question to anybody. */
static void read_and_write(atomic_int *at)
{
	for (int i = 0; i < ROUNDS / 10; i++) {
		atomic_load_explicit(at, RLX);
		atomic_store_explicit(at, i, RLX);
		atomic_store_explicit(at, i, RLX);
	}
}

static void *writes_x_twice(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *writes_x_and_changes_both(void *arg)
{
	static atomic_int at;

	atomic_store_explicit(&x, 1, RLX);
	read_and_write(&at);
	atomic_fetch_add_explicit(&y, 1, RLX);
	atomic_fetch_add_explicit(&x, 1, RLX);
	return arg;
}

static void *reads_x_and_writes_y(void *arg)
{
	static atomic_int at;

	atomic_load_explicit(&x, RLX);
	read_and_write(&at);
	atomic_store_explicit(&y, 2, RLX);
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void each_at_its_own(void)
{
	RUN(writes_x_twice, writes_x_and_changes_both, reads_x_and_writes_y);
}

/* Store buffering once more, with sc fences in each round. */
static void write_fenced(atomic_int *at)
{
	for (int i = 0; i < ROUNDS / 10; i++) {
		atomic_store_explicit(at, i, RLX);
		atomic_thread_fence(memory_order_seq_cst);
		atomic_load_explicit(at, RLX);
	}
}

static void *writes_x_fenced(void *arg)
{
	static atomic_int at;

	atomic_store_explicit(&x, 1, RLX);
	write_fenced(&at);
	atomic_load_explicit(&y, RLX);
	return arg;
}

static void *writes_y_fenced(void *arg)
{
	static atomic_int at;

	atomic_store_explicit(&y, 1, RLX);
	write_fenced(&at);
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void both_are_fenced(void)
{
	RUN(writes_x_fenced, writes_y_fenced);
}

CASES(CASE(both_are_late), CASE(seen_in_two_orders), CASE(each_at_its_own), CASE(both_are_fenced))
