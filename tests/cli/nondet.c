/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nondet.c - a race, beside a check of main's that fails unless the thread was quick
 *
 * At random it is the race or the failure, by whether main is stopped in one of its sleeps. A trace of the
 * race has two steps, and main has made its own when it sleeps. With -twice the thread writes twice, so a replay
 * in which main is stopped somewhere else meets another race first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int state;
static bool twice;

static void *changes(void *arg)
{
	struct timespec t;

	state = 2;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	if (pthread_rwlock_timedwrlock(&lock, &t) == 0)
		pthread_rwlock_unlock(&lock);
	if (twice)
		state = 3;
	return arg;
}

static bool is(const char *how, const char *word)
{
	return !strncmp(how, word, strlen(word));
}

static void fails(const char *how)
{
	if (is(how, "exit"))
		exit(2);
	if (is(how, "_exit"))
		_exit(2);
	if (is(how, "abort"))
		abort();
	assert(!is(how, "assert"));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t t;
	int n = 0;

	twice = strstr(how, "-twice");
	state = 1;
	pthread_create(&t, NULL, changes, NULL);
	do
		sleep(1);
	while (state != (twice ? 3 : 2) && n++ < 2);
	if (state != (twice ? 3 : 2))
		fails(how);
	return pthread_join(t, NULL);
}
