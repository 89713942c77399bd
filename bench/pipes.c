/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipes.c - what an execution costs that makes, uses and closes descriptors: two threads write to a pipe
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum {
	EACH = 3
};

static int ends[2];

static void *nothing(void *arg)
{
	return arg;
}

static void *write_some(void *arg)
{
	for (int i = 0; i < EACH; i++)
		assert(write(ends[1], "x", 1) == 1);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	char c;

	/* What comes before the first thread is done once. */
	pthread_create(&t[0], NULL, nothing, NULL);
	pthread_join(t[0], NULL);
	assert(pipe(ends) == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, write_some, NULL);
	for (int i = 0; i < 2 * EACH; i++)
		assert(read(ends[0], &c, 1) == 1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	close(ends[0]);
	close(ends[1]);
	return 0;
}
