/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * needle.c - a bug that wants three changes of thread at the right moments
 *
 * The second thread has to look once behind each step of the first one: of twenty orders of these steps and looks
 * that is one. The fixed one looks once, and so cannot have seen all.
 */
#include "threads.h"

enum {
	STEPS = 3
};

static atomic_int step;
static int seen;

static void either(int self)
{
	int look = step;

	for (int i = 0; i < STEPS; i++) {
		if (self == 0) {
			step++;
			continue;
		}
#ifndef FIXED
		look = step;
#endif
		seen += look == i + 1;
	}
}

int main(void)
{
	run_threads(2, either);
	assert(seen != STEPS);
	return 0;
}
