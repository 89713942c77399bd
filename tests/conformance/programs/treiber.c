/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treiber.c - Treiber's stack: P pushers and Q poppers; nodes are never freed
 *
 * -DP, -DQ, -DBUGGY: relaxed push (data race)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef P
#define P 2
#endif
#ifndef Q
#define Q 1
#endif
#ifdef BUGGY
#define PUSH_ORDER memory_order_relaxed
#else
#define PUSH_ORDER memory_order_release
#endif
struct node {
	int value;
	struct node *next;
};
static struct node pool[P];
static _Atomic(struct node *) top;

static void *pusher(void *arg)
{
	struct node *n = arg;

	n->value = 42;
	struct node *old = atomic_load_explicit(&top, memory_order_relaxed);

	do {
		n->next = old;
	} while (!atomic_compare_exchange_strong_explicit(&top, &old, n, PUSH_ORDER,
							  memory_order_relaxed));
	return NULL;
}

static void *popper(void *arg)
{
	(void)arg;
	struct node *old = atomic_load_explicit(&top, memory_order_acquire);

	while (old) {
		if (atomic_compare_exchange_strong_explicit(
			    &top, &old, old->next, memory_order_acquire, memory_order_acquire)) {
			assert(old->value == 42);
			break;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[P + Q];

	for (int i = 0; i < P; i++)
		pthread_create(&t[i], NULL, pusher, &pool[i]);
	for (int i = 0; i < Q; i++)
		pthread_create(&t[P + i], NULL, popper, NULL);
	for (int i = 0; i < P + Q; i++)
		pthread_join(t[i], NULL);
	return 0;
}
