/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program (runtime/engine/memo.txt): what threads pass on behind the back of their operations
 *
 * Two threads each do their part only if they read 1. Each part is seen alone first, and then all that both do is known; the bug
 * comes when one does its part behind the other, and nothing that it reads tells.
 *
 * also -O0: other stretches of code lie between the operations
 *
 * case destroys_mutex: bug lock-misuse
 * case destroys_mutex --no-memo: bug lock-misuse
 * case makes_mutex: bug assertion
 * case frees_block: bug use-after-free
 * case frees_twice: bug double-free
 * case frees_own_block: bug use-after-free
 * case fills_block: bug assertion
 * case passes_structure: bug assertion
 * case passes_thread_local: bug assertion
 * case unseen_early_new: bug assertion at assert(value != bad)
 * case unseen_late_new: bug assertion at assert(value != bad)
 * case unseen_early_old: bug assertion at assert(value != bad)
 * case unseen_late_old: bug assertion at assert(value != bad)
 * case beside_own_early_new: bug assertion at value != bad + (int)found
 * case beside_own_late_new: bug assertion at value != bad + (int)found
 * case beside_own_early_old: bug assertion at value != bad + (int)found
 * case beside_own_late_old: bug assertion at value != bad + (int)found
 * case joins_twice: bug thread-misuse
 * case joins_what_is_born_detached: bug thread-misuse
 * case returns: bug assertion at assert(!(late && was_early))
 * case returns_by_exit: bug assertion at assert(!(late && was_early))
 * case goes_on_in_text: bug assertion
 * case leaves_null: bug crash
 * case hands_over: bug assertion
 * case races: bug data-race at data = 2;
 * case locks_crosswise: bug deadlock at pthread_join(t[0], NULL) == 0
 * case reads_what_is_not_there: bug crash
 * case adds_up: ok 24
 * case adds_up --no-memo: ok 24
 * case adds_up -m sc: ok 24
 * case adds_up_to_more: bug assertion
 * case brings_news -m wra: ok 22
 * case brings_news -m wra --no-memo: ok 22
 * without notes: inline assembly stands for what nobody announces
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

/* A thread that does its part in a section of its own, unless it is too late. */
#define THREAD_WITH(name, before, turn, part)            \
	static void *name(void *arg)                     \
	{                                                \
		before;                                  \
		if (!atomic_load_explicit(&turn, RLX)) { \
			pthread_mutex_lock(&lock);       \
			part();                          \
			pthread_mutex_unlock(&lock);     \
		}                                        \
		return arg;                              \
	}
#define THREAD(name, turn, part) THREAD_WITH(name, , turn, part)

