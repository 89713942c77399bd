/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_read.c - rounds that differ only in the place where the thread then reads plain memory
 *
 * A run that tries a value out ends at a plain read, since what stands there may come with the value. Two runs that come to
 * reads of the same memory, in the same state, go on in the same way only if it is the same place in the code. (await.txt, W2)
 *
 * case the_second_read_is_another: bug assertion at "it was the second one"
 */
#include "cases.h"
#include "waits_first.h"

static int zero;

/* What it reads behind its first look it does not mind. */
static __attribute__((noinline)) bool reads_twice(const int *from, const int *word)
{
	int v;

	for (long round = 0;; round = 1) {
		do
			v = LOOK(from);
		while (v == WAIT);
		__asm__("" : "+r"(round)); /* or each round would have code of its own */
		if (v == DONE)
			return false;
		if (!round) {
			if (*word == 5)
				return false;
		} else if (*word == 0) {
			return true;
		}
	}
}

static void *reads(void *arg)
{
	(void)arg;
	return reads_twice(&x, &zero) ? &x : NULL;
}

static void *waits(void *arg)
{
	reads_twice(&y, &zero);
	return arg;
}

static void the_second_read_is_another(void)
{
	void *second;

	if (waits_for_y(waits))
		return;
	with(reads, &second);
	assert(!second && "it was the second one");
}

CASES(CASE(the_second_read_is_another))
