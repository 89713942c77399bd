/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames_main.c - variables of main, which returns while another thread uses them: the process ends
 *
 * case read: ok * (when the other one ends)
 * case write: ok * (when the other one ends)
 * case read_all: ok 3
 * case write_all: ok 4
 * case read_left: ok 1
 */
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MANY = 1000
};

static atomic_int done;

static void *read_it(void *arg)
{
	int found = *(volatile int *)arg;

	atomic_fetch_add(&done, found);
	return arg;
}

static void *write_it(void *arg)
{
	*(volatile int *)arg = 2;
	atomic_fetch_add(&done, 1);
	return arg;
}

/* What ends the process is not to be there. (Natively it comes there, and ends it soon.) */
static void *read_all(void *arg)
{
	volatile int *all = arg;

	atomic_fetch_add(&done, 1);
	for (int i = 0; i < MANY; i++)
		assert(all[i] == i + 1 || !heddle_running());
	atomic_fetch_add(&done, 1);
	return arg;
}

static void *write_all(void *arg)
{
	volatile int *all = arg;

	read_all(arg);
	for (int i = 0; i < MANY && heddle_running(); i++)
		all[i] = -1;
	atomic_fetch_add(&done, 1);
	return arg;
}

static const struct {
	const char *name;
	void *(*fn)(void *);
	bool awaited;
} cases[] = {
	{ "read", read_it, true },
	{ "write", write_it, true },
	{ "read_all", read_all, false },
	{ "write_all", write_all, false },
};

/* What exit() calls is above it. */
static __attribute__((noinline)) void leave(pthread_t *t)
{
	int frame[MANY];

	frame[0] = 1;
	__asm__ volatile("" : : "r"(frame) : "memory");
	if (pthread_create(t, NULL, read_it, frame))
		exit(1);
}

int main(int argc, char **argv)
{
	int frame[MANY];
	pthread_t t;

	for (int i = 0; i < MANY; i++)
		frame[i] = i + 1;
	if (argc > 1 && !strcmp(argv[1], "read_left")) {
		leave(&t);
		exit(0);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			if (pthread_create(&t, NULL, cases[i].fn, frame))
				return 1;
			while (cases[i].awaited &&
			       !atomic_load_explicit(&done, memory_order_relaxed))
				;
			atomic_fetch_add(&done, 1);
			return 0;
		}
	return 2;
}
