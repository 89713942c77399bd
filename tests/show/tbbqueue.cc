/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tbbqueue.cc - oneTBB's concurrent_queue (crowd.h)
 *
 * UNSAFE in the environment: a consumer clears it, which only one thread at a time may do.
 *
 * Its nodes come from malloc(). oneTBB's own allocator (libtbbmalloc, if that is installed) is not
 * instrumented: which address a thread gets there depends on what the others did unseen.
 */
#include <memory>

#include <tbb/concurrent_queue.h>

#define ORDERED 1
#include "crowd.h"

static tbb::concurrent_queue<int, std::allocator<int>> queue;

static bool clears;

static void begin()
{
	clears = getenv("UNSAFE");
}

static void add(int, int number)
{
	queue.push(number);
}

static bool take(int &number)
{
	if (clears)
		queue.clear();
	return queue.try_pop(number);
}
