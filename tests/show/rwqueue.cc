/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwqueue.cc - moodycamel's ReaderWriterQueue between one producer and one consumer
 *
 * The producer puts in 1 to ITEMS. The consumer tries ITEMS times to take one; what is left is
 * taken after the joins. Every number must come out, in order, once.
 *
 * -DTRY: try_enqueue(), which never allocates. -DROOM=1: room for one number at first, so that
 * the producer links in further blocks. -DCONSUMERS=2: one more than the queue permits.
 */
#include <readerwriterqueue/readerwriterqueue.h>

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

static moodycamel::ReaderWriterQueue<int> queue(ROOM);
static int last;

static void produce()
{
	for (int i = 1; i <= ITEMS; i++) {
#ifdef TRY
		heddle_assert(queue.try_enqueue(i));
#else
		heddle_assert(queue.enqueue(i));
#endif
	}
}

static bool take()
{
	int got;

	if (!queue.try_dequeue(got))
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
	heddle_assert(last == ITEMS);
	return 0;
}
