/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier8.c - eight threads meet twice, at a barrier that is made ready again too late
 *
 * The last one to come opens the barrier, and sets the count back behind that: who is fast comes again before, and its coming
 * is forgotten. The others wait for ever. The fixed one sets the count back first.
 */
#include "threads.h"

enum {
	THREADS = 8,
	ROUNDS = 2
};

static atomic_int come, phase;

static void meet(void)
{
	int now = phase;

	if (atomic_fetch_add(&come, 1) < THREADS - 1) {
		while (phase == now)
			;
		return;
	}
#ifdef FIXED
	come = 0;
	phase = now + 1;
#else
	phase = now + 1;
	come = 0;
#endif
}

static void work(int self)
{
	(void)self;
	for (int i = 0; i < ROUNDS; i++)
		meet();
}

int main(void)
{
	run_threads(THREADS, work);
	return 0;
}
