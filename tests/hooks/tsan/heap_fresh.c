/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_fresh.c - blocks that nobody has written to yet
 *
 * case atomic_load_of_a_fresh_block: bug uninitialised-read at sink = atomic_load(p)
 * case atomic_add_to_a_fresh_block: bug uninitialised-read at atomic_fetch_add(&p[3], 1)
 * case compare_exchange_of_a_fresh_block: bug uninitialised-read at atomic_compare_exchange_strong
 * case fresh_byte: bug uninitialised-read at while (atomic_exchange
 * case fresh_16_bytes: bug uninitialised-read at sink = __sync_bool_compare_and_swap
 * case a_store_that_need_not_be_seen: bug uninitialised-read at sink = atomic_load_explicit
 * case never_initialised_before_the_threads: bug uninitialised-read
 * case what_realloc_added: bug uninitialised-read at sink = atomic_load(&p[1])
 * case all_ways_to_initialise: ok 1
 * case a_byte_with_the_value_of_fresh_ones: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/blocks.h"

static atomic_int *shared_atomic;
static volatile int sink;

IN_A_THREAD(atomic_load_of_a_fresh_block)
{
	atomic_int *p = hide(malloc(sizeof(*p)));

	sink = atomic_load(p);
	return arg;
}

IN_A_THREAD(atomic_add_to_a_fresh_block)
{
	atomic_long *p = hide(malloc(4 * sizeof(*p)));

	atomic_fetch_add(&p[3], 1);
	return arg;
}

IN_A_THREAD(compare_exchange_of_a_fresh_block)
{
	_Atomic(void *) *p = hide(malloc(sizeof(*p)));
	void *expected = NULL;

	atomic_compare_exchange_strong(p, &expected, arg);
	return arg;
}

IN_A_THREAD(fresh_byte)
{
	atomic_bool *p = hide(malloc(3));

	while (atomic_exchange(&p[2], true))
		;
	return arg;
}

IN_A_THREAD(fresh_16_bytes)
{
	unsigned __int128 *p = hide(malloc(32));

	sink = __sync_bool_compare_and_swap(p + 1, 0, 1);
	return arg;
}

static void *store_or_load(void *arg)
{
	if (arg)
		atomic_store_explicit(shared_atomic, 1, memory_order_relaxed);
	else
		sink = atomic_load_explicit(shared_atomic, memory_order_relaxed);
	return NULL;
}

static void a_store_that_need_not_be_seen(void)
{
	shared_atomic = hide(malloc(sizeof(int)));
	THREADS(2, store_or_load);
}

static void *load_it(void *arg)
{
	sink = atomic_load(shared_atomic); /* bug: never_initialised_before_the_threads */
	return arg;
}

static void never_initialised_before_the_threads(void)
{
	free(hide(calloc(1, sizeof(int))));
	shared_atomic = hide(malloc(sizeof(int)));
	THREADS(1, load_it);
}

IN_A_THREAD(what_realloc_added)
{
	atomic_int *p = hide(calloc(1, sizeof(*p)));

	p = hide(realloc(p, 2 * sizeof(*p)));
	assert(atomic_load(&p[0]) == 0);
	sink = atomic_load(&p[1]);
	return arg;
}

struct node {
	atomic_int value;
	struct node *_Atomic next;
	char pad[40];
};

IN_A_THREAD(all_ways_to_initialise)
{
	static const struct node zero;
	struct node *p;

	p = hide(malloc(sizeof(*p)));
	memset(p, 0, sizeof(*p));
	assert(!atomic_load(&p->value) && !atomic_load(&p->next));
	p = hide(malloc(sizeof(*p)));
	memcpy(p, &zero, sizeof(*p));
	assert(!atomic_load(&p->value) && !atomic_load(&p->next));
	p = hide(malloc(sizeof(*p)));
	atomic_init(&p->value, -1);
	atomic_store(&p->next, NULL);
	assert(atomic_load(&p->value) == -1 && !atomic_load(&p->next));
	p = hide(calloc(1, sizeof(*p)));
	assert(!atomic_load(&p->value) && !atomic_load(&p->next));
	return arg;
}

IN_A_THREAD(a_byte_with_the_value_of_fresh_ones)
{
	_Atomic unsigned char *p = hide(malloc(3));

	*(unsigned char *)p = 0xcb;
	assert(atomic_load(p) == 0xcb);
	atomic_store(p + 1, 0xcb);
	assert(atomic_load(p + 1) == 0xcb);
	return arg;
}

CASES(CASE(atomic_load_of_a_fresh_block), CASE(atomic_add_to_a_fresh_block),
      CASE(compare_exchange_of_a_fresh_block), CASE(fresh_byte), CASE(fresh_16_bytes),
      CASE(a_store_that_need_not_be_seen), CASE(never_initialised_before_the_threads),
      CASE(what_realloc_added), CASE(all_ways_to_initialise),
      CASE(a_byte_with_the_value_of_fresh_ones))
