/* SPDX-License-Identifier: BSD-2-Clause */
/* wakeup.c - a thread waits until there is work */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static atomic_int work;

static void *worker(void *argument)
{
	while (!atomic_load(&work)) { /* looks without the mutex */
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&more, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	atomic_store(&work, 1);
	pthread_cond_signal(&more);
	pthread_join(thread, NULL);
	return 0;
}
