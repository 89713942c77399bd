/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that wait for a value: no execution is counted for what they see meanwhile, and every
 * one in which they wait in vain is found.
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case in_turn: ok 24
 * case what_another_place_says: ok 6
 * case more_values_than_are_told_apart: ok 1
 * case two_places_at_once: ok 4
 * case remembers_what_it_saw: ok 2
 * case goes_by_plain_memory: ok 8
 * case goes_by_its_own_stack: ok 2
 * case test_and_set: ok 6
 * case test_and_set -m sc: ok 6
 * case test_and_set -j 2: ok 6
 * case test_and_set_bits: ok 6
 * case exchange_behind_a_plain_write: ok 4
 * case exchange_shows_a_plain_write: bug data-race at assert(seen == 1 || seen == 0)
 * case test_and_set_of_what_is_kept: bug await-stuck
 * case misses_its_turn: bug await-stuck
 * case misses_the_last_of_many: bug await-stuck at memory_order_acquire) < 3
 * case nobody_is_next: bug await-stuck at bug: next
 * case wrong_behind_the_wait: bug assertion at assert(atomic_load_explicit(&flag[0
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int ticket, serving, flag[2], turn;
static int order, next[4] = { 1, 2, 3, 0 }, seen;

static void *take_turn(void *arg)
{
	int mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);

	while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
		;
	order = order * 4 + mine;
	atomic_store_explicit(&serving, mine + 1, memory_order_release);
	return arg;
}

static void in_turn(void)
{
	THREADS(4, take_turn);
	assert(order == (1 * 4 + 2) * 4 + 3);
}

/* The thread looks at plain memory before it knows what to do with a value. */
static void *follow(void *arg)
{
	int mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);

	while (next[atomic_load_explicit(&serving, memory_order_acquire)] != mine)
		;
	order++;
	atomic_store_explicit(&serving, mine, memory_order_release);
	return arg;
}

static void what_another_place_says(void)
{
	atomic_store_explicit(&serving, 3, memory_order_relaxed);
	THREADS(3, follow);
	assert(order == 3);
}

/* Exchanges of the order that programs have if they name none: each releases what it stored again. */
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void *add_one(void *arg)
{
	while (atomic_flag_test_and_set(&taken))
		;
	order++;
	atomic_flag_clear(&taken);
	return arg;
}

static void test_and_set(void)
{
	THREADS(3, add_one);
	assert(order == 3);
}

static atomic_uint bits = 4;

static void *add_one_by_bits(void *arg)
{
	while (atomic_fetch_or(&bits, 1) & 1)
		;
	order++;
	atomic_fetch_and(&bits, ~1u);
	return arg;
}

static void test_and_set_bits(void)
{
	THREADS(3, add_one_by_bits);
	assert(order == 3 && bits == 4);
}

/* Each round writes the same; what is in between may be seen by who takes the lock next. */
static int notes[2];

static void *write_and_take(void *arg)
{
	int *note = &notes[(long)arg];

	do {
		*note = 1;
	} while (flag[0] == 0 && atomic_exchange(&turn, 1));
	if (atomic_exchange(&flag[0], 1) == 0)
		assert(*note == 1);
	atomic_store(&turn, 0);
	return arg;
}

static void exchange_behind_a_plain_write(void)
{
	THREADS(2, write_and_take);
}

static void *write_and_wait(void *arg)
{
	do {
		seen = 1;
	} while (atomic_exchange(&turn, 1));
	return arg;
}

static void *look_at_it(void *arg)
{
	if (atomic_exchange(&turn, 1))
		assert(seen == 1 || seen == 0);
	atomic_store(&turn, 0);
	return arg;
}

static void exchange_shows_a_plain_write(void)
{
	pthread_t t[2];

	turn = 1;
	assert(pthread_create(&t[0], NULL, write_and_wait, NULL) == 0);
	assert(pthread_create(&t[1], NULL, look_at_it, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

static void *take_and_keep(void *arg)
{
	while (atomic_flag_test_and_set(&taken)) /* bug: test_and_set_of_what_is_kept */
		;
	return arg;
}

static void test_and_set_of_what_is_kept(void)
{
	THREADS(2, take_and_keep);
}

static void *count_up(void *arg)
{
	for (int i = 1; i <= 100; i++)
		atomic_store_explicit(&serving, i, memory_order_release);
	return arg;
}

static void more_values_than_are_told_apart(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, count_up, NULL) == 0);
	while (atomic_load_explicit(&serving, memory_order_acquire) != 100)
		;
	assert(pthread_join(t, NULL) == 0);
}

static void *peterson(void *arg)
{
	long me = (long)arg;

	atomic_store(&flag[me], 1);
	atomic_store(&turn, (int)(1 - me));
	while (atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me)
		;
	order++;
	atomic_store(&flag[me], 0);
	return arg;
}

static void two_places_at_once(void)
{
	THREADS(2, peterson);
	assert(order == 2);
}

static void *set(void *arg)
{
	atomic_store_explicit(&flag[1], 1, memory_order_relaxed);
	atomic_store_explicit(&flag[0], 1, memory_order_release);
	return arg;
}

/* The rounds are not all the same to the thread: the first one's value is used later. */
static void remembers_what_it_saw(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set, NULL) == 0);
	seen = atomic_load_explicit(&flag[1], memory_order_relaxed);
	while (!atomic_load_explicit(&flag[0], memory_order_acquire))
		;
	assert(atomic_load_explicit(&flag[1], memory_order_relaxed) == 1 &&
	       (seen == 0 || seen == 1));
	assert(pthread_join(t, NULL) == 0);
}

