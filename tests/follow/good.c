/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * good.c - store buffering with sc atomics: 3 executions
 *
 *	good		writes what it has read, and ends with status 0
 *	good STATUS	likewise, and ends with this status
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int x, y;

static void *run(void *arg)
{
	atomic_store(&x, 1);
	atomic_load(&y);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int word = getchar();

	pthread_create(&thread, NULL, run, NULL);
	atomic_store(&y, 1);
	atomic_load(&x);
	pthread_join(thread, NULL);
	printf("good read %c\n", word == EOF ? '-' : word);
	return argc > 1 ? atoi(argv[1]) : 0;
}
