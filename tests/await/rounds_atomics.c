/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_atomics.c - races of what only rounds do, which the redundant-round rule leaves out, with atomic accesses
 *
 * A thread waits for x, accesses plainly in rounds in vain what another one accesses atomically, and tells that, by a relaxed
 * store, that it went on. (preload/await/rounds.c)
 *
 * case stored_behind: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind --no-memo: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind -m relaxed: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind -m rc20: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind -j 2: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind --backend=fork: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind_a_value: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind_a_value -j 2: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind_by_who_comes_first: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind_where_it_had_been_read: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case stored_behind_either_way: bug data-race at atomic_store_explicit(&here.shared, 1, RLX);
 * case read_behind_a_write: bug data-race at sink = 1 + atomic_load_explicit(&here.shared, RLX);
 * case second_half_behind: bug data-race at atomic_store_explicit(&wide[1], 1, RLX);
 * case value_of_a_round_behind --plain=explore: bug assertion at assert(value == 0);
 * case value_of_a_round_behind --plain=explore --no-memo: bug assertion at assert(value == 0);
 * case value_of_a_round_behind --plain=explore -m relaxed: bug assertion at assert(value == 0);
 * case value_of_a_round_behind --plain=explore -m rc20: bug assertion at assert(value == 0);
 * case value_of_a_round_behind --plain=explore -j 2: bug assertion at assert(value == 0);
 * case value_of_a_round_behind --plain=explore -e mo: bug assertion at assert(value == 0);
 * case stored_behind --plain=explore: ok 2
 * case stored_beside: ok 2
 * case stored_beside --plain=explore: ok 2
 * case stored_beside -m sc: ok 2
 * case nobody_reads_in_a_round: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int x, y, passed;
static struct {
	atomic_int shared, beside;
} here;
static _Atomic(long) wide[2];
static volatile int sink;
static volatile size_t all =
	sizeof(wide); /* compilers make two accesses of a copy whose size they know */

static void run(int n, void *(*const *fn)(void *))
{
	pthread_t t[4];

	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n && n < 4; i++) /* else one may wait for ever */
		assert(pthread_join(t[i], NULL) == 0);
}

static void *set_x(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *set_x_to_two(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *stores_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		atomic_store_explicit(&here.shared, 1, RLX);
	return arg;
}

static void *reads_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		sink = *(int *)&here.shared;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void stored_behind(void)
{
	run(3, (void *(*const[])(void *)){ reads_in_vain, set_x, stores_behind });
}

static void *goes_round_by_two(void *arg)
{
	int v;

	while ((v = atomic_load_explicit(&x, RLX)) != 1)
		if (v == 2)
			sink = *(int *)&here.shared;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void stored_behind_a_value(void)
{
	run(4, (void *(*const[])(void *)){ set_x_to_two, set_x, goes_round_by_two, stores_behind });
}

/* Executions in which nobody has gone round come first. */
static void stored_behind_by_who_comes_first(void)
{
	run(4, (void *(*const[])(void *)){ stores_behind, goes_round_by_two, set_x, set_x_to_two });
}

/* The first atomic access of an execution is the waiting thread's own. */
static void *looks_and_reads_in_vain(void *arg)
{
	sink = atomic_load_explicit(&here.shared, RLX);
	return reads_in_vain(arg);
}

static void stored_behind_where_it_had_been_read(void)
{
	run(3, (void *(*const[])(void *)){ looks_and_reads_in_vain, set_x, stores_behind });
}

/* The same round, by an atomic operation or plainly. */
static void *reads_either_way_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		if (atomic_load_explicit(&y, RLX))
			sink = *(int *)&here.shared;
		else
			sink = atomic_load_explicit(&here.shared, RLX);
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *set_y(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void stored_behind_either_way(void)
{
	run(4, (void *(*const[])(void *)){ reads_either_way_in_vain, set_x, set_y, stores_behind });
}

static void *writes_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX)) {
		*(int *)&here.shared = 1;
		*(int *)&here.shared = 0;
	}
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *loads_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		sink = 1 + atomic_load_explicit(&here.shared, RLX);
	return arg;
}

static void read_behind_a_write(void)
{
	run(3, (void *(*const[])(void *)){ writes_in_vain, set_x, loads_behind });
}

/* The store behind may find what only a round wrote, where that is no bug by itself. */
static void *finds_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX)) {
		int value = atomic_load_explicit(&here.shared, RLX);

		assert(value == 0);
	}
	return arg;
}

static void value_of_a_round_behind(void)
{
	run(3, (void *(*const[])(void *)){ writes_in_vain, set_x, finds_behind });
}

/* One access, to the second half of the first one and the first half of the second. */
struct __attribute__((packed)) across {
	int before;
	long both;
};

static void *reads_both_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		sink = (int)((volatile struct across *)wide)->both;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *stores_second_half_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		atomic_store_explicit(&wide[1], 1, RLX);
	return arg;
}

static void second_half_behind(void)
{
	run(3, (void *(*const[])(void *)){ reads_both_in_vain, set_x, stores_second_half_behind });
}

/* In the same eight bytes, but not what the rounds read: they go. */
static void *stores_beside(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		atomic_store_explicit(&here.beside, 1, RLX);
	return arg;
}

static void stored_beside(void)
{
	run(3, (void *(*const[])(void *)){ reads_in_vain, set_x, stores_beside });
}

/* Atomic operations of rounds race with none. */
static void *looks_at_two(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		if (atomic_load_explicit(&here.shared, RLX) == 2)
			break;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void nobody_reads_in_a_round(void)
{
	run(3, (void *(*const[])(void *)){ looks_at_two, set_x, stores_behind });
}

CASES(CASE(stored_behind), CASE(stored_behind_a_value), CASE(stored_behind_by_who_comes_first),
      CASE(stored_behind_where_it_had_been_read), CASE(stored_behind_either_way),
      CASE(read_behind_a_write), CASE(second_half_behind), CASE(value_of_a_round_behind),
      CASE(stored_beside), CASE(nobody_reads_in_a_round))
