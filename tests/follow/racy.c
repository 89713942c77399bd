/* SPDX-License-Identifier: BSD-2-Clause */
/* racy.c - a message that is read though it may not be there; with an argument only if WORD is set */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int ready;
static int message;

static void *run(void *arg)
{
	message = 1;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return arg;
}

int main(int argc, char **argv)
{
	/* Of the folder that it is started in. */
	FILE *data = argc > 1 ? fopen(argv[1], "r") : NULL;
	int wanted = argc < 2 || (data && getenv("WORD"));
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	if (atomic_load_explicit(&ready, memory_order_relaxed) && wanted && message)
		puts("racy read it");
	pthread_join(thread, NULL);
	return 0;
}
