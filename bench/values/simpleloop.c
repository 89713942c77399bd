/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simpleloop.c - N threads turn three numbers round under a lock, another one compares two of them
 *
 * -DN=threads
 */
#include "threads.h"

#ifndef N
#define N 3
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int a = 1, b = 2, c = 3;

static void *turn(void *arg)
{
	pthread_mutex_lock(&lock);
	int kept = atomic_load(&a);

	atomic_store(&a, atomic_load(&b));
	atomic_store(&b, atomic_load(&c));
	atomic_store(&c, kept);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *compare(void *arg)
{
	pthread_mutex_lock(&lock);
	int same = atomic_load(&a) == atomic_load(&b);

	pthread_mutex_unlock(&lock);
	return same ? arg : NULL;
}

int main(void)
{
	pthread_t t[N + 1];

	begin_all(t, N, turn);
	begin_all(t + N, 1, compare);
	join_all(t, N + 1);
	return 0;
}
