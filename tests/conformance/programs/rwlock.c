/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwlock.c - reader-writer spinlock in one word
 *
 * -DR readers, -DW writers, bounded tries so that every run ends
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef R
#define R 1
#endif
#ifndef W
#define W 2
#endif
#define BIAS 0x1000
static atomic_int lock = BIAS;
static int shared;

static int try_read(void)
{
	if (atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire) > 0)
		return 1;
	atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
	return 0;
}

static int try_write(void)
{
	if (atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire) == BIAS)
		return 1;
	atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
	return 0;
}

static void *reader(void *arg)
{
	(void)arg;
	if (try_read()) {
		int a = shared, b = shared;

		assert(a == b);
		atomic_fetch_add_explicit(&lock, 1, memory_order_release);
	}
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	if (try_write()) {
		shared++;
		atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[R + W];

	for (int i = 0; i < R; i++)
		pthread_create(&t[i], NULL, reader, NULL);
	for (int i = 0; i < W; i++)
		pthread_create(&t[R + i], NULL, writer, NULL);
	for (int i = 0; i < R + W; i++)
		pthread_join(t[i], NULL);
	return 0;
}
