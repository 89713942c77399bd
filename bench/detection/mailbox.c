/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mailbox.c - a queue with many producers, whose links are published too weakly
 *
 * A producer exchanges the end of the queue and then links its node behind the one that was there (Vyukov's queue). The
 * consumer follows the links; a relaxed one does not carry the letter.
 */
#include "threads.h"

#ifdef FIXED
#define LINK(v, n) PUT(v, n, release)
#else
#define LINK(v, n) PUT(v, n, relaxed)
#endif

enum {
	PRODUCERS = 2
};

static struct node {
	_Atomic(struct node *) next;
	int letter;
} stub, node[PRODUCERS];
static _Atomic(struct node *) last = &stub;
static int sum;

static void send(int self)
{
	struct node *before;

	node[self].letter = self + 1;
	before = atomic_exchange_explicit(&last, &node[self], memory_order_acq_rel);
	LINK(before->next, &node[self]);
}

static void receive(void)
{
	struct node *it = &stub, *next;

	for (int i = 0; i < PRODUCERS; i++) {
		next = GET(it->next, acquire);
		if (!next)
			return;
		sum += next->letter;
		it = next;
	}
}

static void each(int self)
{
	if (self < PRODUCERS)
		send(self);
	else
		receive();
}

int main(void)
{
	run_threads(PRODUCERS + 1, each);
	return 0;
}
