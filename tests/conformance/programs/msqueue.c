/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msqueue.c - Michael-Scott queue, N threads each enqueue one value and dequeue once
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
struct node {
	int value;
	_Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;
static int got[N];

static struct node *make(int v)
{
	struct node *n = malloc(sizeof(*n));

	n->value = v;
	atomic_init(&n->next, NULL);
	return n;
}

static void enqueue(int v)
{
	struct node *n = make(v);

	for (;;) {
		struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
		struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);

		if (last != atomic_load_explicit(&tail, memory_order_acquire))
			continue;
		if (next) {
			atomic_compare_exchange_strong_explicit(
				&tail, &last, next, memory_order_release, memory_order_relaxed);
			continue;
		}
		if (atomic_compare_exchange_strong_explicit(
			    &last->next, &next, n, memory_order_release, memory_order_relaxed)) {
			atomic_compare_exchange_strong_explicit(
				&tail, &last, n, memory_order_release, memory_order_relaxed);
			return;
		}
	}
}

static int dequeue(int *v)
{
	for (;;) {
		struct node *first = atomic_load_explicit(&head, memory_order_acquire);
		struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
		struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);

		if (first != atomic_load_explicit(&head, memory_order_acquire))
			continue;
		if (first == last) {
			if (!next)
				return 0;
			atomic_compare_exchange_strong_explicit(
				&tail, &last, next, memory_order_release, memory_order_relaxed);
			continue;
		}
		*v = next->value;
		if (atomic_compare_exchange_strong_explicit(
			    &head, &first, next, memory_order_release, memory_order_relaxed))
			return 1;
	}
}

static void *worker(void *arg)
{
	int id = (int)(intptr_t)arg, v = 0;

	enqueue(id + 1);
	if (dequeue(&v))
		got[id] = v;
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	struct node *dummy = make(0);

	atomic_init(&head, dummy);
	atomic_init(&tail, dummy);
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++)
		assert(got[i] >= 1 && got[i] <= N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < i; j++)
			assert(got[i] != got[j]);
	return 0;
}
