/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lazylist.c - neighbours are taken out of a list at the same time
 *
 * Each removal lets the node before point past the removed one. If that one is removed too, the other stays in the
 * list. The fixed removals take a lock.
 */
#include "threads.h"

enum {
	END = 4
};

/* The node behind each; 0 is the head of the list. */
static atomic_int next[END] = { 1, 2, 3, END };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_out(int node)
{
	int before = 0, it, behind;

	do {
		for (before = 0; (it = next[before]) != node; before = it)
			if (it == END)
				return;
		behind = next[node];
	} while (!atomic_compare_exchange_strong(&next[before], &it, behind));
}

static void each(int self)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	take_out(self + 1);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

int main(void)
{
	run_threads(2, each);
	for (int at = next[0]; at != END; at = next[at])
		assert(at == 3);
	(void)lock;
	return 0;
}
