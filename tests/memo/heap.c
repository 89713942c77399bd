/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program, of threads that share blocks of the heap (runtime/engine/memo.txt, K8 and K9)
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
 * case grows: bug assertion
 * case holds_at_first: bug assertion
 * case holds_at_first_in_words: bug assertion
 * case writes_behind: bug assertion
 * case writes_before: ok 8
 * case writes_before --no-memo: ok 8
 * case reads_behind: bug assertion
 * case two_sizes: ok 8
 * case tags: bug use-after-free
 * case limits: bug assertion
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

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int got;

static int comes_early(atomic_int *turn)
{
	return !atomic_load_explicit(turn, RLX);
}

static atomic_int late;

static void *comes_late(void *arg)
{
	atomic_store_explicit(&late, 1, RLX);
	return arg;
}

/*
 * With another thread that main looks for in the end. So what the two do is done twice at least, one execution behind the other: in the first one it may be found
 * that memory is shared, which makes all be learned anew.
 */
static void both(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t t[3];
	void *did[3];

	assert(pthread_create(&t[0], NULL, one, NULL) == 0);
	assert(pthread_create(&t[1], NULL, two, NULL) == 0);
	assert(pthread_create(&t[2], NULL, comes_late, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	atomic_store_explicit(&second, 1, RLX);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], &did[i]) == 0);
	atomic_load_explicit(&late, RLX);
	assert(pthread_join(t[2], &did[2]) == 0);
	got = did[0] && did[1];
}

static void show(int *p)
{
	pthread_mutex_lock(&lock);
	block = p;
	pthread_mutex_unlock(&lock);
}

/* What the other thread has shown, or NULL. */
static int *find(void)
{
	int *p;

	pthread_mutex_lock(&lock);
	p = block;
	pthread_mutex_unlock(&lock);
	return p;
}

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

/* ---- Atomic locations in blocks, and beside plain accesses ------------------------------------------ */

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
      CASE(asks_for_size), CASE(asks_for_no_size), CASE(grows), CASE(holds_at_first),
      CASE(holds_at_first_in_words), CASE(writes_behind), CASE(writes_before), CASE(reads_behind),
      CASE(two_sizes), CASE(tags), CASE(limits), CASE(is_filled_late), CASE(queue))
