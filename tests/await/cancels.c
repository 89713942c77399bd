/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds whose read-modify-writes cancel out are left out, and nothing is lost by that
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case a_writer_and_a_reader: ok 2
 * case a_writer_and_a_reader -e value: ok 2
 * case a_writer_and_a_reader -m sc: ok 2
 * case a_writer_and_a_reader -m tso: ok 2
 * case a_writer_and_a_reader -m sra: ok 2
 * case a_writer_and_a_reader -m ra -e mo: ok 2
 * case a_writer_and_a_reader -j 2 --backend=fork: ok 2
 * case two_writers_and_a_reader: ok 6
 * case two_writers_and_a_reader -m tso -j 2: ok 6
 * case a_writer_and_two_readers: ok 14
 * case a_writer_and_two_readers -m rc20: ok 14
 * case two_writers_and_two_readers: ok 48
 * case free_by_a_function: ok 2
 * case three_take_turns: ok 6
 * case looks_first: ok 6
 * case flips: ok 2
 * case looks_when_all_is_over: ok 2
 * case by_a_pointer: ok 2
 * case for_ever: bug await-stuck
 * case for_ever -m sc -j 2: bug await-stuck
 * case for_ever -m ra: bug await-stuck
 * case for_ever_behind_others: bug await-stuck at bug: waits_for_nine
 * case one_keeps_in_mind: bug assertion
 * case one_keeps_in_mind -m rc20: bug assertion
 * case one_takes_it_back: bug assertion
 * case one_looks_sometimes: bug assertion
 * case one_returns_it: bug assertion
 * case one_sets_a_bit: bug assertion
 * case both_back_off: bug assertion
 * case both_back_off -m tso: bug assertion
 * case is_looked_at --unroll=8: bug assertion
 * case is_looked_at_late --unroll=8: bug assertion
 * case is_looked_at_late -m rc20 --unroll=8: bug assertion
 * case counts_its_rounds: bug assertion
 * case tells_of_its_rounds --unroll=8: bug assertion
 * case sets_a_key: bug assertion
 * case changes_something_else --unroll=8: bug assertion
 * case adds_up --unroll=8: bug assertion
 * case adds_up_behind_another --unroll=8: bug assertion at bug: adds_up
 * case reads_in_a_round -m sc: bug data-race at data = 1
 * case reads_in_a_round --unroll=8: bug data-race at data = 1
 * case code_that_is_not_told: bug assertion
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release

static atomic_int x, y;
static int data, seen;
static bool passed;

/* ---- Locks --------------------------------------------------------------------------------------- */

enum {
	ALL = 0x1000
};

static atomic_int room = ALL;

/* As in Linux, without a look in between: what a thread takes in vain it gives back unordered. */
static void take(int n, int least)
{
	while (atomic_fetch_sub_explicit(&room, n, ACQ) < least)
		atomic_fetch_add_explicit(&room, n, RLX);
}

static void *reads(void *arg)
{
	take(1, 1);
	assert(data <= 2);
	atomic_fetch_add_explicit(&room, 1, REL);
	return arg;
}

static void *writes(void *arg)
{
	take(ALL, ALL);
	data++;
	atomic_fetch_add_explicit(&room, ALL, REL);
	return arg;
}

/* Who comes first. That the second one was at the lock before it was free is seen by nobody: what frees it looks at nothing. */
static void a_writer_and_a_reader(void)
{
	RUN(reads, writes);
	assert(data == 1);
}

static void two_writers_and_a_reader(void)
{
	RUN(reads, writes, writes);
	assert(data == 2);
}

static void two_writers_and_two_readers(void)
{
	RUN(reads, writes, writes, reads);
	assert(data == 2);
}

static void a_writer_and_two_readers(void)
{
	RUN(reads, reads, writes);
	assert(data == 1);
}

__attribute__((noinline)) static void give(int n)
{
	atomic_fetch_add_explicit(&room, n, REL);
}

static void *reads_and_gives(void *arg)
{
	take(1, 1);
	assert(data <= 1);
	give(1);
	return arg;
}

static void *writes_and_gives(void *arg)
{
	take(ALL, ALL);
	data++;
	give(ALL);
	return arg;
}

/* What the function leaves in the register of results is none. */
static void free_by_a_function(void)
{
	RUN(reads_and_gives, writes_and_gives);
}

/* Nothing is relaxed, so a look that comes before or behind all of it is welcome. */
static void *takes_turns(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 0)
		atomic_fetch_sub(&x, 1);
	data++;
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void three_take_turns(void)
{
	THREADS(3, takes_turns);
	assert(data == 3);
}

static void looks_when_all_is_over(void)
{
	THREADS(2, takes_turns);
	assert(atomic_load(&x) == 0);
}

static atomic_int *volatile there;

static void *takes_turns_there(void *arg)
{
	while (atomic_fetch_add(there, 1) != 0)
		atomic_fetch_sub(there, 1);
	data++;
	atomic_fetch_sub(there, 1);
	return arg;
}

