/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program, where memory is accessed atomically and plainly (runtime/engine/memo.txt, K9)
 *
 * As in memo.c: what each of two threads does is seen alone first; both do their parts in executions of which each step is known, and
 * what matters then is none of what a thread has read.
 *
 * also -O0: other stretches of code lie between the operations
 *
 * case held_something_else: ok 4
 * case changes_at_first: ok 6
 * case changes_at_first --no-memo: ok 6
 * case holds_at_first: bug assertion
 * case holds_at_first_in_words: bug assertion
 * case writes_behind: bug assertion
 * case writes_before: ok 8
 * case writes_before --no-memo: ok 8
 * case reads_behind: bug assertion
 * case two_sizes: ok 8
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "memo/parts.h"

/* ---- What they hold at first ---------------------------------------------------------------------------- */

static void *uses_in_two_ways(void *arg)
{
	if (comes_early(&first)) {
		int *p = malloc(8);

		*p = 1;
		atomic_fetch_add((_Atomic int *)p, 1);
	} else {
		atomic_fetch_add((_Atomic int *)calloc(1, 8), 1);
	}
	return arg;
}

/* The same address, which no other thread comes to. */
static void held_something_else(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, uses_in_two_ways, NULL) == 0);
	assert(pthread_create(&t[1], NULL, comes_late, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	atomic_load_explicit(&late, RLX);
}

static union {
	_Atomic int atomic;
	int plain;
} own;

static atomic_int found;

static void *finds_own(void *arg)
{
	if (comes_early(&first))
		own.plain = 2;
	if (atomic_load_explicit(&own.atomic, RLX) == 2)
		atomic_store_explicit(&found, 1, RLX);
	return arg;
}

static void *looks_for_it(void *arg)
{
	atomic_load_explicit(&found, RLX);
	return arg;
}

/* What a location that one thread alone accesses holds at first is a matter of what that has written plainly. */
static void changes_at_first(void)
{
	both(finds_own, looks_for_it);
}

static void *shows_word(void *arg)
{
	int *p = calloc(1, 8);

	if (comes_early(&first))
		*p = 1;
	show(p);
	return arg;
}

static void *shows_words(void *arg)
{
	int *p = calloc(1, 8);

	if (comes_early(&first))
		p[1] = 1;
	show(p);
	return arg;
}

static void *finds_word(void *arg)
{
	const int early = comes_early(&second);
	int *p = find();

	if (p && early)
		assert(atomic_load((_Atomic int *)p) != 1); /* bug: holds_at_first */
	return arg;
}

static void holds_at_first(void)
{
	both(shows_word, finds_word);
}

static void *finds_words(void *arg)
{
	const int early = comes_early(&second);
	int *p = find();
	long found = 0;

	if (p && early)
		found = atomic_fetch_add((_Atomic long *)(void *)p, 0);
	assert(!found); /* bug: holds_at_first_in_words */
	return arg;
}

static void holds_at_first_in_words(void)
{
	both(shows_words, finds_words);
}

static union {
	_Atomic int atomic;
	int plain;
	_Atomic long wide;
} word;

static void *writes_plainly(void *arg)
{
	void *did = NULL;

	(void)arg;
	pthread_mutex_lock(&lock);
	if (comes_early(&first)) {
		word.plain = 1;
		did = &word;
	}
	pthread_mutex_unlock(&lock);
	return did;
}

static void *stores(void *arg)
{
	void *did = NULL;

	(void)arg;
	pthread_mutex_lock(&lock);
	if (comes_early(&second)) {
		atomic_store_explicit(&word.atomic, 2, RLX);
		did = &word;
	}
	pthread_mutex_unlock(&lock);
	return did;
}

static void writes_behind(void)
{
	both(writes_plainly, stores);
	assert(!got || atomic_load(&word.atomic) != 1); /* bug: writes_behind */
}

static void *loads(void *arg)
{
	pthread_mutex_lock(&lock);
	got = atomic_load_explicit(&word.atomic, RLX);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* It is in no event, or in one, as it comes before the others or behind them. */
static void writes_before(void)
{
	both(writes_plainly, loads);
}

static void *reads_plainly(void *arg)
{
	const int early = comes_early(&first);

	pthread_mutex_lock(&lock);
	if (early)
		assert(word.plain != 2); /* bug: reads_behind */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void reads_behind(void)
{
	both(reads_plainly, stores);
}

static void *stores_wide(void *arg)
{
	if (comes_early(&first))
		atomic_store(&word.wide, 0x100000001);
	return arg;
}

/* Each size is met alone. */
static void two_sizes(void)
{
	both(stores_wide, stores);
}

CASES(CASE(held_something_else), CASE(changes_at_first), CASE(holds_at_first),
      CASE(holds_at_first_in_words), CASE(writes_behind), CASE(writes_before), CASE(reads_behind),
      CASE(two_sizes))
