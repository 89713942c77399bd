/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwqueue.cc - moodycamel's ReaderWriterQueue between one producer and one consumer (numbers.h)
 *
 * With room for one number at first the producer links in further blocks. TRY in the environment:
 * try_enqueue(), which never allocates.
 */
#include <optional>
#include <readerwriterqueue/readerwriterqueue.h>

#include "numbers.h"

static std::optional<moodycamel::ReaderWriterQueue<int>> queue;
static bool only_tries;

static void begin()
{
	only_tries = getenv("TRY");
	queue.emplace(room);
}

static void produce()
{
	while (pushed < items) {
		if (only_tries)
			heddle_assert(queue->try_enqueue(pushed + 1));
		else
			heddle_assert(queue->enqueue(pushed + 1));
		pushed++;
	}
}

static bool take(int &number)
{
	return queue->try_dequeue(number);
}
