/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spsc.cc - boost::lockfree::spsc_queue between one producer and one consumer (numbers.h)
 *
 * -DROOM=1: room for one number, so that a push may fail, and what was not pushed is not
 * expected.
 */
#include <boost/lockfree/spsc_queue.hpp>

#include "numbers.h"

static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<ROOM>> queue;

static void produce()
{
	while (pushed < ITEMS && queue.push(pushed + 1))
		pushed++;
	heddle_assert(pushed >= ROOM);
}

static bool take(int &number)
{
	return queue.pop(number);
}
