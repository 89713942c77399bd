/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipeline8.c - a pipeline of eight stages
 *
 * Each stage takes what the one before it has published, and publishes its own; the fifth one does so by a relaxed
 * store, so the sixth one reads a plain value that is not ordered: a data race.
 */
#include "threads.h"

enum {
	STAGES = 8,
	WEAK = 4
};

static atomic_int ready[STAGES + 1];
static int value[STAGES + 1];

static void stage(int self)
{
	while (!GET(ready[self], acquire))
		;
	value[self + 1] = value[self] + 1;
#ifndef FIXED
	if (self == WEAK) {
		PUT(ready[self + 1], 1, relaxed);
		return;
	}
#endif
	PUT(ready[self + 1], 1, release);
}

int main(void)
{
	ready[0] = 1;
	run_threads(STAGES, stage);
	assert(value[STAGES] == STAGES);
	return 0;
}
