/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program, of threads that share blocks of the heap (runtime/engine/memo.txt, K8)
 *
 * As in memo.c: what each of two threads does is seen alone first; both do their parts in executions of which each step is known, and
 * what matters then is none of what a thread has read.
 *
 * also -O0: other stretches of code lie between the operations
 *
 * case races_with_ended -m sra: bug data-race
 * case races_with_ended -m sra --no-memo: bug data-race
 * case reads_beyond: bug out-of-bounds
 * case reads_beyond --no-memo: bug out-of-bounds
 * case reads_beyond_atomically: bug out-of-bounds
 * case frees_larger: bug use-after-free
 * case frees_first: bug use-after-free
 * case frees_while_waiting: bug use-after-free
 * case frees_early_larger: bug double-free
 * case frees_empty: bug double-free
 * case frees_empty --no-memo: bug double-free
 * case asks_for_size: bug assertion
 * case asks_for_no_size: bug assertion
 * case asks_for_size_unordered: ok 4
 * case grows: bug assertion
 * case was_resized: bug assertion
 * case tags: bug use-after-free
 * case limits: bug assertion
 * case limited: bug assertion
 * case is_filled_late: bug assertion
 * case queue: ok 8
 * case queue --no-memo: ok 8
 */
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "memo/parts.h"

/* ---- Where blocks end, and that they are freed ------------------------------------------------------- */

static void *shows_some(void *arg)
{
	show(calloc(1, comes_early(&first) ? 64 : 16));
	return arg;
}

static void *shows_less(void *arg)
{
	show(calloc(1, comes_early(&first) ? 16 : 64));
	return arg;
}

static void *reads_far(void *arg)
{
	const int early = comes_early(&second);
	const int *p = find();

	if (p && early)
		got = p[10]; /* bug: reads_beyond */
	return arg;
}

static void reads_beyond(void)
{
	both(shows_less, reads_far);
}

static void *adds_far(void *arg)
{
	const int early = comes_early(&second);
	int *p = find();

	if (p && early)
		atomic_fetch_add((_Atomic int *)&p[10], 1); /* bug: reads_beyond_atomically */
	return arg;
}

static void reads_beyond_atomically(void)
{
	both(shows_less, adds_far);
}

