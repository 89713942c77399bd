/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chaselev.c - Chase-Lev work-stealing deque (C11 version of Le et al., fixed capacity):
 * one owner pushes K and takes K, S thieves steal once
 *
 * -DK, -DS, -DBUGGY: no SC fence in take() (with two thieves an element is taken twice)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef K
#define K 2
#endif
#ifndef S
#define S 1
#endif
#define CAP   8
#define EMPTY 0
#define ABORT (-1)
static atomic_int top, bottom;
static atomic_int buffer[CAP];
static atomic_int taken[K + 1];

static void push(int v)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed);

	atomic_store_explicit(&buffer[b % CAP], v, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;

	atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef BUGGY
	atomic_thread_fence(memory_order_seq_cst);
#endif
	int t = atomic_load_explicit(&top, memory_order_relaxed);

	if (t > b) {
		atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
		return EMPTY;
	}
	int v = atomic_load_explicit(&buffer[b % CAP], memory_order_relaxed);

	if (t == b) {
		if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
							     memory_order_relaxed))
			v = EMPTY;
		atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	}
	return v;
}

static int steal(void)
{
	int t = atomic_load_explicit(&top, memory_order_acquire);

	atomic_thread_fence(memory_order_seq_cst);
	int b = atomic_load_explicit(&bottom, memory_order_acquire);

	if (t >= b)
		return EMPTY;
	int v = atomic_load_explicit(&buffer[t % CAP], memory_order_relaxed);

	if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
						     memory_order_relaxed))
		return ABORT;
	return v;
}

static void record(int v)
{
	if (v > 0)
		assert(atomic_fetch_add_explicit(&taken[v], 1, memory_order_relaxed) == 0);
}

static void *owner(void *arg)
{
	(void)arg;
	for (int i = 1; i <= K; i++)
		push(i);
	for (int i = 1; i <= K; i++)
		record(take());
	return NULL;
}

static void *thief(void *arg)
{
	(void)arg;
	record(steal());
	return NULL;
}

int main(void)
{
	pthread_t o, t[S];

	pthread_create(&o, NULL, owner, NULL);
	for (int i = 0; i < S; i++)
		pthread_create(&t[i], NULL, thief, NULL);
	pthread_join(o, NULL);
	for (int i = 0; i < S; i++)
		pthread_join(t[i], NULL);
	return 0;
}
