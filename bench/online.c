/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.c - what bench/online measures: one long execution of THREADS threads
 *
 * -DSHAPE=LOADS, STORES, ADDS or MIXED: all threads hammer one location; ONE: a writer, and readers;
 * RING: a bounded queue between two halves of the threads; SEQLOCK: a writer, and readers that
 * try again; STEAL: an owner pushes and takes, the others steal; SPIN: a test-and-set lock. LENGTH: operations of each
 * thread, about.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LOADS   0
#define STORES  1
#define ADDS    2
#define MIXED   3
#define ONE     4
#define RING    5
#define SEQLOCK 6
#define STEAL   7
#define SPIN    8

enum {
	SLOTS = 64
};

static _Atomic long x, y, sequence, head, tail, held;
static _Atomic long slot[SLOTS];

#define GET(v)    atomic_load_explicit(&(v), memory_order_acquire)
#define PUT(v, n) atomic_store_explicit(&(v), (n), memory_order_release)

static long hammer(long self, long i)
{
	switch (SHAPE == MIXED ? (self + i) % 3 : SHAPE) {
	case LOADS:
		return atomic_load_explicit(&x, memory_order_relaxed);
	case STORES:
		atomic_store_explicit(&x, i, memory_order_relaxed);
		return 0;
	default:
		return atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	}
}

static long one(long self, long i)
{
	if (self)
		return GET(x);
	PUT(x, i);
	return 0;
}

/* Full, empty or lost to another: it goes on with the next round. */
static long ring(long self, long i)
{
	long at = self & 1 ? GET(head) : GET(tail);

	if (self & 1) {
		if (at == GET(tail))
			return 0;
		i = GET(slot[at % SLOTS]);
		atomic_compare_exchange_strong_explicit(&head, &at, at + 1, memory_order_acq_rel,
							memory_order_relaxed);
		return i;
	}
	if (at - GET(head) >= SLOTS)
		return 0;
	PUT(slot[at % SLOTS], i);
	atomic_compare_exchange_strong_explicit(&tail, &at, at + 1, memory_order_acq_rel,
						memory_order_relaxed);
	return 0;
}

static long seqlock(long self, long i)
{
	long before, a, b;

	if (!self) {
		PUT(sequence, 2 * i + 1);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&x, i, memory_order_relaxed);
		atomic_store_explicit(&y, i, memory_order_relaxed);
		PUT(sequence, 2 * i + 2);
		return 0;
	}
	before = GET(sequence);
	a = atomic_load_explicit(&x, memory_order_relaxed);
	b = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	if (before & 1 || atomic_load_explicit(&sequence, memory_order_relaxed) != before)
		return 0;
	return a + b;
}

static long steal(long self, long i)
{
	long bottom, top;

	if (self) {
		top = GET(head);
		atomic_thread_fence(memory_order_seq_cst);
		if (top >= GET(tail))
			return 0;
		i = atomic_load_explicit(&slot[top % SLOTS], memory_order_relaxed);
		atomic_compare_exchange_strong(&head, &top, top + 1);
		return i;
	}
	bottom = atomic_load_explicit(&tail, memory_order_relaxed);
	if (i % 3) {
		if (bottom - GET(head) >= SLOTS)
			return 0;
		atomic_store_explicit(&slot[bottom % SLOTS], i, memory_order_relaxed);
		PUT(tail, bottom + 1);
		return 0;
	}
	atomic_store_explicit(&tail, bottom - 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	top = atomic_load_explicit(&head, memory_order_relaxed);
	if (top >= bottom - 1)
		atomic_store_explicit(&tail, bottom, memory_order_relaxed);
	return top;
}

static long spin(void)
{
	if (atomic_exchange_explicit(&held, 1, memory_order_acquire))
		return 0;
	atomic_store_explicit(&x, atomic_load_explicit(&x, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	PUT(held, 0);
	return 1;
}

static void *work(void *arg)
{
	long self = (long)arg, sum = 0;

	for (long i = 0; i < LENGTH; i++)
		switch (SHAPE) {
		case ONE:
			sum += one(self, i);
			break;
		case RING:
			sum += ring(self, i);
			break;
		case SEQLOCK:
			sum += seqlock(self, i);
			break;
		case STEAL:
			sum += steal(self, i);
			break;
		case SPIN:
			sum += spin();
			break;
		default:
			sum += hammer(self, i);
		}
	return (void *)sum;
}

int main(void)
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