static void *uses_again(void *arg)
{
	const int early = comes_early(&first);
	int *p = calloc(1, early ? 64 : 16);

	show(p);
	pthread_mutex_lock(&lock);
	if (early)
		got = p[10]; /* bug: frees_larger */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *frees(void *arg)
{
	const int early = comes_early(&second);

	pthread_mutex_lock(&lock);
	if (early)
		free(block);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void frees_larger(void)
{
	both(uses_again, frees);
}

static void *frees_own(void *arg)
{
	const int early = comes_early(&first);
	int *p = malloc(4);

	*p = 1;
	show(p);
	pthread_mutex_lock(&lock);
	if (early)
		free(p);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reads_twice(void *arg)
{
	int *p;

	const int early = comes_early(&second);
	pthread_mutex_lock(&lock);
	p = block;
	if (p && early)
		atomic_fetch_add((_Atomic int *)p + 0, 0); /* bug: frees_first */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void frees_first(void)
{
	both(frees_own, reads_twice);
}

static _Atomic(_Atomic int *) gate;

static void *opens_and_frees(void *arg)
{
	const int early = comes_early(&first);
	_Atomic int *p = malloc(sizeof(*p));

	atomic_store_explicit(p, 0, RLX);
	atomic_store(&gate, p);
	if (early) {
		pthread_mutex_lock(&lock);
		free(p);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *looks_in(void *arg)
{
	const int early = comes_early(&second);
	_Atomic int *p = atomic_load(&gate);

	if (p && early)
		got = atomic_load(p); /* bug: frees_while_waiting */
	return arg;
}

static void frees_while_waiting(void)
{
	both(opens_and_frees, looks_in);
}

static void *frees_early(void *arg)
{
	if (comes_early(&first))
		free(block);
	return arg;
}

static void *frees_late(void *arg)
{
	if (comes_early(&second))
		free(block); /* bug: frees_early_larger */
	return arg;
}

static void frees_early_larger(void)
{
	block = malloc(400);
	both(frees_early, frees_late);
}

static void *frees_empty_early(void *arg)
{
	if (comes_early(&first))
		free(block); /* bug: frees_empty */
	return arg;
}

static void *frees_empty_late(void *arg)
{
	if (comes_early(&second))
		free(block);
	return arg;
}

/* It has no byte that others could access. Main is the one that has allocated it, so it is known to be shared from the first time on that it is freed. */
static void frees_empty(void)
{
	pthread_t t[4];

	assert(pthread_create(&t[0], NULL, comes_late, NULL) == 0);
	block = malloc(0);
	assert(pthread_create(&t[1], NULL, frees_empty_late, NULL) == 0);
	assert(pthread_create(&t[2], NULL, comes_late, NULL) == 0);
	assert(pthread_create(&t[3], NULL, frees_empty_early, NULL) == 0);
	atomic_load_explicit(&late, RLX);
	atomic_store_explicit(&second, 1, RLX);
	atomic_store_explicit(&first, 1, RLX);
	for (int i = 0; i < 4; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *asks(void *arg)
{
	const int early = comes_early(&second);
	int *p = find();

	if (p && early)
		assert(malloc_usable_size(p) != 64); /* bug: asks_for_size */
	return arg;
}

static void asks_for_size(void)
{
	both(shows_some, asks);
}

static _Atomic(int *) unordered;

static void *shows_unordered(void *arg)
{
	atomic_store_explicit(&unordered, malloc(comes_early(&first) ? 16 : 64), RLX);
	return arg;
}

static void *asks_unordered(void *arg)
{
	int *p = atomic_load_explicit(&unordered, RLX);

	return p && malloc_usable_size(p) == 16 ? arg : NULL;
}

/* Nothing tells that it is a race to ask. */
static void asks_for_size_unordered(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, shows_unordered, NULL) == 0);
	assert(pthread_create(&t[1], NULL, asks_unordered, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
}

static int *resized;

static void *asks_again(void *arg)
{
	const int early = comes_early(&second);

	pthread_mutex_lock(&lock);
	if (early)
		assert(malloc_usable_size(resized) == 24); /* bug: asks_for_no_size */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *frees_resized(void *arg)
{
	const int early = comes_early(&first);

	pthread_mutex_lock(&lock);
	if (early)
		free(resized);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void asks_for_no_size(void)
{
	resized = malloc(24);
	both(frees_resized, asks_again);
}

static void *lets_grow(void *arg)
{
	const int early = comes_early(&second);
	int *p = find();

	if (p && early) {
		p = realloc(p, 128);
		assert(p[9] != 7); /* bug: grows */
	}
	return arg;
}

static void *shows_filled(void *arg)
{
	int *p = calloc(1, 64);

	p[9] = comes_early(&first) ? 7 : 6;
	show(p);
	return arg;
}

static void grows(void)
{
	both(shows_filled, lets_grow);
}

static void *shows_resized(void *arg)
{
	int *p = malloc(4);

	*p = comes_early(&first) ? 7 : 6;
	show(realloc(p, 64));
	return arg;
}

static void *finds_resized(void *arg)
{
	const int early = comes_early(&second);
	const int *p = find();

	if (p && early)
		assert(*p != 7); /* bug: was_resized */
	return arg;
}

/* Who resizes a block writes to the new one what the old one held. */
static void was_resized(void)
{
	both(shows_resized, finds_resized);
}

static _Atomic uintptr_t tagged;

static void *shows_tagged(void *arg)
{
	int *p = malloc(4);

	*p = 3;
	atomic_store_explicit(&tagged, (uintptr_t)p | 1, memory_order_release);
	pthread_mutex_lock(&lock);
	if (comes_early(&first))
		free(p);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *takes_off(void *arg)
{
	const uintptr_t p = atomic_load_explicit(&tagged, memory_order_acquire);

	pthread_mutex_lock(&lock);
	if (p && comes_early(&second))
		got = *(int *)(p & ~(uintptr_t)1); /* bug: tags */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void tags(void)
{
	both(shows_tagged, takes_off);
}

static void *limits_memory(void *arg)
{
	struct rlimit none = { 0, RLIM_INFINITY };

	if (comes_early(&first))
		setrlimit(RLIMIT_DATA, &none);
	return arg;
}

static void *needs_memory(void *arg)
{
	if (comes_early(&second))
		assert(malloc(1 << 20)); /* bug: limits */
	return arg;
}

static void limits(void)
{
	both(limits_memory, needs_memory);
}

static void *takes_all(void *arg)
{
	if (comes_early(&first))
		assert(malloc(40 << 20)); /* bug: limited */
	return arg;
}

static void *takes_all_as_well(void *arg)
{
	return comes_early(&second) ? malloc(40 << 20) : arg;
}

/* There is enough for each of them. */
static void limited(void)
{
	struct rlimit some = { 60 << 20, RLIM_INFINITY };

	assert(setrlimit(RLIMIT_DATA, &some) == 0);
	both(takes_all, takes_all_as_well);
}

static void *fills_late(void *arg)
{
	const int early = comes_early(&first);
	char *text = malloc(8);

	atomic_load(&second);
	strcpy(text, early ? "one" : "two");
	show((int *)(void *)text);
	return arg;
}

static void *reads_text(void *arg)
{
	const int early = comes_early(&second);
	const char *text = (char *)find();

	if (text && early)
		assert(text[0] != 'o'); /* bug: is_filled_late */
	return arg;
}

static void is_filled_late(void)
{
	both(fills_late, reads_text);
}

/* ---- A queue ------------------------------------------------------------------------------------------ */

struct node {
	int value;
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) head, tail;

static struct node *new_node(int value)
{
	struct node *n = malloc(sizeof(*n));

	n->value = value;
	atomic_init(&n->next, NULL);
	return n;
}

static void enqueue(int value)
{
	struct node *n = new_node(value), *last = atomic_exchange(&tail, n);

	atomic_store_explicit(&last->next, n, memory_order_release);
}

static int dequeue(void)
{
	struct node *old = atomic_load_explicit(&head, RLX), *next;
	int value;

	next = atomic_load_explicit(&old->next, memory_order_acquire);
	if (!next)
		return 0;
	atomic_store_explicit(&head, next, RLX);
	value = next->value;
	free(old);
	return value;
}

static void *enqueues(void *arg)
{
	enqueue((int)(intptr_t)arg);
	return NULL;
}

static void *dequeues(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)(dequeue() + 4 * dequeue());
}

static void queue(void)
{
	struct node *n = new_node(0);
	pthread_t t[3];

	atomic_init(&head, n);
	atomic_init(&tail, n);
	for (intptr_t i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, enqueues, (void *)(i + 1)) == 0);
	assert(pthread_create(&t[2], NULL, dequeues, NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

/* ---- Threads that have ended ---------------------------------------------------------------------------- */

static _Atomic(int *) passed;

static void *takes_passed(void *arg)
{
	int *p = atomic_load(&passed);

	if (p)
		*p = 18;
	return arg;
}

static void *passes_and_frees(void *arg)
{
	atomic_store(&passed, malloc(sizeof(int)));
	*atomic_load(&passed) = 42;
	free(atomic_load(&passed)); /* bug: races_with_ended */
	return arg;
}

static void *passes(void *arg)
{
	atomic_store(&passed, malloc(sizeof(int)));
	return arg;
}

/* The first one is over where the second one frees what it has written to, and nobody joins it. */
static void races_with_ended(void)
{
	pthread_t t[3];

	assert(pthread_create(&t[0], NULL, takes_passed, NULL) == 0);
	assert(pthread_create(&t[1], NULL, passes_and_frees, NULL) == 0);
	assert(pthread_create(&t[2], NULL, passes, NULL) == 0);
}

CASES(CASE(races_with_ended), CASE(reads_beyond), CASE(reads_beyond_atomically), CASE(frees_larger),
      CASE(frees_first), CASE(frees_while_waiting), CASE(frees_early_larger), CASE(frees_empty),
      CASE(asks_for_size), CASE(asks_for_no_size), CASE(asks_for_size_unordered), CASE(grows),
      CASE(was_resized), CASE(tags), CASE(limits), CASE(limited), CASE(is_filled_late), CASE(queue))
