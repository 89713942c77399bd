/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logbuf8.c - seven writers of a log of two halves, and one that empties it
 *
 * A writer looks up which half is filled and then reserves a line there; meanwhile the halves are changed, and the line
 * is not seen again. The fixed one changes halves and reserves under a lock.
 */
#include "threads.h"

enum {
	WRITERS = 7
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int filled, lines[2];
static int written;

static void log_line(void)
{
	int half;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	half = filled;
	atomic_fetch_add(&lines[half], 1);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void empty(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	filled = 1;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	written = atomic_exchange(&lines[0], 0);
}

static void each(int self)
{
	if (self < WRITERS)
		log_line();
	else
		empty();
}

int main(void)
{
	run_threads(WRITERS + 1, each);
	assert(written + lines[1] == WRITERS);
	(void)lock;
	return 0;
}
