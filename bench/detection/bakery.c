/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bakery.c - Lamport's bakery for two, without the sign that says who is choosing
 *
 * Who has looked at the other's number, and not yet written its own, is overtaken: both find that it is their turn.
 */
#include "threads.h"

static atomic_int choosing[2], number[2];
static int inside;

static void enter(int self)
{
	int other = 1 - self, theirs;

#ifdef FIXED
	choosing[self] = 1;
#endif
	number[self] = number[other] + 1;
#ifdef FIXED
	choosing[self] = 0;
	while (choosing[other])
		;
#endif
	for (;;) {
		theirs = number[other];
		if (!theirs || theirs > number[self] || (theirs == number[self] && self < other))
			return;
	}
}

static void either(int self)
{
	enter(self);
	inside++;
	number[self] = 0;
}

int main(void)
{
	run_threads(2, either);
	(void)choosing;
	return 0;
}
