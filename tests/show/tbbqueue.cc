/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tbbqueue.cc - oneTBB's concurrent_queue (crowd.h)
 *
 * -DUNSAFE: a consumer clears it, which only one thread at a time may do.
 *
 * Its nodes come from malloc(). oneTBB's own allocator (libtbbmalloc, if that is installed) is not
 * instrumented: which address a thread gets there depends on what the others did unseen.
 */
#include <memory>

#include <tbb/concurrent_queue.h>

#define ORDERED 1
#include "crowd.h"

static tbb::concurrent_queue<int, std::allocator<int>> queue;

static void add(int, int number)
{
	queue.push(number);
}

static bool take(int &number)
{
#ifdef UNSAFE
	queue.clear();
#endif
	return queue.try_pop(number);
}
