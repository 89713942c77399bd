/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cqueue.cc - moodycamel's ConcurrentQueue (crowd.h)
 *
 * -DTOKEN: producers have tokens, one each. -DUNSAFE: they share one, which is not allowed.
 */
#include <concurrentqueue/concurrentqueue.h>

#define ORDERED 1
#include "crowd.h"

static moodycamel::ConcurrentQueue<int> queue(32);

#if defined(TOKEN) || defined(UNSAFE)
static moodycamel::ProducerToken token[PRODUCERS] = {
	moodycamel::ProducerToken(queue),
	moodycamel::ProducerToken(queue),
};
#endif

static void add(int producer, int number)
{
#if defined(TOKEN)
	heddle_assert(queue.enqueue(token[producer], number));
#elif defined(UNSAFE)
	heddle_assert(queue.enqueue(token[0], number + 0 * producer));
#else
	heddle_assert(queue.enqueue(number + 0 * producer));
#endif
}

static bool take(int &number)
{
	return queue.try_dequeue(number);
}
