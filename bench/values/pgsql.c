/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pgsql.c - two workers that hand a token to each other, as those of PostgreSQL did: who finds its latch set resets it, looks whether
 * it has the token, and if so passes it on and sets the other one's latch
 *
 * Each does that U times, and looks at its latch U + 2 times at most. How often it has looked is of use to nobody, so heddle leaves
 * rounds in vain out; -DCOUNTS: it is kept, and each number of rounds is an execution, as for other tools.
 *
 * -DU=times
 */
#include "threads.h"

#ifndef U
#define U 3
#endif
static atomic_int latch[2], token[2];
#ifdef COUNTS
static int looked[2];
#endif

/* Is its latch set in time? */
static int comes(int i)
{
	int n = 0;

	while (n < U + 2 && !atomic_load(&latch[i]))
		n++;
#ifdef COUNTS
	looked[i] = looked[i] * (U + 3) + n;
#endif
	return n < U + 2;
}

static void *worker(void *arg)
{
	int i = (int)(intptr_t)arg;

	for (int k = 0; k < U && comes(i); k++) {
		atomic_store(&latch[i], 0);
		if (!atomic_load(&token[i]))
			continue;
		atomic_store(&token[i], 0);
		atomic_store(&token[1 - i], 1);
		atomic_store(&latch[1 - i], 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	atomic_store(&latch[0], 1);
	atomic_store(&token[0], 1);
	begin_all(t, 2, worker);
	join_all(t, 2);
	return 0;
}
