/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rcu.c - broken read-copy-update
 *
 * The reader's announcement is not ordered before its load of the pointer, so the writer may see no reader
 * and free what is being read.
 */
#include "threads.h"

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

static _Atomic(int *) shared;
static atomic_int reading;

static void reader(void)
{
	PUT(reading, 1, relaxed);
	FENCE();
	assert(*GET(shared, acquire) > 0);
	PUT(reading, 0, release);
}

static void writer(void)
{
	int *fresh = malloc(sizeof(*fresh)), *old;

	*fresh = 2;
	old = atomic_exchange(&shared, fresh);
	FENCE();
	while (GET(reading, acquire))
		;
	free(old);
}

static void either(int self)
{
	if (self == 0)
		reader();
	else
		writer();
}

int main(void)
{
	int *first = malloc(sizeof(*first));

	*first = 1;
	shared = first;
	run_threads(2, either);
	return 0;
}
