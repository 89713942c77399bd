/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads of memory that was never written, of which the value may also be written: that is a bug in one of two executions in which all reads return
 * the same (runtime/engine/memo.txt, K6; runtime/engine/value/value.txt, M5)
 *
 * same.test compares the counts with and without a memo.
 *
 * case written_first: bug uninitialised-read at atomic_load_explicit(block, RLX)
 * case written_first -e mo: bug uninitialised-read at atomic_load_explicit(block, RLX)
 * case written_first -e value: bug uninitialised-read at atomic_load_explicit(block, RLX)
 * case written_last: bug uninitialised-read at atomic_load_explicit(block, RLX)
 * case written_last -e value: bug uninitialised-read at atomic_load_explicit(block, RLX)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

#define RLX memory_order_relaxed

enum {
	AS_BEFORE = (int)0xcbcbcbcb
}; /* UNWRITTEN of preload/core/wipe.h, in each byte */

static atomic_int *block, turn;
static pthread_t threads[3];

static void *writes(void *arg)
{
	atomic_store_explicit(block, AS_BEFORE, RLX);
	return arg;
}

static void *reads(void *arg)
{
	atomic_load_explicit(&turn, RLX);
	atomic_load_explicit(block, RLX);
	atomic_store_explicit(&turn, 2, RLX);
	return arg;
}

/* So that there is more than one execution in which the block is read as it was, and one in which it is not. */
static void *stands_beside(void *arg)
{
	atomic_store_explicit(&turn, 1, RLX);
	atomic_load_explicit(&turn, RLX);
	return arg;
}

static void run(void *(*first)(void *), void *(*second)(void *))
{
	block = malloc(sizeof(*block));
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_create(&threads[2], NULL, stands_beside, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void written_first(void)
{
	run(writes, reads);
}

static void written_last(void)
{
	run(reads, writes);
}

CASES(CASE(written_first), CASE(written_last))
