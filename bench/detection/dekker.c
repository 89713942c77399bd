/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dekker.c - missing fence
 *
 * Each thread announces itself and looks whether the other has. With release and acquire both may read
 * the old value and go in; sequential consistency forbids that.
 */
#include "threads.h"

#ifdef FIXED
#define ANNOUNCE(v) PUT(v, 1, seq_cst)
#define LOOK(v)     GET(v, seq_cst)
#else
#define ANNOUNCE(v) PUT(v, 1, release)
#define LOOK(v)     GET(v, acquire)
#endif

static atomic_int announced[2];
static int inside;

static void enter(int self)
{
	ANNOUNCE(announced[self]);
	if (!LOOK(announced[!self]))
		inside++;
}

int main(void)
{
	run_threads(2, enter);
	return 0;
}
