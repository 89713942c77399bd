/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spsc.cc - boost::lockfree::spsc_queue, one producer and one consumer of ITEMS numbers
 *
 * The consumer takes what it finds; what is left is taken after the join. Numbers must
 * come out in order, each once.
 */
#include <boost/lockfree/spsc_queue.hpp>

#include <heddle.h>
#include <thread>

#ifndef ITEMS
#define ITEMS 2
#endif

static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<ITEMS>> queue;

int main()
{
	std::thread producer([] {
		for (int i = 1; i <= ITEMS; i++)
			heddle_assert(queue.push(i));
	});
	int last = 0;
	std::thread consumer([&last] {
		int got;

		for (int i = 0; i < ITEMS; i++)
			if (queue.pop(got)) {
				heddle_assert(got == last + 1);
				last = got;
			}
	});
	int got;

	producer.join();
	consumer.join();
	while (queue.pop(got)) {
		heddle_assert(got == last + 1);
		last = got;
	}
	heddle_assert(last == ITEMS);
	return 0;
}
