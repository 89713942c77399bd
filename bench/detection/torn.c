/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torn.c - torn sequence lock
 *
 * The writer counts only once, behind both stores, so a reader in the middle of them sees the same count
 * before and after, and halves of two versions.
 */
#include "threads.h"

static atomic_uint sequence;
static atomic_int low, high;

static void write_both(int value)
{
#ifdef FIXED
	ADD(sequence, 1, seq_cst);
#endif
	PUT(low, value, seq_cst);
	PUT(high, value, seq_cst);
	ADD(sequence, 1, seq_cst);
}

static void read_both(void)
{
	unsigned before = GET(sequence, seq_cst);
	int first = GET(low, seq_cst), second = GET(high, seq_cst);
	bool busy = false;

#ifdef FIXED
	busy = before & 1;
#endif
	if (!busy && GET(sequence, seq_cst) == before)
		assert(first == second);
}

static void either(int self)
{
	if (self == 0)
		read_both();
	else
		write_both(1);
}

int main(void)
{
	run_threads(2, either);
	return 0;
}
