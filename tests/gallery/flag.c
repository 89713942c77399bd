/* SPDX-License-Identifier: BSD-2-Clause */
/* flag.c - a thread goes on until it is told to stop, by a variable like any other */
#include <pthread.h>
#include <stdbool.h>

static bool stop;

static void *worker(void *argument)
{
	while (!stop)
		;
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	stop = true;
	pthread_join(thread, NULL);
	return 0;
}
