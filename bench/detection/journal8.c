/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * journal8.c - seven writers and a reader of a journal
 *
 * Writers reserve a place by a read-modify-write and fill it afterwards; the reader takes all that is reserved
 * for written, and finds an empty place. The fixed one skips these.
 */
#include "threads.h"

enum {
	WRITERS = 7
};

static atomic_int reserved, entry[WRITERS];

static void write_entry(int self)
{
	entry[atomic_fetch_add(&reserved, 1)] = self + 1;
}

static void read_all(void)
{
	int n = reserved;

	for (int i = 0; i < n; i++) {
		int it = entry[i];

#ifdef FIXED
		if (!it)
			continue;
#endif
		assert(it > 0);
	}
}

static void each(int self)
{
	if (self < WRITERS)
		write_entry(self);
	else
		read_all();
}

int main(void)
{
	run_threads(WRITERS + 1, each);
	return 0;
}
