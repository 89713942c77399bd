/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of library object, the heap, the stack, fences and an await, in two threads. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int ready;
static atomic_int x;
static _Atomic int *block;

static void routine(void)
{
	atomic_store(&x, 7);
}

static void *first(void *arg)
{
	pthread_once(&once, routine);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	sem_post(&sem);
	atomic_fetch_add_explicit(block, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_thread_fence(memory_order_relaxed);
	atomic_store_explicit((_Atomic int *)arg, 1, memory_order_release);
	return arg;
}

static void *second(void *arg)
{
	int zero = 0;

	pthread_once(&once, routine);
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	sem_wait(&sem);
	atomic_compare_exchange_strong(block, &zero, 5);
	if (!pthread_mutex_trylock(&mutex))
		pthread_mutex_unlock(&mutex);
	while (!atomic_load_explicit((_Atomic int *)arg, memory_order_acquire))
		;
	return arg;
}

int main(void)
{
	_Atomic int done = 0;
	pthread_t a, b;

	block = calloc(1, sizeof(*block));
	sem_init(&sem, 0, 0);
	pthread_create(&a, NULL, first, &done);
	pthread_create(&b, NULL, second, &done);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free((void *)block);
	return 0;
}
