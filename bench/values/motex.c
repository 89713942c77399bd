/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * motex.c - Figure 1 of the paper on Drista, as its text describes it
 *
 * Two threads write x and y; two read both, in opposite orders, and write what was there already
 * to the one that they read first. The events are called as in the paper.
 */
#include "threads.h"

static atomic_int x, y;

static void *both(void *arg)
{
	atomic_int *first = arg ? &y : &x, *second = arg ? &x : &y;

	(void)atomic_load_explicit(first, memory_order_acquire);  /* c, f */
	(void)atomic_load_explicit(second, memory_order_seq_cst); /* d, g */
	atomic_store_explicit(first, 1, memory_order_relaxed);    /* e, h */
	return NULL;
}

static void *one(void *arg)
{
	atomic_store(arg ? &y : &x, 1); /* a, b */
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	begin_all(t, 2, one);
	begin_all(t + 2, 2, both);
	join_all(t, 4);
	return 0;
}
