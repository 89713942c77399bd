/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wrap.c - a sequence lock whose count has two bits
 *
 * While a reader is between the two halves, two whole writes come by and the count is what it was. The fixed count has all bits.
 */
#include "threads.h"

#ifdef FIXED
#define COUNT(n) (n)
#else
#define COUNT(n) ((n)&3)
#endif

static atomic_uint sequence;
static atomic_int half[2];

static void write_twice(void)
{
	for (unsigned i = 1; i <= 2; i++) {
		sequence = COUNT(2 * i - 1);
		half[0] = (int)i;
		half[1] = (int)i;
		sequence = COUNT(2 * i);
	}
}

static void read_once(void)
{
	unsigned before = sequence;
	int one = half[0], other = half[1];

	if (!(before & 1) && sequence == before)
		assert(one == other);
}

static void either(int self)
{
	if (self)
		read_once();
	else
		write_twice();
}

int main(void)
{
	run_threads(2, either);
	return 0;
}
