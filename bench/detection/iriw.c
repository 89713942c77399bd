/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iriw.c - two observers that do not agree which of two things came first
 *
 * Acquire and release order neither of the two writes before the other. The fixed one is sequentially consistent.
 */
#include "threads.h"

#ifdef FIXED
#define READ(v)     GET(v, seq_cst)
#define WRITE(v, n) PUT(v, n, seq_cst)
#else
#define READ(v)     GET(v, acquire)
#define WRITE(v, n) PUT(v, n, release)
#endif

static atomic_int happened[2];
static int first[2]; /* what each observer takes for the first; 0: it cannot tell */

static void observe(int self, int one, int other)
{
	if (READ(happened[one]) && !READ(happened[other]))
		first[self] = one + 1;
}

static void each(int self)
{
	if (self < 2)
		WRITE(happened[self], 1);
	else
		observe(self - 2, self - 2, 3 - self);
}

int main(void)
{
	run_threads(4, each);
	assert(!(first[0] == 1 && first[1] == 2));
	return 0;
}
