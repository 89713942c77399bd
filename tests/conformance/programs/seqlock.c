/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seqlock.c - sequence lock, one writer, R readers; a reader that sees an even, unchanged
 * sequence must see both fields equal
 *
 * -DR=readers, -DWRITES=writes, -DBUGGY: no acquire fence before the second sequence read
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef R
#define R 2
#endif
#ifndef WRITES
#define WRITES 1
#endif
static atomic_uint seq;
static atomic_int left, right;

static void *writer(void *arg)
{
	(void)arg;
	for (int i = 1; i <= WRITES; i++) {
		unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);

		atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&left, i, memory_order_relaxed);
		atomic_store_explicit(&right, i, memory_order_relaxed);
		atomic_store_explicit(&seq, s + 2, memory_order_release);
	}
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	unsigned s = atomic_load_explicit(&seq, memory_order_acquire);

	if (s & 1)
		return NULL;
	int l = atomic_load_explicit(&left, memory_order_relaxed);
	int r = atomic_load_explicit(&right, memory_order_relaxed);
#ifndef BUGGY
	atomic_thread_fence(memory_order_acquire);
#endif
	if (atomic_load_explicit(&seq, memory_order_relaxed) == s)
		assert(l == r);
	return NULL;
}

int main(void)
{
	pthread_t w, t[R];

	pthread_create(&w, NULL, writer, NULL);
	for (int i = 0; i < R; i++)
		pthread_create(&t[i], NULL, reader, NULL);
	pthread_join(w, NULL);
	for (int i = 0; i < R; i++)
		pthread_join(t[i], NULL);
	return 0;
}
