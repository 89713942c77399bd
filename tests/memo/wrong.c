/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that announce one read and do another: what a thread does next is no matter of what heddle knows that it has read, and nothing tells. So steps of
 * threads are wrong (runtime/engine/memo.txt, K5, K11).
 *
 * Two threads write in either order, and main finds who was last. In the second order it does what it did in the first one, as far as anybody knows, until a
 * third thread reads who was last.
 *
 * found_wrong.test: that is seen, and the exploration starts again without a memo.
 *
 * case asserts -k -e rf: bug assertion
 * case crashes -k -e rf: bug crash
 * case frees -k -e rf: bug double-free
 * case races -k -e rf: bug data-race
 * case stores -e rf: ok 12
 * case stores_not -e rf: ok 12
 * case stores_often -e rf: ok 1440
 * case stores_behind -e rf: ok 12
 * case fails_between -k -e rf: bug assertion
 * without notes: inline assembly stands for what nobody announces
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

#define RLX memory_order_relaxed

void __tsan_read4(void *addr);
void __tsan_write4(void *addr);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y, last;
static void *rare = (void *)2;
static int hidden, others[3], plain;

/* Who was last. They say that they access something else. */
static __attribute__((noinline)) int look(void)
{
	int value;

	__tsan_read4(&others[0]);
	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(hidden));
	return value;
}

static void *writes(void *arg)
{
	const int me = arg ? 2 : 1;

	pthread_mutex_lock(&lock);
	__tsan_write4(&others[me]);
	__asm__ volatile("movl %1, %0" : "=m"(hidden) : "r"(me));
	atomic_store_explicit(&last, me, RLX);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* The last of these is first in few executions. */
static void *counts(void *arg)
{
	if (!atomic_fetch_add_explicit(&x, 1, RLX) && arg == rare)
		atomic_load_explicit(&last, RLX);
	return arg;
}

static void asserts(void)
{
	THREADS(2, writes);
	THREADS(3, counts);
	assert(look() != 1); /* bug: asserts */
}

static void crashes(void)
{
	THREADS(2, writes);
	THREADS(3, counts);
	if (look() == 1)
		*(volatile int *)8 = 1; /* bug: crashes */
}

static void frees(void)
{
	int *block = malloc(4);

	THREADS(2, writes);
	THREADS(3, counts);
	free(block);
	if (look() == 1)
		free(block); /* bug: frees */
}

static void *writes_plain(void *arg)
{
	plain = 1; /* bug: races */
	return arg;
}

/* Others write there as well, but behind that. */
static void races(void)
{
	pthread_t t;

	THREADS(2, writes);
	plain = 0;
	assert(pthread_create(&t, NULL, writes_plain, NULL) == 0);
	if (look() == 1)
		plain = 2;
	THREADS(3, counts);
	pthread_join(t, NULL);
}

static void stores_if(int who)
{
	THREADS(2, writes);
	if (look() == who)
		atomic_store_explicit(&y, 1, RLX);
	THREADS(3, counts);
}

static void stores(void)
{
	stores_if(1);
}

static void stores_not(void)
{
	stores_if(2);
}

/* Enough for other workers to have some of that. */
static void stores_often(void)
{
	rare = (void *)5;
	THREADS(2, writes);
	if (look() == 1)
		atomic_store_explicit(&y, 1, RLX);
	THREADS(6, counts);
}

static void stores_behind(void)
{
	THREADS(2, writes);
	THREADS(3, counts);
	if (look() == 1)
		atomic_store_explicit(&y, 1, RLX);
}

static void fails_between(void)
{
	THREADS(2, writes);
	assert(look() != 1); /* bug: fails_between */
	THREADS(3, counts);
}

CASES(CASE(asserts), CASE(crashes), CASE(frees), CASE(races), CASE(stores), CASE(stores_not),
      CASE(stores_often), CASE(stores_behind), CASE(fails_between))
