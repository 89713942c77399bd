/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pool8.c - a pool of seven workers that is shut down
 *
 * The flag to stop is raised without the mutex, so a worker that has just looked at it may go to sleep behind
 * the broadcast, and is never woken.
 */
#include "threads.h"

enum {
	WORKERS = 7,
	JOBS = 4
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool stop;
static int jobs;

static void worker(void)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!jobs && !stop)
			pthread_cond_wait(&changed, &lock);
		if (!jobs)
			break;
		jobs--;
	}
	pthread_mutex_unlock(&lock);
}

static void owner(void)
{
	for (int i = 0; i < JOBS; i++) {
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	stop = true;
	pthread_cond_broadcast(&changed);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void each(int self)
{
	if (self < WORKERS)
		worker();
	else
		owner();
}

int main(void)
{
	run_threads(WORKERS + 1, each);
	return 0;
}
