/* SPDX-License-Identifier: BSD-2-Clause */
/* waits_for_x.h - one thread waits in some way until another one has set x */
#ifndef WAITS_FOR_X_H
#define WAITS_FOR_X_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *set_x(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void with(void *(*fn)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, fn, NULL) == 0);
	assert(pthread_create(&t[1], NULL, set_x, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

#endif