static int published;

static void *publish(void *arg)
{
	for (int i = 1; i <= 3; i++)
		atomic_store_explicit(&flag[1], i, memory_order_relaxed);
	if (arg)
		*(int *)arg = 1;
	published = 1;
	atomic_store_explicit(&serving, 1, memory_order_release);
	(void)atomic_load_explicit(&turn, memory_order_relaxed);
	return arg;
}

/* What the value means stands in memory that comes with it, and is not there before. */
static void *read_published(void *arg)
{
	atomic_store_explicit(&flag[0], atomic_load_explicit(&flag[1], memory_order_relaxed),
			      memory_order_relaxed);
	while (!(atomic_load_explicit(&serving, memory_order_acquire) && published))
		;
	atomic_store_explicit(&turn, 1, memory_order_relaxed);
	return arg;
}

static void goes_by_plain_memory(void)
{
	pthread_t reader, writer;

	assert(pthread_create(&reader, NULL, read_published, NULL) == 0);
	assert(pthread_create(&writer, NULL, publish, NULL) == 0);
	assert(pthread_join(reader, NULL) == 0 && pthread_join(writer, NULL) == 0);
}

static void goes_by_its_own_stack(void)
{
	int mine = 0;
	pthread_t t;

	assert(pthread_create(&t, NULL, publish, &mine) == 0);
	while (!(atomic_load_explicit(&serving, memory_order_acquire) && mine))
		;
	atomic_store_explicit(&turn, 1, memory_order_relaxed);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_for_one(void *arg)
{
	while (atomic_load_explicit(&serving, memory_order_acquire) != 1) /* bug: misses_its_turn */
		;
	return arg;
}

/* Whoever looks too late waits for ever. */
static void misses_its_turn(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_for_one, NULL) == 0);
	atomic_store_explicit(&serving, 1, memory_order_release);
	atomic_store_explicit(&serving, 2, memory_order_release);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_and_go_on(void *arg)
{
	while (atomic_load_explicit(&serving, memory_order_acquire) < 3)
		;
	atomic_store_explicit(&serving, 0, memory_order_release);
	return arg;
}

/* The first that gets through shuts the door. */
static void misses_the_last_of_many(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, wait_and_go_on, NULL) == 0);
	for (int i = 1; i <= 3; i++)
		atomic_store_explicit(&serving, i, memory_order_release);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *skip_turn(void *arg)
{
	int mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);

	while (atomic_load_explicit(&serving, memory_order_acquire) != mine) /* bug: next */
		;
	if (mine != 1)
		atomic_store_explicit(&serving, mine + 1, memory_order_release);
	return arg;
}

static void nobody_is_next(void)
{
	THREADS(3, skip_turn);
}

/* Only whoever waits until the second one has passed can see both. */
static void *wait_for_two(void *arg)
{
	while (atomic_load_explicit(&serving, memory_order_acquire) < 2)
		;
	assert(atomic_load_explicit(&flag[0], memory_order_relaxed) == 0);
	return arg;
}

static void wrong_behind_the_wait(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_for_two, NULL) == 0);
	atomic_store_explicit(&serving, 2, memory_order_release);
	atomic_store_explicit(&flag[0], 1, memory_order_relaxed);
	atomic_store_explicit(&serving, 3, memory_order_release);
	assert(pthread_join(t, NULL) == 0);
}

CASES(CASE(in_turn), CASE(what_another_place_says), CASE(more_values_than_are_told_apart),
      CASE(two_places_at_once), CASE(remembers_what_it_saw), CASE(goes_by_plain_memory),
      CASE(goes_by_its_own_stack), CASE(test_and_set), CASE(test_and_set_bits),
      CASE(exchange_behind_a_plain_write), CASE(exchange_shows_a_plain_write),
      CASE(test_and_set_of_what_is_kept), CASE(misses_its_turn), CASE(misses_the_last_of_many),
      CASE(nobody_is_next), CASE(wrong_behind_the_wait))
