/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quiesce8.c - seven workers, and one that wants to know when all work is done
 *
 * A worker takes work out of the pile and only then says that it is busy: between the two there is none and nobody is
 * busy. The fixed one says so first.
 */
#include "threads.h"

enum {
	WORKERS = 7
};

static atomic_int pile = WORKERS, busy, done;

static void work(void)
{
#ifdef FIXED
	busy++;
	pile--;
#else
	pile--;
	busy++;
#endif
	done++;
	busy--;
}

static void look(void)
{
	if (pile == 0 && busy == 0)
		assert(done == WORKERS);
}

static void each(int self)
{
	if (self < WORKERS)
		work();
	else
		look();
}

int main(void)
{
	run_threads(WORKERS + 1, each);
	return 0;
}
