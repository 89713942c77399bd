/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tried.c - what a thread reads that is only tried out says nothing of the memory there
 *
 * A thread waits for a block that another one hands over. Before it goes on, it may be tried out with an address that it read in an earlier
 * execution, of a block that nobody has allocated yet in this one. That block is whole when it is allocated.
 *
 * also -O2: other stretches of code lie between the operations
 *
 * case reads_what_another_frees: bug data-race
 * case reads_what_another_frees -m sc: bug data-race
 * case reads_what_another_frees --no-memo: bug data-race
 * case reads_what_is_there: ok 4
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static struct pair {
	int a, b;
} here;
static _Atomic(struct pair *) box;
static atomic_int tries;
static int frees;

static void *copies(void *arg)
{
	struct pair *n;

	while (!(n = atomic_load_explicit(&box, memory_order_acquire)))
		;
	memcpy(&here, n, sizeof(here));
	return arg;
}

static void *takes(void *arg)
{
	struct pair *n;

	while (!(n = atomic_exchange_explicit(&box, NULL, memory_order_acq_rel)))
		atomic_compare_exchange_strong_explicit(&tries, &(int){ 9 }, 1,
							memory_order_relaxed, memory_order_relaxed);
	if (frees)
		free(n); /* bug: reads_what_another_frees */
	else
		atomic_store_explicit(&box, n, memory_order_release);
	return arg;
}

static void *makes(void *arg)
{
	struct pair *n = malloc(sizeof(*n));

	n->a = n->b = 0;
	atomic_store_explicit(&box, n, memory_order_release);
	return arg;
}

static void reads_what_another_frees(void)
{
	frees = 1;
	RUN(copies, takes, makes);
}

static void reads_what_is_there(void)
{
	RUN(copies, takes, makes);
}

CASES(CASE(reads_what_another_frees), CASE(reads_what_is_there))
