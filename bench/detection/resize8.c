/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resize8.c - seven readers of a table that grows
 *
 * The owner makes a larger table and frees the old one at once, though a reader may have loaded its address. The
 * fixed owner waits until nobody reads who came before.
 */
#include "threads.h"

enum {
	READERS = 7
};

static struct table {
	int size;
} * _Atomic table;
static atomic_int reading;

static void lookup(void)
{
	atomic_fetch_add(&reading, 1);
	assert(table->size > 0);
	atomic_fetch_sub(&reading, 1);
}

static void grow(void)
{
	struct table *larger = malloc(sizeof(*larger)), *old;

	larger->size = 2;
	old = atomic_exchange(&table, larger);
#ifdef FIXED
	while (reading)
		;
#endif
	free(old);
}

static void each(int self)
{
	if (self < READERS)
		lookup();
	else
		grow();
}

int main(void)
{
	struct table *first = malloc(sizeof(*first));

	first->size = 1;
	table = first;
	run_threads(READERS + 1, each);
	return 0;
}
