/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turnstile.c - a barrier that is used again too early
 *
 * Who comes last puts the count back to nought and lets the others go, who look at the count: a fast one is in
 * the next round, and the slow one misses its own. The fixed barrier counts generations.
 */
#include "threads.h"

enum {
	PARTIES = 2,
	ROUNDS = 2
};

static atomic_int arrived;
#ifdef FIXED
static atomic_int generation;
#endif

static void pass(void)
{
#ifdef FIXED
	int mine = generation;

	if (atomic_fetch_add(&arrived, 1) == PARTIES - 1) {
		arrived = 0;
		generation = mine + 1;
	}
	while (generation == mine)
		;
#else
	if (atomic_fetch_add(&arrived, 1) == PARTIES - 1)
		arrived = 0;
	while (arrived)
		;
#endif
}

static void rounds(int self)
{
	(void)self;
	for (int i = 0; i < ROUNDS; i++)
		pass();
}

int main(void)
{
	run_threads(PARTIES, rounds);
	return 0;
}
