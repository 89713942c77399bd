/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - what the programs of this folder share: threads of one kind, begun and joined
 *
 * All accesses to shared variables are atomic; sc where the program says nothing else.
 */
#ifndef BENCH_VALUES_THREADS_H
#define BENCH_VALUES_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Begins n threads that run f, with the numbers from 0 on as arguments. */
static inline void begin_all(pthread_t *t, int n, void *(*f)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, f, (void *)(intptr_t)i);
}

static inline void join_all(const pthread_t *t, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

#endif
