/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd.h - several producers and several consumers around a container
 *
 *	./program [PRODUCERS CONSUMERS ITEMS [FIRST]]
 *
 * Each of PRODUCERS threads (2) adds ITEMS numbers (1), the first of them only FIRST; each of CONSUMERS (1) tries
 * ITEMS times to take one, and main takes what is left. Every number must come out once, and where ORDERED is
 * 1, those of one producer in the order in which one consumer got them. All are arguments, since headers in C++
 * take longer to compile than most of it to explore. The program defines
 *
 *	static void begin();
 *	static void add(int producer, int number);
 *	static bool take(int &number);
 */
#include <cstdlib>
#include <heddle.h>
#include <thread>

enum {
	MAX_THREADS = 5,
	MAX_CONSUMERS = 2,
	MAX_NUMBERS = 60
};

static int producers = 2, consumers = 1, items = 1, first = 1;

static void begin();
static void add(int producer, int number);
static bool take(int &number);

/* What each of them got; the last is main. */
static int taken[MAX_CONSUMERS + 1][MAX_NUMBERS], ntaken[MAX_CONSUMERS + 1];

static void produce(int producer)
{
	for (int i = 0; i < (producer ? items : first); i++)
		add(producer, producer * items + i);
}

static void consume(int consumer, int times)
{
	int number;

	while (times--)
		if (take(number)) {
			heddle_assert(number >= 0 && number < producers * items);
			taken[consumer][ntaken[consumer]++] = number;
		}
}

static void check()
{
	bool seen[MAX_NUMBERS] = {};

	for (int c = 0; c <= consumers; c++)
		for (int i = 0; i < ntaken[c]; i++) {
			int number = taken[c][i];

			heddle_assert(!seen[number]);
			seen[number] = true;
			for (int k = 0; ORDERED && k < i; k++)
				heddle_assert(taken[c][k] < number ||
					      taken[c][k] / items != number / items);
		}
	for (int i = 0; i < producers * items; i++)
		heddle_assert(seen[i] == (i < first || i >= items));
}

static bool read_arguments(int argc, char **argv)
{
	if (argc > 3) {
		producers = atoi(argv[1]);
		consumers = atoi(argv[2]);
		first = items = atoi(argv[3]);
	}
	if (argc > 4)
		first = atoi(argv[4]);
	return consumers <= MAX_CONSUMERS && producers + consumers <= MAX_THREADS &&
	       producers * items <= MAX_NUMBERS;
}

int main(int argc, char **argv)
{
	std::thread threads[MAX_THREADS];

	if (!read_arguments(argc, argv))
		return 2;
	begin();
	for (int i = 0; i < producers; i++)
		threads[i] = std::thread(produce, i);
	for (int i = 0; i < consumers; i++)
		threads[producers + i] = std::thread(consume, i, items);
	for (int i = 0; i < producers + consumers; i++)
		threads[i].join();
	consume(consumers, producers * items);
	check();
	return 0;
}
