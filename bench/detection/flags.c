/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flags.c - lost update of a word of flags
 *
 * Each thread sets its own bit by a load and a store, so two that overlap lose one of them. The fixed one
 * is a single read-modify-write.
 */
#include "threads.h"

static atomic_uint flags;

static void set_bit(int self)
{
#ifdef FIXED
	atomic_fetch_or(&flags, 1u << self);
#else
	PUT(flags, GET(flags, seq_cst) | 1u << self, seq_cst);
#endif
}

int main(void)
{
	run_threads(2, set_bit);
	assert(flags == 3);
	return 0;
}
