/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree8.c - the last of eight adds up what all have found
 *
 * Who counts down to nought reads the sums of the others, but the count is relaxed and orders nothing: a data
 * race, in each execution in which the last one looks.
 */
#include "threads.h"

enum {
	THREADS = 8
};

#ifdef FIXED
#define COUNT_DOWN(v) ADD(v, -1, acq_rel)
#else
#define COUNT_DOWN(v) ADD(v, -1, relaxed)
#endif

static atomic_int left = THREADS;
static int sum[THREADS], total;

static void add_up(int self)
{
	sum[self] = self;
	if (COUNT_DOWN(left) > 1)
		return;
	for (int i = 0; i < THREADS; i++)
		total += sum[i];
}

int main(void)
{
	run_threads(THREADS, add_up);
	assert(total == THREADS * (THREADS - 1) / 2);
	return 0;
}
