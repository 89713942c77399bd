/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lostwakeup.c - lost wake-up of a condition variable
 *
 * The waiter looks at the flag before it takes the mutex, so the signal may come in between, when nobody
 * sleeps yet, and the waiter sleeps for ever.
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
static atomic_bool flag;

static void await_flag(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&raised, &lock);
	pthread_mutex_unlock(&lock);
#else
	if (flag)
		return;
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&raised, &lock);
	pthread_mutex_unlock(&lock);
#endif
}

static void either(int self)
{
	if (self == 0) {
		await_flag();
		return;
	}
	pthread_mutex_lock(&lock);
	flag = true;
	pthread_cond_signal(&raised);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	run_threads(2, either);
	return 0;
}
