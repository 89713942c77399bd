/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwqueue.cc - moodycamel's ReaderWriterQueue between one producer and one consumer (numbers.h)
 *
 * -DTRY: try_enqueue(), which never allocates. -DROOM=1: room for one number at first, so that
 * the producer links in further blocks.
 */
#include <readerwriterqueue/readerwriterqueue.h>

#include "numbers.h"

static moodycamel::ReaderWriterQueue<int> queue(ROOM);

static void produce()
{
	while (pushed < ITEMS) {
#ifdef TRY
		heddle_assert(queue.try_enqueue(pushed + 1));
#else
		heddle_assert(queue.enqueue(pushed + 1));
#endif
		pushed++;
	}
}

static bool take(int &number)
{
	return queue.try_dequeue(number);
}
