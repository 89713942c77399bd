/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * node.c - a thread waits at a node that stands on its stack, or with -DGLOBAL does not
 *
 * Meanwhile it loses rounds of a compare-and-swap loop. What another thread writes to the node in
 * between is not what these rounds did, so both programs have the same executions. SHARED: the node
 * has plain data as well.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
	atomic_int go;
	int data;
};

static _Atomic(struct node *) waiting;
static atomic_int sum;

static inline __attribute__((always_inline)) void add(int n)
{
	int old = atomic_load_explicit(&sum, memory_order_relaxed);

	while (!atomic_compare_exchange_weak(&sum, &old, old + n))
		;
}

static void *waker(void *arg)
{
	struct node *node;

	while (!(node = atomic_load_explicit(&waiting, memory_order_acquire)))
		;
#ifdef SHARED
	node->data = 7;
#endif
	atomic_store_explicit(&node->go, 1, memory_order_release);
	add(8);
	return arg;
}

int main(void)
{
#ifdef GLOBAL
	static struct node node;
#else
	struct node node;
#endif
	pthread_t thread;

	node.data = 0;
	atomic_store_explicit(&node.go, 0, memory_order_relaxed);
	pthread_create(&thread, NULL, waker, NULL);
	atomic_store_explicit(&waiting, &node, memory_order_release);
	add(1);
	add(2);
	while (!atomic_load_explicit(&node.go, memory_order_acquire))
		;
#ifdef SHARED
	assert(node.data == 7);
#endif
	pthread_join(thread, NULL);
	assert(sum == 11);
	return 0;
}
