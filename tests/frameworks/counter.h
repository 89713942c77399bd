/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.h - what the test programs of this folder test, the same for each framework
 *
 * Three counters. add_atomic() is right. add_torn() loses an update in some executions, and
 * add_relocked() in some schedules of its locks, which shows without instrumentation, too.
 */
#include <pthread.h>
#include <unistd.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
#else
#include <stdatomic.h>
#endif

static atomic_int counter;
static int locked_counter;
static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void *add_atomic(void *arg)
{
	atomic_fetch_add(&counter, 1);
	return arg;
}

static inline void *add_torn(void *arg)
{
	int seen = atomic_load(&counter);

	atomic_store(&counter, seen + 1);
	return arg;
}

static inline void *add_relocked(void *arg)
{
	int seen;

	pthread_mutex_lock(&counter_lock);
	seen = locked_counter;
	pthread_mutex_unlock(&counter_lock);
	pthread_mutex_lock(&counter_lock);
	locked_counter = seen + 1;
	pthread_mutex_unlock(&counter_lock);
	return arg;
}

/* Two threads, one after the other or at once (or the second that many microseconds late); what they counted. */
static inline int count(void *(*add)(void *), int at_once)
{
	pthread_t thread[2];
	int sum;

	atomic_store(&counter, 0);
	locked_counter = 0;
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread[i], NULL, add, NULL);
		if (!at_once)
			pthread_join(thread[i], NULL);
		else if (!i && at_once > 1)
			usleep(at_once);
	}
	for (int i = 0; i < 2 && at_once; i++)
		pthread_join(thread[i], NULL);
	sum = atomic_load(&counter);
	return sum + locked_counter;
}
