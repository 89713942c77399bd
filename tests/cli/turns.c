/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turns.c - threads that go on in turn, in one order only
 *
 * turns WHAT: two threads, a thousand rounds. semaphores: each posts that of the other;
 * readers: a lock between them, which one of both takes for reading; begun: the first thread waits, and so comes first.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

enum {
	ROUNDS = 1000
};

static sem_t turn[2];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static const char *what;

static void take_lock(int me)
{
	if (strcmp(what, "readers"))
		return;
	if (me)
		pthread_rwlock_rdlock(&lock);
	else
		pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
}

static void rounds(int me, int first)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (me != first)
			sem_wait(&turn[me]);
		take_lock(me);
		sem_post(&turn[!me]);
		if (me == first)
			sem_wait(&turn[me]);
	}
}

static void *work(void *arg)
{
	rounds(1, !strcmp(what, "begun"));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 2; i++)
		sem_init(&turn[i], 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	rounds(0, !strcmp(what, "begun"));
	return pthread_join(thread, NULL);
}