static void both(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, one, NULL) == 0);
	assert(pthread_create(&t[1], NULL, two, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	atomic_store_explicit(&second, 1, RLX);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

/* ---- Objects of libraries -------------------------------------------------------------------------- */

static void destroy(void)
{
	pthread_mutex_destroy(&other);
}

static void use(void)
{
	pthread_mutex_lock(&other); /* bug: destroys_mutex */
	pthread_mutex_unlock(&other);
}

THREAD(destroys, first, destroy)
THREAD(uses, second, use)

static void destroys_mutex(void)
{
	both(destroys, uses);
}

static void make(void)
{
	other = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void try_twice(void)
{
	int error;

	pthread_mutex_lock(&other);
	error = pthread_mutex_trylock(&other);
	assert(error); /* bug: makes_mutex */
	pthread_mutex_unlock(&other);
}

THREAD(makes, first, make)
THREAD(tries_twice, second, try_twice)

static void makes_mutex(void)
{
	both(makes, tries_twice);
}

/* ---- Memory that is not the program's own ---------------------------------------------------------- */

static int *block;
static int got;

static void free_block(void)
{
	free(block);
}

static void read_block(void)
{
	got = *block; /* bug: frees_block */
}

THREAD(frees, first, free_block)
THREAD(reads_block, second, read_block)

static void frees_block(void)
{
	block = calloc(1, sizeof(*block));
	both(frees, reads_block);
}

static atomic_int touched;

static void free_again(void)
{
	if (atomic_load(&touched) == 2)
		free(block); /* bug: frees_twice */
}

/* That it is shared is known from the first execution on. */
static void touch_block(void)
{
	pthread_mutex_lock(&lock);
	*block = 0;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&touched, 1);
}

static void free_if_touched(void)
{
	if (atomic_load(&touched) == 2)
		free(block);
}

THREAD_WITH(touches_and_frees, touch_block(), first, free_if_touched)
THREAD_WITH(frees_as_well, touch_block(), second, free_again)

static void frees_twice(void)
{
	block = calloc(1, sizeof(*block));
	both(touches_and_frees, frees_as_well);
}

static _Atomic(char *) text;
static _Atomic(const int *) place;

static void *frees_its_own(void *arg)
{
	int *p = calloc(1, sizeof(*p));

	pthread_mutex_lock(&lock);
	atomic_store_explicit(&place, p, RLX);
	pthread_mutex_unlock(&lock);
	if (!atomic_load_explicit(&first, RLX)) {
		pthread_mutex_lock(&lock);
		if (atomic_load_explicit(&touched, RLX))
			free(p);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static const int *taken;

static void take_own(void)
{
	pthread_mutex_lock(&lock);
	taken = atomic_load_explicit(&place, RLX);
	if (taken)
		got = *taken;
	atomic_store_explicit(&touched, 1, RLX);
	pthread_mutex_unlock(&lock);
}

static void read_own(void)
{
	if (taken)
		got = *taken; /* bug: frees_own_block */
}

THREAD_WITH(reads_own, take_own(), second, read_own)

static void frees_own_block(void)
{
	both(frees_its_own, reads_own);
}

static void copy(void)
{
	char was[2] = "0";

	was[0] += !atomic_load_explicit(&second, RLX);
	atomic_store_explicit(&text, strdup(was), RLX);
}

static void read_copy(void)
{
	const char *p = atomic_load_explicit(&text, RLX);

	assert(!p || *p == '0'); /* bug: fills_block */
}

THREAD(copies, first, copy)
THREAD(reads_copy, second, read_copy)

/* A library writes to it. */
static void fills_block(void)
{
	both(copies, reads_copy);
}

struct passed {
	int value, others[15];
};

/* By value: whoever calls it makes a copy on its stack, which is not announced. */
static __attribute__((noinline)) void give(struct passed p)
{
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&place, &p.value, RLX);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&place, NULL, RLX);
	pthread_mutex_unlock(&lock);
}

static void *gives_structure(void *arg)
{
	struct passed p = { 0 };

	p.value = !atomic_load_explicit(&first, RLX);
	give(p);
	return arg;
}

static void take(void)
{
	const int *p = atomic_load_explicit(&place, RLX);

	assert(!p || !*p); /* bug: passes_structure */
}

THREAD(takes, second, take)

static void passes_structure(void)
{
	both(gives_structure, takes);
}

static __thread int local;

static void *gives_local(void *arg)
{
	local = !atomic_load_explicit(&first, RLX);
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&place, &local, RLX);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&place, NULL, RLX);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void take_local(void)
{
	const int *p = atomic_load_explicit(&place, RLX);

	assert(!p || !*p); /* bug: passes_thread_local */
}

THREAD(takes_local, second, take_local)

static void passes_thread_local(void)
{
	both(gives_local, takes_local);
}

static void read_nothing(void)
{
	got = *(volatile int *)8; /* bug: reads_what_is_not_there */
}

THREAD(reads_nothing, second, read_nothing)
THREAD(uses_as_well, first, use)

static void reads_what_is_not_there(void)
{
	both(uses_as_well, reads_nothing);
}

/* ---- What nobody tells ----------------------------------------------------------------------------- */

static int data;

static void write_one(void)
{
	data = 1;
}

static void write_two(void)
{
	data = 2;
}

THREAD(writes_one, first, write_one)
THREAD(writes_two, second, write_two)

static void *does_nothing(void *arg)
{
	return arg;
}

static atomic_int late;

static void *comes_late(void *arg)
{
	atomic_store_explicit(&late, 1, RLX);
	return arg;
}

static void *writes_what_it_finds(void *arg)
{
	data = atomic_load_explicit(&first, RLX);
	return arg;
}

/*
 * Behind all others, in assembly, if main has found that. What threads do in the last of four executions is known from the others, so
 * one of the four cases comes to it when all is known.
 */
static void look_in_the_end(int if_late, int bad)
{
	pthread_t t;
	int value = -1, now;

	assert(pthread_create(&t, NULL, comes_late, NULL) == 0);
	both(writes_what_it_finds, does_nothing);
	now = atomic_load_explicit(&late, RLX);
	pthread_join(t, NULL);
	if (now == if_late)
		__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(data));
	assert(value != bad);
}

