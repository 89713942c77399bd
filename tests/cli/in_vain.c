/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_vain.c - who tries to lock in vain, or looks at a count, does not synchronise with whom it sees
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t tried, counted;
static atomic_int x;

static void *takes_all(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	sem_wait(&tried);
	sem_wait(&counted);
	return arg;
}

static void *tries(void *arg)
{
	int count;

	if (!pthread_mutex_trylock(&mutex))
		pthread_mutex_unlock(&mutex);
	if (!pthread_rwlock_tryrdlock(&rwlock))
		pthread_rwlock_unlock(&rwlock);
	if (!sem_trywait(&tried))
		sem_post(&tried);
	sem_getvalue(&counted, &count);
	atomic_load_explicit(&x, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&tried, 0, 1);
	sem_init(&counted, 0, 1);
	pthread_create(&t[0], NULL, takes_all, NULL);
	pthread_create(&t[1], NULL, tries, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
