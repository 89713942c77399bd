/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - two threads that each do their part only if they read 0 (heap.c, locations.c)
 */
#ifndef HEDDLE_TESTS_MEMO_PARTS_H
#define HEDDLE_TESTS_MEMO_PARTS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int got;

static int comes_early(atomic_int *turn)
{
	return !atomic_load_explicit(turn, RLX);
}

static atomic_int late;

static void *comes_late(void *arg)
{
	atomic_store_explicit(&late, 1, RLX);
	return arg;
}

/*
 * With another thread that main looks for in the end. So what the two do is done twice at least, one execution behind the other: in the first one it may be found
 * that memory is shared, which makes all be learned anew.
 */
static void both(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t t[3];
	void *did[3];

	assert(pthread_create(&t[0], NULL, one, NULL) == 0);
	assert(pthread_create(&t[1], NULL, two, NULL) == 0);
	assert(pthread_create(&t[2], NULL, comes_late, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	atomic_store_explicit(&second, 1, RLX);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], &did[i]) == 0);
	atomic_load_explicit(&late, RLX);
	assert(pthread_join(t[2], &did[2]) == 0);
	got = did[0] && did[1];
}

static void show(int *p)
{
	pthread_mutex_lock(&lock);
	block = p;
	pthread_mutex_unlock(&lock);
}

/* What the other thread has shown, or NULL. */
static int *find(void)
{
	int *p;

	pthread_mutex_lock(&lock);
	p = block;
	pthread_mutex_unlock(&lock);
	return p;
}

#endif
