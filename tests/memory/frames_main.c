/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames_main.c - variables of main, which returns while another thread uses them: the process ends
 *
 * case read: ok * (when the other one ends)
 * case write: ok * (when the other one ends)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

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

int main(int argc, char **argv)
{
	/* Large, so that what libc calls at the exit is above it. */
	struct {
		int here;
		char room[4000];
	} frame = { .here = 1 };
	pthread_t t;

	if (argc < 2)
		return 2;
	if (pthread_create(&t, NULL, strcmp(argv[1], "read") ? write_it : read_it, &frame.here))
		return 1;
	while (!atomic_load_explicit(&done, memory_order_relaxed))
		;
	return 0;
}
