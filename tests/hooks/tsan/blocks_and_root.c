/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_and_root.c - heddle.h: atomic blocks, where executions begin, and what is said to the reader of a report
 *
 * What is done in blocks counts as with a mutex in their place.
 *
 * case blocks_exclude_each_other: ok 6
 * case blocks_exclude_each_other -e value: ok 6
 * case a_mutex_instead: ok 6
 * case others_come_between: ok 3
 * case blocks_nest: ok 2
 * case a_block_orders_memory: ok 2
 * case no_block_no_order: bug data-race at value = 5;
 * case a_loop_of_blocks_waits: ok 1
 * case a_thread_waits_in_a_block: bug deadlock at pthread_join(inner
 * case an_end_without_begin: bug lock-misuse at heddle_atomic_end(); /* of nothing
 * case blocks_before_threads: ok 1
 * case root_without_threads: ok 1
 * case root_twice: ok 2
 * case behind_the_root_all_is_done_again: ok 2
 * case trace_adds_no_execution: ok 2
 * case trace_reads_what_it_prints: bug data-race at heddle_trace("%s"
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static atomic_int x;
static int value, order;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* One after the other, each sees what the one before it has done. */
static void *counts_in_a_block(void *arg)
{
	heddle_atomic_begin();
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	value++;
	assert(value == atomic_load_explicit(&x, memory_order_relaxed));
	heddle_atomic_end();
	return arg;
}

static void blocks_exclude_each_other(void)
{
	THREADS(3, counts_in_a_block);
	assert(value == 3);
}

static void *counts_under_a_mutex(void *arg)
{
	pthread_mutex_lock(&mutex);
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	value++;
	assert(value == atomic_load_explicit(&x, memory_order_relaxed));
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void a_mutex_instead(void)
{
	THREADS(3, counts_under_a_mutex);
}

static void *reads_twice(void *arg)
{
	heddle_atomic_begin();
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	heddle_atomic_end();
	return arg;
}

static void *writes_once(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

/* 00, 01 and 11: a block is atomic for other blocks only. */
static void others_come_between(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, reads_twice, NULL);
	pthread_create(&t[1], NULL, writes_once, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void *nests(void *arg)
{
	heddle_atomic_begin();
	order++;
	counts_in_a_block(arg);
	order--;
	assert(!order);
	heddle_atomic_end();
	return arg;
}

static void blocks_nest(void)
{
	THREADS(2, nests);
}

static void *publishes(void *arg)
{
	value = 5;
	heddle_atomic_begin();
	order = 1;
	heddle_atomic_end();
	return arg;
}

/* The value is there where the block of the writer came first. */
static void a_block_orders_memory(void)
{
	pthread_t t;
	int came;

	pthread_create(&t, NULL, publishes, NULL);
	heddle_atomic_begin();
	came = order;
	heddle_atomic_end();
	assert(!came || value == 5);
	pthread_join(t, NULL);
}

static int looks(void)
{
	return value;
}

static void no_block_no_order(void)
{
	pthread_t t;

	pthread_create(&t, NULL, publishes, NULL);
	(void)looks();
	pthread_join(t, NULL);
}

static void a_loop_of_blocks_waits(void)
{
	pthread_t t;
	int came = 0;

	pthread_create(&t, NULL, publishes, NULL);
	while (!came) {
		heddle_atomic_begin();
		came = order;
		heddle_atomic_end();
	}
	pthread_join(t, NULL);
}

static void a_thread_waits_in_a_block(void)
{
	pthread_t inner;

	pthread_create(&inner, NULL, counts_in_a_block, NULL);
	heddle_atomic_begin();
	pthread_join(inner, NULL);
	heddle_atomic_end();
}

static void an_end_without_begin(void)
{
	THREADS(1, counts_in_a_block);
	heddle_atomic_end(); /* of nothing */
}

static void blocks_before_threads(void)
{
	counts_in_a_block(NULL);
	THREADS(1, counts_in_a_block);
	assert(value == 2);
}

static void root_without_threads(void)
{
	heddle_root();
	value++;
	assert(value == 1);
}

static void root_twice(void)
{
	heddle_root();
	heddle_root();
	THREADS(2, counts_in_a_block);
	heddle_root();
}

static void *reads_in_a_block(void *arg)
{
	heddle_atomic_begin();
	assert(value == 2);
	heddle_atomic_end();
	return arg;
}

/* Memory is again what it was at the root point. */
static void behind_the_root_all_is_done_again(void)
{
	int *block;

	value = 1;
	heddle_root();
	value++;
	assert(value == 2);
	block = malloc(sizeof(*block));
	*block = value;
	THREADS(2, reads_in_a_block);
	free(block);
}

static void *says(void *arg)
{
	heddle_name_thread("one of them");
	heddle_trace("x is %d", atomic_load_explicit(&x, memory_order_relaxed));
	heddle_name(&x, sizeof(x), "the counter");
	return arg;
}

/* The load that is an argument is one of the program. */
static void trace_adds_no_execution(void)
{
	pthread_t t;

	pthread_create(&t, NULL, says, NULL);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	heddle_trace("%s %ld %.2f", "many", 7L, 0.5);
	pthread_join(t, NULL);
}

static char text[4] = "abc";

static void *prints(void *arg)
{
	heddle_trace("%s", text);
	return arg;
}

static void trace_reads_what_it_prints(void)
{
	pthread_t t;

	pthread_create(&t, NULL, prints, NULL);
	text[0] = 'x';
	pthread_join(t, NULL);
}

CASES(CASE(blocks_exclude_each_other), CASE(a_mutex_instead), CASE(others_come_between),
      CASE(blocks_nest), CASE(a_block_orders_memory), CASE(no_block_no_order),
      CASE(a_loop_of_blocks_waits), CASE(a_thread_waits_in_a_block), CASE(an_end_without_begin),
      CASE(blocks_before_threads), CASE(root_without_threads), CASE(root_twice),
      CASE(behind_the_root_all_is_done_again), CASE(trace_adds_no_execution),
      CASE(trace_reads_what_it_prints))
