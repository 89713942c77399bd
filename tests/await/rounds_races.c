/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_races.c - races that only rounds are in which the redundant-round rule leaves out
 *
 * A thread waits for x and tells others that it went on, by a relaxed store. What it did in a round in vain is not
 * ordered before what they do then. (preload/await/rounds.c)
 *
 * case write_in_a_round: bug data-race at sink = plain;
 * case write_in_a_round -m rc20: bug data-race at sink = plain;
 * case write_in_a_round -m relaxed: bug data-race at sink = plain;
 * case write_in_a_round -m sc: ok 2
 * case write_in_a_round -m ra: ok 2
 * case read_in_a_round: bug data-race at other = 5;
 * case read_in_a_round -j 2: bug data-race at other = 5;
 * case read_in_a_round --backend=fork: bug data-race at other = 5;
 * case last_of_all: bug data-race at other = 5;
 * case last_of_all --no-memo: bug data-race at other = 5;
 * case last_of_all -m relaxed --no-memo: bug data-race at other = 5;
 * case last_of_all -j 2: bug data-race at other = 5;
 * case last_of_all -m sc: ok 2
 * case nobody_writes: ok 2
 * case done_before_the_loop: bug data-race at other = 6;
 * case something_else_done_before: bug data-race at other = 7;
 * case released_before_the_loop: bug data-race at other = 8;
 * case fence_before_the_loop: bug data-race at other = 8;
 * case read_before_the_loop: bug data-race at sink = plain + 2;
 * case first_half_before_the_loop: bug data-race at pair.half[1] = 0;
 * case second_half_before_the_loop: bug data-race at pair.half[0] = 0;
 * case second_granule: bug data-race at wide.part[1] = 0;
 * case look_at_another: bug data-race at *(volatile int *)&flag = 1;
 * case look_in_vain: bug data-race at *(volatile int *)&flag = 0;
 * case look_in_vain -m sc: bug data-race at *(volatile int *)&flag = 0;
 * case look_that_is_about_to_be_done -k -m sra: bug data-race at *(volatile int *)&flag = -1;
 * case look_that_is_about_to_be_done -k -m sc: bug data-race at *(volatile int *)&flag = -1;
 * case look_that_is_about_to_be_done -k: bug data-race at *(volatile int *)&flag = -1;
 * case exchanges_end -k: bug data-race at both.p = 1
 * case exchanges_end -k -j 2: bug data-race at both.p = 1
 * case exchanges_end -m sc: bug data-race at both.p = 1
 * case neighbours_in_rounds: ok 2
 * case neighbours_in_rounds -m sc: ok 2
 * case neighbours_in_rounds -j 2: ok 2
 * case neighbours_in_rounds --backend=fork: ok 2
 * case looked_elsewhere_first: bug data-race at other = 9;
 * case looked_elsewhere_first -m relaxed: bug data-race at other = 9;
 * case looked_elsewhere_first -m sc: ok 4
 * case wrote_what_was_there: bug data-race at other = 9;
 * case sent_round_by_2: bug data-race at other = 10;
 * case sent_round_by_7: bug data-race at other = 10;
 * case sent_round_by_2_of_2: bug data-race at other = 10;
 * case nobody_minds_a_value: ok 14
 * case sent_round_by_a_late_value: bug data-race at other = 12;
 * case sent_round_by_a_late_value --no-memo: bug data-race at other = 12;
 * case sent_round_by_a_late_value -m relaxed: bug data-race at other = 12;
 * case sent_round_by_a_late_value -j 2: bug data-race at other = 12;
 * case sent_round_by_a_late_value --backend=fork: bug data-race at other = 12;
 * case sent_round_by_a_late_value -m sc: ok 3
 * case sent_round_from_behind: ok 2
 * case freed_while_others_look: bug use-after-free at while (!atomic_load_explicit(p, memory_order_acquire))
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "three.h"

#define RLX memory_order_relaxed

