/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lfstack.cc - boost::lockfree::stack, nodes from its own pool (crowd.h)
 *
 * UNSAFE in the environment: producers call what only one thread at a time may.
 */
#include <boost/lockfree/stack.hpp>

#define ORDERED 0
#include "crowd.h"

static boost::lockfree::stack<int, boost::lockfree::capacity<4>> stack;

static bool is_unsafe;

static void begin()
{
	is_unsafe = getenv("UNSAFE");
}

static void add(int, int number)
{
	if (is_unsafe)
		heddle_assert(stack.unsynchronized_push(number));
	else
		heddle_assert(stack.push(number));
}

static bool take(int &number)
{
	return stack.pop(number);
}
