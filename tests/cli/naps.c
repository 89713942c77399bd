/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naps.c - what a program does by the order in which two threads go on behind their yields
 *
 * Built without heddle-cc, so nothing is known of its variables, or with it and --plain=explore. The status that it ends
 * with is a number for that order. With `first` it depends on a thread that comes before main has gone on behind its
 * creation, with `second` on one that comes before main has gone on behind its yield.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ROUNDS = 12
};

static unsigned volatile order = 1, quick;

static void *takes_turns(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		order = order * 2 + 1;
		sched_yield();
	}
	return arg;
}

static void *comes_first(void *arg)
{
	if (!quick)
		_exit(3);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 1 && !strcmp(argv[1], "first")) {
		pthread_create(&t, NULL, comes_first, NULL);
		quick = 1;
		abort();
	}
	if (argc > 1 && !strcmp(argv[1], "second")) {
		pthread_create(&t, NULL, comes_first, NULL);
		sched_yield();
		quick = 1;
		abort();
	}
	pthread_create(&t, NULL, takes_turns, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		order *= 2;
		sched_yield();
	}
	pthread_join(t, NULL);
	_exit(1 + (int)(order * 2654435761u >> 16) % 250);
}
