/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.c - two threads push and three pop: hundreds of executions, with rounds that are lost
 *
 * Nodes are written with plain stores and read through the pointer that was just loaded, and the top is
 * empty again and again: whether a round is lost has to be found out without all of that.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
	PUSHERS = 2,
	POPPERS = 3
};

struct node {
	int value;
	struct node *next;
};

static struct node pool[PUSHERS];
static _Atomic(struct node *) top;

static void *push(void *arg)
{
	struct node *node = arg, *old = atomic_load_explicit(&top, memory_order_relaxed);

	node->value = 1;
	do {
		node->next = old;
	} while (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_release,
							  memory_order_relaxed));
	return NULL;
}

static void *pop(void *arg)
{
	struct node *old = atomic_load_explicit(&top, memory_order_acquire);

	while (old && !atomic_compare_exchange_strong_explicit(
			      &top, &old, old->next, memory_order_acquire, memory_order_acquire))
		;
	return arg;
}

int main(void)
{
	pthread_t t[PUSHERS + POPPERS];

	for (int i = 0; i < PUSHERS + POPPERS; i++)
		pthread_create(&t[i], NULL, i < PUSHERS ? push : pop,
			       i < PUSHERS ? &pool[i] : NULL);
	for (int i = 0; i < PUSHERS + POPPERS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
