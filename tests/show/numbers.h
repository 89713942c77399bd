/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numbers.h - one producer and one consumer of a queue, which rwqueue.cc and spsc.cc bring
 *
 * The producer puts in 1 to ITEMS. The consumer tries ITEMS times to take one; what is left is
 * taken after the joins. Every number must come out, in order, once.
 *
 * -DROOM: for how many numbers the queue has room at first. -DCONSUMERS=2: one more than the
 * queues permit.
 */
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

/* What a queue brings: puts in 1 to ITEMS and counts them in `pushed`; takes one out. */
static void produce();
static bool take(int &number);

static int pushed, last;

static bool check_one()
{
	int got;

	if (!take(got))
		return false;
	heddle_assert(got == last + 1);
	last = got;
	return true;
}

static void consume()
{
	for (int i = 0; i < ITEMS; i++)
		check_one();
}

int main()
{
	std::thread producer(produce), consumers[CONSUMERS];

	for (auto &consumer : consumers)
		consumer = std::thread(consume);
	producer.join();
	for (auto &consumer : consumers)
		consumer.join();
	while (check_one())
		;
	heddle_assert(last == pushed);
	return 0;
}
