/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * million.c - a million plain updates of a global between two joins
 *
 * One execution, no race: the updates are ordered by the joins, and none of them is an event.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define CELLS 1000
#define TIMES 1000

static long a[CELLS];

static void *touch(void *arg)
{
	a[0]++;
	return arg;
}

static void once(void)
{
	pthread_t thread;

	assert(!pthread_create(&thread, NULL, touch, NULL));
	assert(!pthread_join(thread, NULL));
}

int main(void)
{
	once();
	for (int n = 0; n < TIMES; n++)
		for (int i = 0; i < CELLS; i++)
			a[i] += i;
	once();
	assert(a[0] == 2);
	for (int i = 1; i < CELLS; i++)
		assert(a[i] == (long)TIMES * i);
	return 0;
}