static void unseen_early_new(void)
{
	look_in_the_end(0, 1);
}

static void unseen_late_new(void)
{
	look_in_the_end(1, 1);
}

static void unseen_early_old(void)
{
	look_in_the_end(0, 0);
}

static void unseen_late_old(void)
{
	look_in_the_end(1, 0);
}

/* Likewise, right behind a read of a variable of its own, which is announced. */
static void look_beside_own(int if_late, int bad)
{
	void *own = NULL;
	long found = 0;
	pthread_t t;
	int value = -1, now;

	assert(pthread_create(&t, NULL, comes_late, NULL) == 0);
	both(writes_what_it_finds, does_nothing);
	now = atomic_load_explicit(&late, RLX);
	pthread_join(t, &own);
	found += (long)own;
	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(data));
	assert(now != if_late || value != bad + (int)found);
}

static void beside_own_early_new(void)
{
	look_beside_own(0, 1);
}

static void beside_own_late_new(void)
{
	look_beside_own(1, 1);
}

static void beside_own_early_old(void)
{
	look_beside_own(0, 0);
}

static void beside_own_late_old(void)
{
	look_beside_own(1, 0);
}

static pthread_t third;

static void join(void)
{
	pthread_join(third, NULL);
}

static void join_as_well(void)
{
	pthread_join(third, NULL); /* bug: joins_twice */
}

THREAD(joins, first, join)
THREAD(joins_as_well, second, join_as_well)

static void joins_twice(void)
{
	assert(pthread_create(&third, NULL, does_nothing, NULL) == 0);
	both(joins, joins_as_well);
}

static pthread_attr_t detached;
static bool created;

/* To detach it is something that code does not tell, but not to create it so. */
static void *creates_it(void *arg)
{
	const pthread_attr_t *how = atomic_load_explicit(&first, RLX) ? NULL : &detached;

	pthread_mutex_lock(&lock);
	assert(pthread_create(&third, how, does_nothing, NULL) == 0);
	created = true;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void wait_for_it(void)
{
	if (created)
		pthread_join(third, NULL); /* bug: joins_what_is_born_detached */
}

THREAD(waits_for_it, second, wait_for_it)

static void joins_what_is_born_detached(void)
{
	assert(pthread_attr_init(&detached) == 0);
	assert(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0);
	both(creates_it, waits_for_it);
}

static void *returns_early(void *arg)
{
	return atomic_load_explicit(&first, RLX) ? NULL : arg;
}

static void *exits_early(void *arg)
{
	if (!atomic_load_explicit(&first, RLX))
		pthread_exit(arg);
	return NULL;
}

static void *stores(void *arg)
{
	atomic_store_explicit(&second, 1, RLX);
	return arg;
}

static void returns_from(void *(*one)(void *))
{
	pthread_t t[2];
	void *was_early;
	int late;

	assert(pthread_create(&t[0], NULL, one, &first) == 0);
	assert(pthread_create(&t[1], NULL, stores, NULL) == 0);
	atomic_store_explicit(&first, 1, RLX);
	assert(pthread_join(t[0], &was_early) == 0);
	late = atomic_load_explicit(&second, RLX);
	assert(!(late && was_early));
	pthread_join(t[1], NULL);
}

static void returns(void)
{
	returns_from(returns_early);
}

static void returns_by_exit(void)
{
	returns_from(exits_early);
}

/* ---- What is known ---------------------------------------------------------------------------------- */

static void take_word(void)
{
	strtok(NULL, " ");
}

static void take_next(void)
{
	const char *word = strtok(NULL, " ");

	assert(*word == 'b'); /* bug: goes_on_in_text */
}

THREAD(takes_word, first, take_word)
THREAD(takes_next, second, take_next)

static void goes_on_in_text(void)
{
	static char words[] = "a b c";

	strtok(words, " ");
	both(takes_word, takes_next);
}

static int *to = &data;

static void leave_nothing(void)
{
	to = NULL;
}

static void follow(void)
{
	*to = 1; /* bug: leaves_null */
}

THREAD(leaves_nothing, first, leave_nothing)
THREAD(follows, second, follow)

static void leaves_null(void)
{
	both(leaves_nothing, follows);
}

static void find(void)
{
	assert(!data); /* bug: hands_over */
}

THREAD(finds, second, find)

static void hands_over(void)
{
	both(writes_one, finds);
}

static void *writes_freely(void *arg)
{
	if (!atomic_load_explicit(&first, RLX))
		data = 3;
	return arg;
}

static void races(void)
{
	both(writes_freely, writes_two);
}

static void *locks_outer(void *arg)
{
	if (!atomic_load_explicit(&second, RLX)) {
		pthread_mutex_lock(&other);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&other);
	}
	return arg;
}

