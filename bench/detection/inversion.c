/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inversion.c - order inversion of two locks
 *
 * One thread takes a and then b, the other b and then a: each may hold what the other waits for.
 */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void in_order(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void take(int self)
{
#ifdef FIXED
	self = 0;
#endif
	if (self == 0)
		in_order(&a, &b);
	else
		in_order(&b, &a);
}

int main(void)
{
	run_threads(2, take);
	return 0;
}
