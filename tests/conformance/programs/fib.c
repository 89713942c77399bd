/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fib.c - two threads race to build Fibonacci numbers in two shared cells
 *
 * -DK=rounds, -DBUGGY: bound one too small
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef K
#define K 3
#endif
static atomic_int x = 1, y = 1;

static void *left(void *arg)
{
	(void)arg;
	for (int i = 0; i < K; i++) {
		int a = atomic_load_explicit(&x, memory_order_acquire);
		int b = atomic_load_explicit(&y, memory_order_acquire);

		atomic_store_explicit(&x, a + b, memory_order_release);
	}
	return NULL;
}

static void *right(void *arg)
{
	(void)arg;
	for (int i = 0; i < K; i++) {
		int a = atomic_load_explicit(&y, memory_order_acquire);
		int b = atomic_load_explicit(&x, memory_order_acquire);

		atomic_store_explicit(&y, a + b, memory_order_release);
	}
	return NULL;
}

static int fib(int n)
{
	int a = 0, b = 1;

	while (n--) {
		int c = a + b;

		a = b;
		b = c;
	}
	return a;
}

int main(void)
{
	pthread_t a, b;
#ifdef BUGGY
	int bound = fib(2 * K + 2);
#else
	int bound = fib(2 * K + 2) + 1;
#endif

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	int i = atomic_load_explicit(&x, memory_order_relaxed);
	int j = atomic_load_explicit(&y, memory_order_relaxed);

	assert(i < bound && j < bound);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
