/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * publish.c - flag race
 *
 * The flag that says that the message is there is set by a relaxed store, which orders nothing: the
 * reader may see the flag and race with the message.
 */
#include "threads.h"

#ifdef FIXED
#define RAISE(v) PUT(v, 1, release)
#else
#define RAISE(v) PUT(v, 1, relaxed)
#endif

static atomic_int ready;
static int message;

static void either(int self)
{
	if (self == 0) {
		message = 42;
		RAISE(ready);
	} else if (GET(ready, acquire)) {
		assert(message == 42);
	}
}

int main(void)
{
	run_threads(2, either);
	return 0;
}
