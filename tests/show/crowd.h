/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd.h - several producers and several consumers around a container
 *
 * Each of PRODUCERS threads adds ITEMS numbers (the first of them only FIRST, if that is defined),
 * each of CONSUMERS tries ITEMS times to take one, and main takes what is left. Every number must come out once, and where ORDERED is 1, those of
 * one producer in the order in which one consumer got them. The program defines
 *
 *	static void add(int producer, int number);
 *	static bool take(int &number);
 */
#include <heddle.h>
#include <thread>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

#ifndef FIRST
#define FIRST ITEMS
#endif

static void add(int producer, int number);
static bool take(int &number);

/* What each of them got; the last is main. */
static int taken[CONSUMERS + 1][PRODUCERS * ITEMS], ntaken[CONSUMERS + 1];

static void produce(int producer)
{
	for (int i = 0; i < (producer ? ITEMS : FIRST); i++)
		add(producer, producer * ITEMS + i);
}

static void consume(int consumer, int times)
{
	int number;

	while (times--)
		if (take(number)) {
			heddle_assert(number >= 0 && number < PRODUCERS * ITEMS);
			taken[consumer][ntaken[consumer]++] = number;
		}
}

static void check()
{
	bool seen[PRODUCERS * ITEMS] = {};

	for (int c = 0; c <= CONSUMERS; c++)
		for (int i = 0; i < ntaken[c]; i++) {
			int number = taken[c][i];

			heddle_assert(!seen[number]);
			seen[number] = true;
			for (int k = 0; ORDERED && k < i; k++)
				heddle_assert(taken[c][k] < number ||
					      taken[c][k] / ITEMS != number / ITEMS);
		}
	for (int i = 0; i < PRODUCERS * ITEMS; i++)
		heddle_assert(seen[i] == (i < FIRST || i >= ITEMS));
}

int main()
{
	std::thread threads[PRODUCERS + CONSUMERS];

	for (int i = 0; i < PRODUCERS; i++)
		threads[i] = std::thread(produce, i);
	for (int i = 0; i < CONSUMERS; i++)
		threads[PRODUCERS + i] = std::thread(consume, i, ITEMS);
	for (auto &t : threads)
		t.join();
	consume(CONSUMERS, PRODUCERS * ITEMS);
	check();
	return 0;
}
