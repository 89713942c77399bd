/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nondet.c - a race, beside a check of main's that fails unless the thread was quick
 *
 * At random it is the race or the failure, by whether main is stopped in one of its sleeps. A trace of the
 * race has two steps, and main has made its own when it sleeps.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int state;

static void *changes(void *arg)
{
	struct timespec t;

	state = 2;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	if (pthread_rwlock_timedwrlock(&lock, &t) == 0)
		pthread_rwlock_unlock(&lock);
	return arg;
}

static void fails(const char *how)
{
	if (!strcmp(how, "exit"))
		exit(2);
	if (!strcmp(how, "_exit"))
		_exit(2);
	if (!strcmp(how, "abort"))
		abort();
	assert(strcmp(how, "assert") != 0);
}

int main(int argc, char **argv)
{
	pthread_t t;
	int n = 0;

	state = 1;
	pthread_create(&t, NULL, changes, NULL);
	do
		sleep(1);
	while (state != 2 && n++ < 2);
	if (state != 2)
		fails(argc > 1 ? argv[1] : "");
	return pthread_join(t, NULL);
}
