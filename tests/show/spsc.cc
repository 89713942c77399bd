/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spsc.cc - boost::lockfree::spsc_queue between one producer and one consumer (numbers.h)
 *
 * With room for one number a push may fail, and what was not pushed is not expected.
 */
#include <boost/lockfree/spsc_queue.hpp>

#include "numbers.h"

/* Its room is part of its type. */
template <size_t n> static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<n>> queue;

static void begin()
{
	if (room < 1 || room > 3)
		exit(2);
}

static bool push(int number)
{
	return room == 1   ? queue<1>.push(number)
	       : room == 2 ? queue<2>.push(number)
			   : queue<3>.push(number);
}

static void produce()
{
	while (pushed < items && push(pushed + 1))
		pushed++;
	heddle_assert(pushed >= room);
}

static bool take(int &number)
{
	return room == 1   ? queue<1>.pop(number)
	       : room == 2 ? queue<2>.pop(number)
			   : queue<3>.pop(number);
}
