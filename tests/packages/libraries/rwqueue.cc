/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwqueue.cc - moodycamel's ReaderWriterQueue, one producer and one consumer of ITEMS numbers
 *
 * The consumer takes what it finds; what is left is taken after the join. Numbers must
 * come out in order, each once.
 */
#include <readerwriterqueue/readerwriterqueue.h>

#include <heddle.h>
#include <thread>

#ifndef ITEMS
#define ITEMS 2
#endif

static moodycamel::ReaderWriterQueue<int> queue(ITEMS);

int main()
{
	std::thread producer([] {
		for (int i = 1; i <= ITEMS; i++)
			queue.enqueue(i);
	});
	int last = 0;
	std::thread consumer([&last] {
		int got;

		for (int i = 0; i < ITEMS; i++)
			if (queue.try_dequeue(got)) {
				heddle_assert(got == last + 1);
				last = got;
			}
	});
	int got;

	producer.join();
	consumer.join();
	while (queue.try_dequeue(got)) {
		heddle_assert(got == last + 1);
		last = got;
	}
	heddle_assert(last == ITEMS);
	return 0;
}
