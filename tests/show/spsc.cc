/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spsc.cc - boost::lockfree::spsc_queue between one producer and one consumer
 *
 * The producer puts in 1 to ITEMS. The consumer tries ITEMS times to take one; what is left is
 * taken after the joins. Every number must come out, in order, once.
 *
 * -DROOM=1: room for one number, so that a push may fail, and what was not pushed is not
 * expected. -DCONSUMERS=2: one more than the queue permits.
 */
#include <boost/lockfree/spsc_queue.hpp>

#include <heddle.h>
#include <thread>

#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef ROOM
#define ROOM ITEMS
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif

static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<ROOM>> queue;
static int last, pushed;

static void produce()
{
	while (pushed < ITEMS && queue.push(pushed + 1))
		pushed++;
	heddle_assert(pushed >= ROOM);
}

static bool take()
{
	int got;

	if (!queue.pop(got))
		return false;
	heddle_assert(got == last + 1);
	last = got;
	return true;
}

static void consume()
{
	for (int i = 0; i < ITEMS; i++)
		take();
}

int main()
{
	std::thread producer(produce), consumers[CONSUMERS];

	for (auto &consumer : consumers)
		consumer = std::thread(consume);
	producer.join();
	for (auto &consumer : consumers)
		consumer.join();
	while (take())
		;
	heddle_assert(last == pushed);
	return 0;
}
