/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * once.c - a home-made once that says so too early
 *
 * Who comes first takes the flag and then computes, so who comes second may find the flag taken, and no
 * value yet. The fixed one has a state between the two.
 */
#include "threads.h"

static atomic_int state, value; /* state: 0 nothing, 1 somebody computes, 2 the value is there */

static int compute_once(void)
{
	int nothing = 0;

	if (atomic_compare_exchange_strong(&state, &nothing, 1)) {
		value = 42;
		state = 2;
	}
#ifdef FIXED
	while (state != 2)
		;
#endif
	return value;
}

static void ask(int self)
{
	(void)self;
	assert(compute_once() == 42);
}

int main(void)
{
	run_threads(2, ask);
	return 0;
}
