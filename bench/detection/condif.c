/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * condif.c - if where while is meant
 *
 * A consumer that was woken takes without looking again, though another one that did not sleep may have
 * come first: it takes from an empty store.
 */
#include "threads.h"

#ifdef FIXED
#define WHILE while
#else
#define WHILE if
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int stored;

static void produce(void)
{
	pthread_mutex_lock(&lock);
	stored++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

static void consume(void)
{
	pthread_mutex_lock(&lock);
	WHILE(!stored)
	pthread_cond_wait(&filled, &lock);
	stored--;
	assert(stored >= 0);
	pthread_mutex_unlock(&lock);
}

static void each(int self)
{
	if (self < 2)
		consume();
	else
		for (int i = 0; i < 2; i++)
			produce();
}

int main(void)
{
	run_threads(3, each);
	return 0;
}
