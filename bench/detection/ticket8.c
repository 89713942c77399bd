/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ticket8.c - eight threads at a ticket lock, one of which only tries
 *
 * Who tries looks whether nobody waits, and then takes the next ticket whatever it is: if somebody came in between
 * both are inside. The fixed one takes the ticket only if it is the one that it has seen.
 */
#include "threads.h"

enum {
	THREADS = 8
};

static atomic_uint next, serving;
static int inside;

static void leave(unsigned ticket)
{
	PUT(serving, ticket + 1, release);
}

static void lock_and_work(void)
{
	unsigned ticket = ADD(next, 1, relaxed);

	while (GET(serving, acquire) != ticket)
		;
	inside++;
	leave(ticket);
}

static void try_to_work(void)
{
	unsigned now = GET(serving, acquire);

#ifdef FIXED
	unsigned seen = now;

	if (!atomic_compare_exchange_strong(&next, &seen, now + 1))
		return;
#else
	if (GET(next, relaxed) != now)
		return;
	now = ADD(next, 1, relaxed);
#endif
	inside++;
	leave(now);
}

static void each(int self)
{
	if (self < THREADS - 1)
		lock_and_work();
	else
		try_to_work();
}

int main(void)
{
	run_threads(THREADS, each);
	return 0;
}
