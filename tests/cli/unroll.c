/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops without end. With -DBOUND=N a thread stops by itself where `heddle explore --unroll N` stops it, so both
 * have the same executions (unroll.test).
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BOUND
#define ROUNDS for (int n_ = 0;; n_++, heddle_assume(n_ < BOUND))
#else
#define ROUNDS for (;;)
#endif

static atomic_int x, y;

static void *writes(void *arg)
{
	ROUNDS
	{
		if (atomic_exchange(&x, 1) == 2)
			return arg;
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
}

static void *counts(void *arg)
{
	ROUNDS
	{
		if (atomic_fetch_add_explicit(&x, 1, memory_order_relaxed) == 4)
			return arg;
	}
}

static void *counts_behind_waits(void *arg)
{
	ROUNDS
	{
		while (!atomic_load(&y))
			;
		if (atomic_fetch_add(&x, 1) == 3)
			return arg;
	}
}

static void *nested(void *arg)
{
	ROUNDS
	{
		ROUNDS
		{
			if (atomic_fetch_add(&x, 1) % 2)
				break;
		}
		if (atomic_load(&y))
			return arg;
	}
}

int main(int argc, char **argv)
{
	static void *(*const one[])(void *) = { writes, counts, writes, nested };
	static void *(*const other[])(void *) = { writes, counts, counts_behind_waits, writes };
	int which = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t[2];

	pthread_create(&t[0], NULL, one[which], NULL);
	pthread_create(&t[1], NULL, other[which], NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
