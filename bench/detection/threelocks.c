/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threelocks.c - a circle of three locks
 *
 * Each of three threads takes its lock and that of the next: only where all three hold one does nobody go
 * on, so any two of them are harmless. The fixed last one takes them the other way round.
 */
#include "threads.h"

enum {
	LOCKS = 3
};

static pthread_mutex_t lock[LOCKS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				       PTHREAD_MUTEX_INITIALIZER };

static void take(int self)
{
	int first = self, second = (self + 1) % LOCKS;

#ifdef FIXED
	if (first > second) {
		first = 0;
		second = self;
	}
#endif
	pthread_mutex_lock(&lock[first]);
	pthread_mutex_lock(&lock[second]);
	pthread_mutex_unlock(&lock[second]);
	pthread_mutex_unlock(&lock[first]);
}

int main(void)
{
	run_threads(LOCKS, take);
	return 0;
}
