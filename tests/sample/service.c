/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * service.c - a thread that works until the process ends, which is when main returns
 *
 * service works|hammers|fails|leaks: it sleeps, locks and counts; it only counts; it fails when it has counted to 50;
 * main has lost a block when it returns.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int rounds;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	const char *how = arg;

	for (;;) {
		if (!strcmp(how, "hammers")) {
			atomic_fetch_add(&rounds, 1);
			continue;
		}
		usleep(100);
		pthread_mutex_lock(&m);
		atomic_fetch_add(&rounds, 1);
		if (!strcmp(how, "fails") && atomic_load(&rounds) == 50)
			abort();
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static __attribute__((noinline)) void lose(void)
{
	volatile char *block = malloc(100);

	block[0] = 1;
}

int main(int argc, char **argv)
{
	char *how = argv[argc - 1];
	pthread_t t;

	pthread_create(&t, NULL, work, how);
	pthread_detach(t);
	if (!strcmp(how, "leaks"))
		lose();
	return 0;
}
