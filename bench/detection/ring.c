/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.c - a ring whose producer publishes too weakly
 *
 * The index that says how many items there are is stored relaxed, so the consumer may take an item before it
 * is written: a data race.
 */
#include "threads.h"

enum {
	ITEMS = 3
};

#ifdef FIXED
#define PUBLISH(v, n) PUT(v, n, release)
#else
#define PUBLISH(v, n) PUT(v, n, relaxed)
#endif

static atomic_int filled;
static int slot[ITEMS];

static void either(int self)
{
	for (int i = 0; i < ITEMS; i++) {
		if (self == 0) {
			slot[i] = i + 1;
			PUBLISH(filled, i + 1);
		} else if (GET(filled, acquire) > i) {
			assert(slot[i] == i + 1);
		}
	}
}

int main(void)
{
	run_threads(2, either);
	return 0;
}
