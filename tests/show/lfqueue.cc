/* SPDX-License-Identifier: BSD-2-Clause */
/* lfqueue.cc - boost::lockfree::queue, nodes from its own pool (crowd.h) */
#include <boost/lockfree/queue.hpp>

#define ORDERED 1
#include "crowd.h"

static boost::lockfree::queue<int, boost::lockfree::capacity<4>> queue;

static void begin()
{
}

static void add(int, int number)
{
	heddle_assert(queue.push(number));
}

static bool take(int &number)
{
	return queue.pop(number);
}