static void locks_crosswise(void)
{
	both(uses_as_well, locks_outer);
}

static void *adds(void *arg)
{
	pthread_mutex_lock(&lock);
	data = data * 2 + (int)(long)arg;
	pthread_mutex_unlock(&lock);
	return arg;
}

/* In each order; the last one is one of few that are not made, since its value is new. */
static void add_up(int most)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		assert(pthread_create(&t[i], NULL, adds, (void *)i) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(data <= most); /* bug: adds_up_to_more */
}

static void adds_up(void)
{
	add_up(34);
}

static void adds_up_to_more(void)
{
	add_up(33);
}

/* ---- Rounds that bring news ------------------------------------------------------------------------- */

static atomic_int turns = 1, seen;

static void *waits(void *arg)
{
	while (atomic_load_explicit(&turns, memory_order_acquire) == 3)
		;
	return arg;
}

static void *takes_turn(void *arg)
{
	atomic_fetch_add(&turns, 1);
	atomic_store_explicit(&seen, 2, memory_order_release);
	return arg;
}

static void *takes_turn_back(void *arg)
{
	atomic_store(&seen, 2);
	atomic_fetch_add(&turns, 1);
	atomic_store(&turns, 1);
	if (atomic_load_explicit(&seen, memory_order_acquire) == 2)
		data = 1;
	return arg;
}

static void brings_news(void)
{
	pthread_t t[3];

	assert(pthread_create(&t[0], NULL, waits, NULL) == 0);
	assert(pthread_create(&t[1], NULL, takes_turn, NULL) == 0);
	assert(pthread_create(&t[2], NULL, takes_turn_back, NULL) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

CASES(CASE(destroys_mutex), CASE(makes_mutex), CASE(frees_block), CASE(frees_twice),
      CASE(frees_own_block), CASE(fills_block), CASE(passes_structure), CASE(passes_thread_local),
      CASE(reads_what_is_not_there), CASE(unseen_early_new), CASE(unseen_late_new),
      CASE(unseen_early_old), CASE(unseen_late_old), CASE(beside_own_early_new),
      CASE(beside_own_late_new), CASE(beside_own_early_old), CASE(beside_own_late_old),
      CASE(joins_twice), CASE(joins_what_is_born_detached), CASE(returns), CASE(returns_by_exit),
      CASE(goes_on_in_text), CASE(leaves_null), CASE(hands_over), CASE(races),
      CASE(locks_crosswise), CASE(adds_up), CASE(adds_up_to_more), CASE(brings_news))
