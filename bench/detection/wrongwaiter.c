/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wrongwaiter.c - one condition variable for two conditions
 *
 * A place for one thing; who fills it signals, and so does who empties it. The signal may wake one of the same kind, which
 * sleeps again, and nobody is left to wake the others. The fixed one wakes all.
 */
#include "threads.h"

#ifdef FIXED
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;

static void change(bool to)
{
	pthread_mutex_lock(&lock);
	while (full == to)
		pthread_cond_wait(&changed, &lock);
	full = to;
	WAKE(&changed);
	pthread_mutex_unlock(&lock);
}

static void each(int self)
{
	change(self < 2);
}

int main(void)
{
	run_threads(4, each);
	return 0;
}
