/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nodes.c - one thread allocates nodes, and hands each to another one, which frees it (long.test)
 *
 * -DNODES=how many; argument `fences`: both have sc fences as well; `fails`: an assertion does, in the end
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef NODES
#define NODES 20000
#endif

struct node {
	atomic_int value, state;
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) slot;
static int fences;

static void *frees(void *arg)
{
	for (int i = 0; i < NODES; i++) {
		struct node *n;

		while (!(n = atomic_load(&slot)))
			;
		if (fences)
			atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load(&n->value) != i || atomic_exchange(&n->state, 2) != 1)
			abort();
		free(n);
		atomic_store(&slot, NULL);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	fences = argc > 1 && !strcmp(argv[1], "fences");
	pthread_create(&t, NULL, frees, NULL);
	for (int i = 0; i < NODES; i++) {
		struct node *n = malloc(sizeof(*n));

		atomic_init(&n->value, i);
		atomic_store(&n->state, 1);
		atomic_store(&n->next, n);
		if (fences)
			atomic_thread_fence(memory_order_seq_cst);
		atomic_store(&slot, n);
		while (atomic_load(&slot))
			;
	}
	pthread_join(t, NULL);
	assert(argc == 1 || fences);
	return 0;
}