/* To read it is no change. */
static void by_a_pointer(void)
{
	there = &x;
	THREADS(2, takes_turns_there);
	assert(data == 2);
}

/* The first one stands at a place of its own. */
static void *looks_at_two_places(void *arg)
{
	int had = atomic_fetch_add(&x, 1);

	while (had) {
		atomic_fetch_sub(&x, 1);
		had = atomic_fetch_add(&x, 1);
	}
	data++;
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void looks_first(void)
{
	THREADS(2, looks_at_two_places);
	assert(data == 2);
}

static void *flip(void *arg)
{
	while (atomic_fetch_xor(&x, 4) & 1)
		atomic_fetch_xor(&x, 4);
	return arg;
}

static void *unset(void *arg)
{
	atomic_fetch_and(&x, ~1);
	return arg;
}

static void flips(void)
{
	atomic_init(&x, 1);
	RUN(flip, unset);
}

/* ---- For ever ------------------------------------------------------------------------------------ */

static void *nothing(void *arg)
{
	for (;;) {
		atomic_fetch_add(&x, 1); /* bug: for_ever */
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void for_ever(void)
{
	THREADS(1, nothing);
}

static void *waits_for_nine(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 9) /* bug: waits_for_nine */
		atomic_fetch_sub(&x, 1);
	return arg;
}

static void *adds_one(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

static void for_ever_behind_others(void)
{
	RUN(adds_one, waits_for_nine, adds_one);
}

/* ---- Who sees the middle of a round --------------------------------------------------------------- */

static void *goes_by(void *arg)
{
	while (atomic_fetch_add_explicit(&x, 1, ACQ) & 15)
		atomic_fetch_sub_explicit(&x, 1, RLX);
	passed = true;
	return arg;
}

static void *frees_unordered(void *arg)
{
	atomic_fetch_sub_explicit(&x, 1, RLX);
	return arg;
}

static void *frees(void *arg)
{
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void *keeps_in_mind(void *arg)
{
	seen = atomic_fetch_add_explicit(&x, 16, RLX);
	return arg;
}

/* It finds 2 only while the first one is in a round in vain. */
static void one_keeps_in_mind(void)
{
	atomic_init(&x, 1);
	RUN(goes_by, frees_unordered, keeps_in_mind);
	assert(!(passed && seen == 2)); /* bug: one_keeps_in_mind */
}

static void *keeps_in_mind_sometimes(void *arg)
{
	int had = atomic_fetch_add_explicit(&x, 16, RLX);

	if (atomic_load_explicit(&y, RLX))
		seen = had;
	return arg;
}

static void one_looks_sometimes(void)
{
	atomic_init(&x, 1);
	atomic_init(&y, 1);
	RUN(goes_by, frees_unordered, keeps_in_mind_sometimes);
	assert(!(passed && seen == 2)); /* bug: one_looks_sometimes */
}

__attribute__((noinline)) static int adds_sixteen(void)
{
	return atomic_fetch_add_explicit(&x, 16, RLX);
}

static void *is_told(void *arg)
{
	seen = adds_sixteen();
	return arg;
}

static void one_returns_it(void)
{
	atomic_init(&x, 1);
	RUN(goes_by, frees_unordered, is_told);
	assert(!(passed && seen == 2)); /* bug: one_returns_it */
}

static void *takes_eight(void *arg)
{
	while (atomic_fetch_add(&x, 1) & 8)
		atomic_fetch_sub(&x, 1);
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void *sets_a_bit(void *arg)
{
	atomic_fetch_or(&x, 1);
	atomic_fetch_sub(&x, 8);
	return arg;
}

/* Nobody looks at what it found, but in a round the bit is set already, and taken away with it. */
static void one_sets_a_bit(void)
{
	atomic_init(&x, 8);
	RUN(takes_eight, sets_a_bit);
	assert(x == 1); /* bug: one_sets_a_bit */
}

static int seen_again, seen_last;

static void *takes_it_back(void *arg)
{
	seen = atomic_fetch_add_explicit(&x, 16, RLX);
	seen_again = atomic_fetch_sub_explicit(&x, 16, RLX);
	seen_last = atomic_fetch_sub_explicit(&x, 1, RLX);
	return arg;
}

/* With what it does the round cancels out, but it has seen that round, from its begin to its end. */
static void one_takes_it_back(void)
{
	atomic_init(&x, 1);
	RUN(goes_by, takes_it_back);
	if (passed && seen == 2 && seen_again == 18)
		assert(seen_last != 1); /* bug: one_takes_it_back */
}

static int seen_by[2];

/* Tries but once. */
static void *tries(void *arg)
{
	seen_by[(long)arg] = atomic_fetch_add(&x, 1);
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void *holds(void *arg)
{
	while (atomic_fetch_add(&x, 1))
		atomic_fetch_sub(&x, 1);
	atomic_fetch_sub(&x, 1);
	return arg;
}

/* Two try, and both find the third one in a round in vain, which only one of them is the reason for. */
static void both_back_off(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		assert(pthread_create(&t[i], NULL, i < 2 ? tries : holds, (void *)i) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(seen_by[0] + seen_by[1] < 3); /* bug: both_back_off */
}

static void *looks(void *arg)
{
	seen = atomic_load(&x);
	seen_last = atomic_fetch_sub(&x, 1);
	return arg;
}

static void is_looked_at(void)
{
	atomic_init(&x, 1);
	RUN(takes_turns, looks);
	assert(!(data == 1 && seen == 2 && seen_last == 1)); /* bug: is_looked_at */
}

static void *goes_by_and_tells(void *arg)
{
	goes_by(arg);
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

/* It looks when the rounds are long over, and does not know that they are. */
static void *looks_late(void *arg)
{
	if (atomic_load_explicit(&y, RLX))
		seen = atomic_load_explicit(&x, RLX);
	return arg;
}

static void is_looked_at_late(void)
{
	atomic_init(&x, 1);
	RUN(goes_by_and_tells, frees_unordered, looks_late);
	assert(seen != 2); /* bug: is_looked_at_late */
}

/* ---- What else a round may do ---------------------------------------------------------------------- */

static void *counts(void *arg)
{
	for (int n = 0; atomic_fetch_add(&x, 1) != 0; n++) {
		assert(n < 5); /* bug: counts_its_rounds */
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void counts_its_rounds(void)
{
	atomic_init(&x, 1);
	RUN(counts, frees);
}

static int rounds;

static void *tells(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 0) {
		rounds++;
		atomic_fetch_sub(&x, 1);
	}
	assert(rounds < 3); /* bug: tells_of_its_rounds */
	return arg;
}

static void tells_of_its_rounds(void)
{
	atomic_init(&x, 1);
	RUN(tells, frees);
}

static pthread_key_t key;

static void *sets(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 0) {
		long n = (long)pthread_getspecific(key);

		assert(n < 5); /* bug: sets_a_key */
		pthread_setspecific(key, (void *)(n + 1));
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void sets_a_key(void)
{
	pthread_key_create(&key, NULL);
	atomic_init(&x, 1);
	RUN(sets, frees);
}

static void *changes(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 0) {
		atomic_fetch_add(&y, 1);
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void changes_something_else(void)
{
	atomic_init(&x, 1);
	RUN(changes, frees);
	assert(atomic_load(&y) < 3); /* bug: changes_something_else */
}

/* Less is given back than was taken. */
static void *adds(void *arg)
{
	int had;

	while ((had = atomic_fetch_add(&x, 2)) < 4)
		atomic_fetch_sub(&x, 1);
	assert(had != 4); /* bug: adds_up */
	return arg;
}

static void adds_up(void)
{
	THREADS(1, adds);
}

/* What came before may stay, and changes nothing of that. */
static void adds_up_behind_another(void)
{
	THREADS(1, adds_one);
	THREADS(1, adds);
}

static void *reads_data(void *arg)
{
	while (atomic_fetch_add_explicit(&x, 1, RLX) != 0) {
		if (data == 2)
			break;
		atomic_fetch_sub_explicit(&x, 1, RLX);
	}
	return arg;
}

static void *writes_data(void *arg)
{
	atomic_fetch_sub_explicit(&x, 1, RLX);
	data = 1;
	return arg;
}

static void reads_in_a_round(void)
{
	atomic_init(&x, 1);
	RUN(reads_data, writes_data);
}

static int untold;

__attribute__((noinline, no_sanitize("thread"))) static int counts_unseen(void)
{
	return ++untold;
}

static void *counts_what_is_not_told(void *arg)
{
	while (atomic_fetch_add(&x, 1) != 0) {
		assert(counts_unseen() < 5); /* bug: code_that_is_not_told */
		atomic_fetch_sub(&x, 1);
	}
	return arg;
}

static void code_that_is_not_told(void)
{
	atomic_init(&x, 1);
	RUN(counts_what_is_not_told, frees);
}

CASES(CASE(a_writer_and_a_reader), CASE(two_writers_and_a_reader), CASE(a_writer_and_two_readers),
      CASE(two_writers_and_two_readers), CASE(free_by_a_function), CASE(one_looks_sometimes),
      CASE(one_returns_it), CASE(one_sets_a_bit), CASE(adds_up_behind_another),
      CASE(three_take_turns), CASE(looks_first), CASE(flips), CASE(looks_when_all_is_over),
      CASE(by_a_pointer), CASE(for_ever), CASE(for_ever_behind_others), CASE(one_keeps_in_mind),
      CASE(one_takes_it_back), CASE(both_back_off), CASE(is_looked_at), CASE(is_looked_at_late),
      CASE(counts_its_rounds), CASE(tells_of_its_rounds), CASE(sets_a_key),
      CASE(changes_something_else), CASE(adds_up), CASE(reads_in_a_round),
      CASE(code_that_is_not_told))
