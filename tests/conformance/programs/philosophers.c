/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * philosophers.c - N dining philosophers on pthread mutexes
 *
 * -DN, -DBUGGY: all pick up the left fork first (deadlock)
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
static pthread_mutex_t fork_[N];
static int meals[N];

static void *philosopher(void *arg)
{
	int i = (int)(intptr_t)arg;
	int a = i, b = (i + 1) % N;

#ifndef BUGGY
	if (b < a) {
		int t = a;

		a = b;
		b = t;
	}
#endif
	pthread_mutex_lock(&fork_[a]);
	pthread_mutex_lock(&fork_[b]);
	meals[i]++;
	pthread_mutex_unlock(&fork_[b]);
	pthread_mutex_unlock(&fork_[a]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_mutex_init(&fork_[i], NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, philosopher, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
