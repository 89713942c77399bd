/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mcslock.c - MCS queue lock guarding a plain counter
 *
 * -DN=threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 2
#endif
struct node {
	_Atomic(struct node *) next;
	atomic_int locked;
};
static _Atomic(struct node *) tail;
static struct node nodes[N];
static int counter;

static void lock(struct node *me)
{
	atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
	struct node *pred = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);

	if (!pred)
		return;
	atomic_store_explicit(&pred->next, me, memory_order_release);
	while (atomic_load_explicit(&me->locked, memory_order_acquire))
		;
}

static void unlock(struct node *me)
{
	struct node *succ = atomic_load_explicit(&me->next, memory_order_acquire);

	if (!succ) {
		struct node *expected = me;

		if (atomic_compare_exchange_strong_explicit(
			    &tail, &expected, NULL, memory_order_release, memory_order_relaxed))
			return;
		while (!(succ = atomic_load_explicit(&me->next, memory_order_acquire)))
			;
	}
	atomic_store_explicit(&succ->locked, 0, memory_order_release);
}

static void *worker(void *arg)
{
	struct node *me = arg;

	lock(me);
	counter++;
	unlock(me);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, &nodes[i]);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(counter == N);
	return 0;
}
