/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd8.c - two of eight threads take two locks in opposite orders, deep in other work
 *
 * The others only take the locks one by one. The fixed one takes both in the same order.
 */
#include "threads.h"

enum {
	THREADS = 8,
	WORK = 4
};

static pthread_mutex_t lock[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static atomic_int counters[THREADS];

static void busy(int self)
{
	for (int i = 0; i < WORK; i++)
		ADD(counters[self], 1, relaxed);
}

static void both(int one, int other)
{
	pthread_mutex_lock(&lock[one]);
	pthread_mutex_lock(&lock[other]);
	pthread_mutex_unlock(&lock[other]);
	pthread_mutex_unlock(&lock[one]);
}

static void each(int self)
{
	if (self == 0) {
		both(0, 1);
		busy(self);
	} else if (self == THREADS - 1) {
		busy(self);
#ifdef FIXED
		both(0, 1);
#else
		both(1, 0);
#endif
	} else {
		busy(self);
		pthread_mutex_lock(&lock[self % 2]);
		pthread_mutex_unlock(&lock[self % 2]);
	}
}

int main(void)
{
	run_threads(THREADS, each);
	return 0;
}
