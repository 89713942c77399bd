/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * account.c - atomicity violation
 *
 * Whether there is enough is looked at in one critical section, and taken in another one: both threads may
 * find enough for one of them.
 */
#include "threads.h"

enum {
	PRICE = 60
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void withdraw(int self)
{
	bool enough;

	(void)self;
	pthread_mutex_lock(&lock);
	enough = balance >= PRICE;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (enough)
		balance -= PRICE;
	assert(balance >= 0);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	run_threads(2, withdraw);
	return 0;
}