static atomic_int x, passed, flag, ready;
static int plain, other;
static volatile int sink;

static void *set_x(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *writes_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX)) {
		plain = 1;
		plain = 0;
	}
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *reads_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		sink = plain;
	return arg;
}

static void write_in_a_round(void)
{
	run(writes_in_vain, set_x, reads_behind);
}

static void *reads_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		sink = other;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *writes_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		other = 5;
	return arg;
}

static void read_in_a_round(void)
{
	run(reads_in_vain, set_x, writes_behind);
}

/* Nobody knows of the round before the last execution. */
static void last_of_all(void)
{
	run(set_x, reads_in_vain, writes_behind);
}

static void *only_looks(void *arg)
{
	volatile int seen = 0;

	if (atomic_load_explicit(&passed, RLX))
		seen = other;
	assert(seen == 0);
	return arg;
}

/* Rounds that read what nobody writes are left out, as ever. */
static void nobody_writes(void)
{
	run(reads_in_vain, set_x, only_looks);
}

static void *reads_before(void *arg)
{
	sink = other;
	return reads_in_vain(arg);
}

static void *writes_6_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		other = 6;
	return arg;
}

static void done_before_the_loop(void)
{
	run(reads_before, set_x, writes_6_behind);
}

/* A look at another place stands for the last one of the loop, but nothing behind it does what rounds do. */
static void *looks_then_reads_in_vain(void *arg)
{
	(void)atomic_load_explicit(&x, RLX);
	while (atomic_load_explicit(&x, RLX) != 1)
		sink = other;
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *looks_then_writes_in_vain(void *arg)
{
	(void)atomic_load_explicit(&x, RLX);
	while (atomic_load_explicit(&x, RLX) != 1)
		other = 0;
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *tells_and_writes_9(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	if (atomic_load_explicit(&x, RLX) == 2)
		other = 9;
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void looked_elsewhere_first(void)
{
	run(looks_then_reads_in_vain, tells_and_writes_9, nothing);
}

static void wrote_what_was_there(void)
{
	run(looks_then_writes_in_vain, tells_and_writes_9, nothing);
}

/*
 * Rounds that release, and write plainly what another thread writes behind them: such rounds stay. One of them does, and not
 * a new one for each, or there would be no end. Those that write beside it need not stay.
 */
static struct {
	volatile int p, q;
} both __attribute__((aligned(8)));

static bool beside;

static void *exchanges(void *arg)
{
	do
		both.p = 0;
	while (atomic_exchange_explicit(&x, 1, memory_order_acq_rel) != 2);
	return arg;
}

static void *tells_twice(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	if (atomic_load_explicit(&x, RLX) == 1) {
		if (beside)
			both.q = 1;
		else
			both.p = 1;
	}
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void exchanges_end(void)
{
	run(exchanges, tells_twice, nothing);
}

static void neighbours_in_rounds(void)
{
	beside = true;
	run(exchanges, tells_twice, nothing);
}

/* What it reads before the loop says nothing of what it reads in it. */
static void *reads_something_else_before(void *arg)
{
	atomic_load_explicit(&ready, RLX);
	if (plain)
		sink = 1;
	return reads_in_vain(arg);
}

static void *writes_7_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		other = 7;
	return arg;
}

static void something_else_done_before(void)
{
	run(reads_something_else_before, set_x, writes_7_behind);
}

/*
 * What it did before the loop it has released since, by an operation that stores what is there: others are
 * ordered behind that, and not behind what it does in the loop.
 */
static atomic_int token;
static bool by_fence;

static void *releases_before(void *arg)
{
	int none = 0;

	atomic_load_explicit(&ready, RLX);
	if (other)
		sink = 1;
	if (by_fence)
		atomic_thread_fence(memory_order_release);
	if (!atomic_compare_exchange_strong_explicit(&token, &none, 0,
						     by_fence ? RLX : memory_order_release, RLX))
		return arg;
	while (!atomic_load_explicit(&x, RLX))
		if (other)
			sink = 2;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *hands_token_on(void *arg)
{
	atomic_fetch_add_explicit(&token, 1, RLX);
	return set_x(arg);
}

static void *writes_8_behind(void *arg)
{
	if (atomic_load_explicit(&token, memory_order_acquire) &&
	    atomic_load_explicit(&passed, RLX))
		other = 8;
	return arg;
}

static void released_before_the_loop(void)
{
	run(releases_before, hands_token_on, writes_8_behind);
}

static void fence_before_the_loop(void)
{
	by_fence = true;
	run(releases_before, hands_token_on, writes_8_behind);
}

/* A write is more than a read, and eight bytes are more than four. */
static union {
	volatile int half[2];
	volatile long whole;
} pair;

static struct {
	volatile long part[2];
} wide;

static void *reads_before_it_writes(void *arg)
{
	atomic_load_explicit(&ready, RLX);
	if (plain)
		sink = 1;
	return writes_in_vain(arg);
}

static void *reads_plain_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		sink = plain + 2;
	return arg;
}

static void read_before_the_loop(void)
{
	run(reads_before_it_writes, set_x, reads_plain_behind);
}

static void *reads_half_before(void *arg)
{
	const int *which = arg;

	atomic_load_explicit(&ready, RLX);
	if (pair.half[*which])
		sink = 1;
	while (!atomic_load_explicit(&x, RLX))
		if (pair.whole)
			sink = 2;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *reads_first_half_before(void *arg)
{
	static const int which = 0;

	reads_half_before((void *)&which);
	return arg;
}

static void *reads_second_half_before(void *arg)
{
	static const int which = 1;

	reads_half_before((void *)&which);
	return arg;
}

static void *writes_second_half(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		pair.half[1] = 0;
	return arg;
}

static void *writes_first_half(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		pair.half[0] = 0;
	return arg;
}

static void first_half_before_the_loop(void)
{
	run(reads_first_half_before, set_x, writes_second_half);
}

static void second_half_before_the_loop(void)
{
	run(reads_second_half_before, set_x, writes_first_half);
}

static void *reads_much_in_vain(void *arg)
{
	while (!atomic_load_explicit(&x, RLX)) {
		long copy[2];

		memcpy(copy, (void *)&wide, sizeof(wide));
		if (copy[0])
			sink = 3;
	}
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *writes_second_part(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		wide.part[1] = 0;
	return arg;
}

static void second_granule(void)
{
	run(reads_much_in_vain, set_x, writes_second_part);
}

/* One of many values sends it round, and only where that is `minded` another thread accesses what the round does. */
static int minded;

static void *waits_for_100(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 100)
		sink = other;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *sets_100(void *arg)
{
	atomic_store_explicit(&x, 100, RLX);
	return arg;
}

static void *writes_if_minded(void *arg)
{
	if (atomic_load_explicit(&passed, RLX) && minded)
		other = 10;
	return arg;
}

static void one_of_values(int n, int mind)
{
	int value = heddle_choose(n) + 1;

	minded = value == mind;
	atomic_store_explicit(&x, value, RLX);
	run(waits_for_100, sets_100, writes_if_minded);
}

static void sent_round_by_2(void)
{
	one_of_values(7, 2);
}

static void sent_round_by_7(void)
{
	one_of_values(7, 7);
}

static void sent_round_by_2_of_2(void)
{
	one_of_values(2, 2);
}

static void nobody_minds_a_value(void)
{
	one_of_values(7, 0);
}

/* The round looks at a second location. */
static void *looks_at_two(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		if (atomic_load_explicit(&flag, RLX))
			break;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *writes_flag_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		*(volatile int *)&flag = 1;
	return arg;
}

static void look_at_another(void)
{
	run(looks_at_two, set_x, writes_flag_behind);
}

static __attribute__((noinline)) void await(atomic_int *p)
{
	while (!atomic_load_explicit(p, memory_order_acquire))
		;
}

/* The place in the code is known from `ready` before anybody waits for `flag`. */
static void *waits_twice(void *arg)
{
	await(&ready);
	await(&flag);
	return arg;
}

static void *set_ready(void *arg)
{
	atomic_store_explicit(&ready, 1, RLX);
	return arg;
}

/* Not the way to initialise what others look at already. */
static void *initialises(void *arg)
{
	*(volatile int *)&flag = 0;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

static void look_in_vain(void)
{
	run(waits_twice, initialises, set_ready);
}

static atomic_int *node;

static void *waits_at_node(void *arg)
{
	await(&ready);
	await(node);
	return arg;
}

static void *frees_node(void *arg)
{
	atomic_store_explicit(node, 1, RLX);
	free(node);
	return arg;
}

static void freed_while_others_look(void)
{
	node = calloc(1, sizeof(*node));
	run(waits_at_node, frees_node, set_ready);
}

static void *writes_when_ready(void *arg)
{
	while (atomic_load_explicit(&ready, RLX) != 1)
		;
	*(volatile int *)&flag = -1;
	atomic_store_explicit(&flag, 2, RLX);
	return arg;
}

static void *is_ready_for_a_while(void *arg)
{
	atomic_store_explicit(&ready, 1, RLX);
	atomic_store_explicit(&ready, 2, RLX);
	while (atomic_load_explicit(&flag, RLX) != 2)
		;
	return arg;
}

static void *waits_for_flag(void *arg)
{
	while (atomic_load_explicit(&flag, RLX) < 2)
		;
	return arg;
}

/* Executed again, the threads come to their look before the plain write, and do it behind the store. */
static void look_that_is_about_to_be_done(void)
{
	run(writes_when_ready, is_ready_for_a_while, waits_for_flag);
}

/* ---- Values that are written when all has happened --------------------------------------------------- */

static void *set_x_to_two(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *goes_round_by_two(void *arg)
{
	int v;

	while ((v = atomic_load_explicit(&x, RLX)) != 1)
		if (v == 2)
			sink = other;
	atomic_store_explicit(&passed, 1, RLX);
	return arg;
}

static void *writes_ten_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		other = 12;
	return arg;
}

/* The thread that sends the other one round comes last. */
static void sent_round_by_a_late_value(void)
{
	pthread_t t[4];

	assert(pthread_create(&t[0], NULL, goes_round_by_two, NULL) == 0);
	assert(pthread_create(&t[1], NULL, writes_ten_behind, NULL) == 0);
	assert(pthread_create(&t[2], NULL, set_x, NULL) == 0);
	assert(pthread_create(&t[3], NULL, set_x_to_two, NULL) == 0);
}

static void *writes_ten_and_two_behind(void *arg)
{
	if (atomic_load_explicit(&passed, RLX)) {
		other = 11;
		atomic_store_explicit(&x, 2, RLX);
	}
	return arg;
}

/* Nothing else sends it round, and that comes too late. */
static void sent_round_from_behind(void)
{
	run(goes_round_by_two, writes_ten_and_two_behind, set_x);
}

CASES(CASE(write_in_a_round), CASE(read_in_a_round), CASE(last_of_all), CASE(nobody_writes),
      CASE(done_before_the_loop), CASE(something_else_done_before), CASE(released_before_the_loop),
      CASE(fence_before_the_loop), CASE(read_before_the_loop), CASE(first_half_before_the_loop),
      CASE(second_half_before_the_loop), CASE(second_granule), CASE(look_at_another),
      CASE(look_in_vain), CASE(look_that_is_about_to_be_done), CASE(looked_elsewhere_first),
      CASE(wrote_what_was_there), CASE(exchanges_end), CASE(neighbours_in_rounds),
      CASE(freed_while_others_look), CASE(sent_round_by_2), CASE(sent_round_by_7),
      CASE(sent_round_by_2_of_2), CASE(nobody_minds_a_value), CASE(sent_round_by_a_late_value),
      CASE(sent_round_from_behind))
