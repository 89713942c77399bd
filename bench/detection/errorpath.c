/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errorpath.c - an error path that keeps a lock
 *
 * A thread that comes second finds the work done, and returns without giving the lock back: the third one
 * waits for ever.
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool done;

static void work(int self)
{
	(void)self;
	if (done)
		return;
	pthread_mutex_lock(&lock);
	if (done) {
#ifdef FIXED
		pthread_mutex_unlock(&lock);
#endif
		return;
	}
	done = true;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	run_threads(3, work);
	return 0;
}
