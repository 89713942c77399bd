/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * upgrade.c - two readers that want to become writers
 *
 * Each waits until it is the only reader, and neither gives up reading. The fixed one gives up, and begins again.
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fewer = PTHREAD_COND_INITIALIZER;
static int readers, value;
#ifdef FIXED
static bool upgrading;
#endif

static void begin_reading(void)
{
	pthread_mutex_lock(&lock);
	readers++;
	pthread_mutex_unlock(&lock);
}

static void end_reading(void)
{
	pthread_mutex_lock(&lock);
	readers--;
	pthread_cond_broadcast(&fewer);
	pthread_mutex_unlock(&lock);
}

/* With the lock held on return; false: somebody else was first. */
static bool become_writer(void)
{
	pthread_mutex_lock(&lock);
#ifdef FIXED
	if (upgrading)
		return false;
	upgrading = true;
#endif
	while (readers > 1)
		pthread_cond_wait(&fewer, &lock);
#ifdef FIXED
	upgrading = false;
#endif
	return true;
}

static void update(int self)
{
	(void)self;
	begin_reading();
	if (become_writer())
		value++;
	pthread_mutex_unlock(&lock);
	end_reading();
}

int main(void)
{
	run_threads(2, update);
	return 0;
}
