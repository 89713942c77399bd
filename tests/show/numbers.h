/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numbers.h - one producer and one consumer of a queue, which rwqueue.cc and spsc.cc bring
 *
 *	./program ITEMS ROOM CONSUMERS
 *
 * The producer puts in 1 to ITEMS. The consumer tries ITEMS times to take one; what is left is
 * taken after the joins. Every number must come out, in order, once.
 *
 * ROOM: for how many numbers the queue has room at first. CONSUMERS: 2 are one more than the
 * queues permit. All are arguments, since headers in C++ take longer to compile than all of it to explore.
 */
#include <cstdlib>
#include <heddle.h>
#include <thread>

enum {
	MAX_CONSUMERS = 2
};

static int items, room;

/* What a queue brings: gets ready; puts in 1 to `items` and counts them in `pushed`; takes one out. */
static void begin();
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
	for (int i = 0; i < items; i++)
		check_one();
}

int main(int argc, char **argv)
{
	std::thread producer, consumers[MAX_CONSUMERS];
	int n = argc == 4 ? atoi(argv[3]) : 0;

	if (n < 1 || n > MAX_CONSUMERS)
		return 2;
	items = atoi(argv[1]);
	room = atoi(argv[2]);
	begin();
	producer = std::thread(produce);
	for (int i = 0; i < n; i++)
		consumers[i] = std::thread(consume);
	producer.join();
	for (int i = 0; i < n; i++)
		consumers[i].join();
	while (check_one())
		;
	heddle_assert(last == pushed);
	return 0;
}
