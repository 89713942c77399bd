/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aba.c - ABA in a stack of free nodes
 *
 * A pop reads the top and what is below it, others pop both and push the top again: the exchange succeeds
 * and hands out a node that somebody holds. The fixed one counts in the upper half of the word.
 */
#include "threads.h"

enum {
	NODES = 3
};

#ifdef FIXED
#define STAMP 0x10000u
#else
#define STAMP 0u
#endif

static atomic_uint top = 1; /* number of the node in the lower half; 0: none */
static atomic_uint below[NODES + 1] = { 0, 2, 3, 0 };
static atomic_int owners[NODES + 1];

static unsigned pop(void)
{
	unsigned was = GET(top, acquire), next;

	do {
		if (!(was & 0xffff))
			return 0;
		next = ((was & ~0xffffu) + STAMP) | GET(below[was & 0xffff], relaxed);
	} while (!atomic_compare_exchange_strong(&top, &was, next));
	assert(ADD(owners[was & 0xffff], 1, relaxed) == 0);
	return was & 0xffff;
}

static void push(unsigned node)
{
	unsigned was = GET(top, acquire);

	ADD(owners[node], -1, relaxed);
	do
		PUT(below[node], was & 0xffff, relaxed);
	while (!atomic_compare_exchange_strong(&top, &was, ((was & ~0xffffu) + STAMP) | node));
}

static void use(int self)
{
	unsigned first = pop(), second;

	second = pop(); /* it is kept */
	if (self && first)
		push(first);
	(void)second;
}

int main(void)
{
	run_threads(2, use);
	return 0;
}
