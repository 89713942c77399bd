/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cqueue.cc - moodycamel's ConcurrentQueue (crowd.h)
 *
 * HOW in the environment: with `token` producers have tokens, one each; with `unsafe` they share one, which is not
 * allowed.
 */
#include <concurrentqueue/concurrentqueue.h>
#include <cstring>
#include <optional>

#define ORDERED 1
#include "crowd.h"

static moodycamel::ConcurrentQueue<int> queue(32);

static std::optional<moodycamel::ProducerToken> token[2];
static bool is_shared;

static void begin()
{
	const char *how = getenv("HOW");

	is_shared = how && !strcmp(how, "unsafe");
	for (int i = 0; how && i < 2; i++)
		token[i].emplace(queue);
}

static void add(int producer, int number)
{
	if (token[0])
		heddle_assert(queue.enqueue(*token[is_shared ? 0 : producer], number));
	else
		heddle_assert(queue.enqueue(number));
}

static bool take(int &number)
{
	return queue.try_dequeue(number);
}
