/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pair.h - one producer and one consumer around a ring for such a pair
 *
 * The producer adds the numbers 1 to ITEMS, waiting where there is no room; the consumer, or each of CONSUMERS,
 * which is more than the ring permits, waits for its share of them. They must come out in order. The program defines
 *
 *	static void begin(void);
 *	static bool add(long number);
 *	static bool take(long *number);
 */
#include <heddle.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif

static void begin(void);
static bool add(long number);
static bool take(long *number);

static void *produce(void *arg)
{
	for (long i = 1; i <= ITEMS; i++)
		while (!add(i))
			;
	return arg;
}

static void *consume(void *arg)
{
	long number, last = 0;

	for (int i = 0; i < ITEMS / CONSUMERS; i++) {
		while (!take(&number))
			;
		heddle_assert(number > last && number <= ITEMS);
		heddle_assert(CONSUMERS > 1 || number == last + 1);
		last = number;
	}
	return arg;
}

int main(void)
{
	pthread_t threads[1 + CONSUMERS];

	begin();
	pthread_create(&threads[0], NULL, produce, NULL);
	for (int i = 1; i <= CONSUMERS; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i <= CONSUMERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
