/* SPDX-License-Identifier: BSD-2-Clause */
/* Store buffering with an assertion that a weak memory model breaks. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef OTHER
int other_build;
#endif
atomic_int x, y;
static int a, b;

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	a = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	b = atomic_load_explicit(&x, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, left, NULL);
	pthread_create(&t, NULL, right, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	if (!a && !b) {
		printf("both read zero\n");
		fflush(stdout);
	}
	assert(a || b);
	return 0;
}
