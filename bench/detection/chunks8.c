/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chunks8.c - work in chunks, taken by eight threads
 *
 * Whether something is left is looked at before the next chunk is counted off, so several may pass for the last
 * one and go beyond the end. The fixed one looks at what it was given.
 */
#include "threads.h"

enum {
	THREADS = 8,
	CHUNKS = 24
};

static atomic_int next;
static int done[CHUNKS];

static int take(void)
{
	int mine;

#ifndef FIXED
	if (next >= CHUNKS)
		return -1;
#endif
	mine = atomic_fetch_add(&next, 1);
#ifdef FIXED
	if (mine >= CHUNKS)
		return -1;
#endif
	assert(mine < CHUNKS);
	return mine;
}

static void work(int self)
{
	int mine;

	while ((mine = take()) >= 0)
		done[mine] = self;
}

int main(void)
{
	run_threads(THREADS, work);
	return 0;
}
