/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_volatile.c - a volatile variable on a stack, which another thread writes and its owner reads three times
 *
 *	own_volatile [FIRST SECOND THIRD]	aborts where that is what it reads
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static void *writes(void *at)
{
	*(volatile int *)at = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	volatile int own = 0;
	int read[3];
	pthread_t t;

	if (pthread_create(&t, NULL, writes, (void *)&own) != 0)
		return 2;
	for (int i = 0; i < 3; i++)
		read[i] = own;
	if (argc == 4 && read[0] == atoi(argv[1]) && read[1] == atoi(argv[2]) &&
	    read[2] == atoi(argv[3]))
		abort();
	if (pthread_join(t, NULL) != 0)
		return 2;
	assert(own == 1);
	return 0;
}
