/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * piped.c - a program that has what two processes cannot each have when they come of one: a pipe
 *
 *	piped [WHAT [TURNS]]
 *
 * WHAT: `pipe`; `file`, which is read where it stands; or `memory` that both would share.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int turns, *common = &turns;
static FILE *file;
static int each = 4;

static void *take_turns(void *arg)
{
	for (int i = 0; i < each; i++)
		atomic_fetch_add(common, 1);
	return arg;
}

static void *read_on(void *arg)
{
	char word[8] = "";

	assert(file && fscanf(file, "%7s", word) == 1 && !strcmp(word, "second"));
	return take_turns(arg);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "pipe";
	void *(*first)(void *) = take_turns;
	int ends[2];
	pthread_t t[2];

	each = argc > 2 ? atoi(argv[2]) : each;
	if (!strcmp(what, "file")) {
		char word[8];

		file = fopen("words", "r");
		assert(file && fscanf(file, "%7s", word) == 1);
		fflush(file);
		first = read_on;
	} else if (!strcmp(what, "memory")) {
		common =
			mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert(common != MAP_FAILED);
	} else {
		assert(pipe(ends) == 0);
	}
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, take_turns, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(atomic_load(common) == 2 * each);
	return 0;
}
