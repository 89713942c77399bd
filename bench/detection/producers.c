/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * producers.c - a ring for one producer with two of them
 *
 * Both may take the same index before one of them moves it on, and an item is overwritten. The fixed ones take
 * their places by a read-modify-write.
 */
#include "threads.h"

static atomic_int next, slot[4];

static void produce(int self)
{
#ifdef FIXED
	int at = atomic_fetch_add(&next, 1);

	slot[at] = self + 1;
#else
	int at = next;

	slot[at] = self + 1;
	next = at + 1;
#endif
}

int main(void)
{
	run_threads(2, produce);
	assert(slot[0] + slot[1] == 3);
	return 0;
}
