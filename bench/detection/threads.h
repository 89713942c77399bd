/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - what the programs of bench/detection share: threads with numbers
 *
 * Each program has a bug of a known kind; -DFIXED is the same without it.
 */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define GET(v, order)    atomic_load_explicit(&(v), memory_order_##order)
#define PUT(v, n, order) atomic_store_explicit(&(v), (n), memory_order_##order)
#define ADD(v, n, order) atomic_fetch_add_explicit(&(v), (n), memory_order_##order)

enum {
	MOST_THREADS = 16
};

struct numbered {
	pthread_t thread;
	void (*body)(int self);
	int self;
};

static inline void *numbered_start(void *arg)
{
	const struct numbered *it = arg;

	it->body(it->self);
	return NULL;
}

/* Threads 0 to n - 1 run body, until all have ended. */
static inline void run_threads(int n, void (*body)(int self))
{
	static struct numbered all[MOST_THREADS];

	for (int i = 0; i < n; i++) {
		all[i].body = body;
		all[i].self = i;
		pthread_create(&all[i].thread, NULL, numbered_start, &all[i]);
	}
	for (int i = 0; i < n; i++)
		pthread_join(all[i].thread, NULL);
}

#endif
