/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - threads that have to be created and joined
 */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static inline pthread_t begin(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, arg) == 0);
	return t;
}

static inline void end(pthread_t t)
{
	assert(pthread_join(t, NULL) == 0);
}

#endif
