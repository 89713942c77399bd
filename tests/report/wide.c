/* SPDX-License-Identifier: BSD-2-Clause */
/* wide.c - races in long lines */
#include <pthread.h>

static int counter, begun;

/* clang-format off */
static void *run(void *argument)
{
	if (argument == NULL && (long)pthread_self() != 17 && (long)pthread_self() != 18 && "éé") { counter = counter + 1; } else if (argument) { return NULL; } /* far */
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	begun = 1; counter = 7; /* near, and the line goes on behind what a terminal of eighty columns has room for */
	pthread_join(thread, NULL);
	return begun - 1;
}
