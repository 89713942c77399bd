/* SPDX-License-Identifier: BSD-2-Clause */
/* argv.c - a program's arguments, read by its threads */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char **words;
static atomic_int total;

static void *add(void *arg)
{
	atomic_fetch_add(&total, atoi(words[1 + (long)arg]));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	assert(argc == 5);
	assert(strlen(argv[0]) > 0 && argv[argc] == NULL);
	assert(!strcmp(argv[3], "two words") && !strcmp(argv[4], "--help"));
	words = argv;
	for (long i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, add, (void *)i) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(total == 42);
	return 0;
}
