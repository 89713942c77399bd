/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds whose read-modify-writes cancel out, with looks in between: left out where nobody minds
 *
 * also -O0: code that is not optimised leaves its intermediate results behind in memory
 *
 * case a_writer_and_a_reader: ok 2
 * case two_writers_and_a_reader: ok 6
 * case two_writers_and_a_reader -m sc: ok 6
 * case two_writers_and_a_reader -m tso -j 2: ok 6
 * case two_writers_and_a_reader -m sra: ok 6
 * case two_writers_and_a_reader -m ra -e mo: ok 6
 * case two_writers_and_a_reader -m rc20 --backend=fork: ok 6
 * case a_writer_and_two_readers: ok 14
 * case a_writer_and_two_readers -m tso: ok 14
 * case two_writers_and_two_readers: ok 48
 * case two_writers_and_two_readers -e value: ok 48
 * case looks_before_it_tries: ok 4
 * case looks_before_it_tries -m sc: ok 4
 * case again_and_again: ok 6
 * case looks_when_all_is_over: ok 6
 * case looks_at_another_bit: ok 5
 * case ends_in_time: ok 1
 * case never_free: bug await-stuck at load(&room) <= 0
 * case for_ever: bug await-stuck
 * case for_ever -m sc -j 2: bug await-stuck
 * case for_ever_and_one_waits: bug await-stuck at bug: for_ever
 * case waits_until_odd: bug assertion
 * case waits_until_odd -m sc: bug assertion
 * case waits_until_odd -m tso -j 2: bug assertion
 * case waits_until_odd_behind_its_own: bug assertion
 * case waits_until_odd_behind_its_own -m rc20: bug assertion
 * case looks_once: bug assertion
 * case looks_once -m sra: bug assertion
 * case returns_what_it_saw: bug assertion
 * case hands_on_what_it_saw: bug assertion
 * case copies_to_where_it_saw: bug assertion
 * case tries_once: bug assertion
 * case both_try_once: bug assertion
 * case exchanges: bug assertion
 * case compares: bug assertion
 * case tells_by_another: bug assertion
 * case keeps_what_it_saw: bug assertion
 * case counts_its_looks: bug assertion
 * case adds_up: bug assertion
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
/* The macro has a variable of its own, which code that is not optimised keeps in memory. */
#define load(p) __atomic_load_n((int *)(p), __ATOMIC_RELAXED)

static atomic_int x, y;
static int data, seen;
static bool passed;

/* ---- Linux's read-write lock ----------------------------------------------------------------------- */

enum {
	ALL = 0x1000
};

static atomic_int room = ALL;

static void read_lock(void)
{
	while (atomic_fetch_sub_explicit(&room, 1, ACQ) <= 0) {
		atomic_fetch_add_explicit(&room, 1, RLX);
		while (load(&room) <= 0)
			;
	}
}

static void write_lock(void)
{
	while (atomic_fetch_sub_explicit(&room, ALL, ACQ) != ALL) {
		atomic_fetch_add_explicit(&room, ALL, RLX);
		while (load(&room) != ALL)
			;
	}
}

static void *reads(void *arg)
{
	read_lock();
	assert(data <= 4);
	atomic_fetch_add_explicit(&room, 1, REL);
	return arg;
}

static void *writes(void *arg)
{
	write_lock();
	data++;
	atomic_fetch_add_explicit(&room, ALL, REL);
	return arg;
}

/* As many as there are without a round in vain: who comes first, and which of two readers is out first. */
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

static void a_writer_and_two_readers(void)
{
	RUN(reads, reads, writes);
	assert(data == 1);
}

static void two_writers_and_two_readers(void)
{
	RUN(reads, writes, writes, reads);
	assert(data == 2);
}

static void *looks_and_writes(void *arg)
{
	do {
		while (load(&room) != ALL)
			;
		if (atomic_fetch_sub_explicit(&room, ALL, ACQ) == ALL)
			break;
		atomic_fetch_add_explicit(&room, ALL, RLX);
	} while (1);
	data++;
	atomic_fetch_add_explicit(&room, ALL, REL);
	return arg;
}

/* Its first look is behind nothing that it knows of. What it reads there is its own affair. */
static void looks_before_it_tries(void)
{
	RUN(looks_and_writes, looks_and_writes);
	assert(data == 2);
}

static void *writes_twice(void *arg)
{
	writes(arg);
	return writes(arg);
}

/* What frees it is no begin of a round. */
static void again_and_again(void)
{
	RUN(writes_twice, writes_twice);
	assert(data == 4);
}

static void looks_when_all_is_over(void)
{
	RUN(writes, writes, writes);
	assert(load(&room) == ALL);
}

static void *keeps_it(void *arg)
{
	write_lock();
	return arg;
}

static void never_free(void)
{
	RUN(keeps_it, reads);
}

/* ---- Who minds ------------------------------------------------------------------------------------- */

/* Comes in when nobody has set the bit 2. */
static void *goes_by(void *arg)
{
	while (atomic_fetch_add_explicit(&x, 1, ACQ) & 2) {
		atomic_fetch_sub_explicit(&x, 1, RLX);
		while (load(&x) & 2)
			;
	}
	passed = true;
	return arg;
}

static void *frees(void *arg)
{
	atomic_fetch_sub_explicit(&x, 2, RLX);
	return arg;
}

/* To look at something else is welcome. */
static void *waits_until_free(void *arg)
{
	atomic_fetch_add_explicit(&x, 16, RLX);
	while (load(&x) & 2)
		;
	return arg;
}

static void looks_at_another_bit(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, waits_until_free);
	assert(load(&x) == 17);
}

/* It may have seen the first one in a round in vain, and come behind the end of that. */
static void *until_odd(void *arg)
{
	while (!(load(&x) & 1))
		;
	seen = atomic_fetch_add_explicit(&x, 16, RLX);
	return arg;
}

static void waits_until_odd(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, until_odd);
	assert(!(passed && seen == 2)); /* bug: waits_until_odd */
}

static void *adds_until_odd(void *arg)
{
	atomic_fetch_add_explicit(&x, 32, RLX);
	return until_odd(arg);
}

static void waits_until_odd_behind_its_own(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, adds_until_odd);
	assert(!(passed && seen == 34)); /* bug: waits_until_odd_behind_its_own */
}

static void *adds_and_looks(void *arg)
{
	atomic_fetch_add_explicit(&x, 16, RLX);
	seen = load(&x);
	return arg;
}

static void looks_once(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, adds_and_looks);
	assert(!(passed && seen == 19)); /* bug: looks_once */
}

static void *adds_and_returns(void *arg)
{
	(void)arg;
	atomic_fetch_add_explicit(&x, 16, RLX);
	return (void *)(long)load(&x);
}

static void returns_what_it_saw(void)
{
	void *(*const fn[])(void *) = { goes_by, frees, adds_and_returns };
	pthread_t t[3];
	void *result;

	atomic_init(&x, 2);
	for (int i = 0; i < 3; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], &result) == 0);
	assert(!(passed && (long)result == 19)); /* bug: returns_what_it_saw */
}

static void *is_told(void *arg)
{
	seen = (int)(long)arg;
	return arg;
}

static void *hands_on(void *arg)
{
	pthread_t t;

	atomic_fetch_add_explicit(&x, 16, RLX);
	assert(pthread_create(&t, NULL, is_told, (void *)(long)load(&x)) == 0);
	assert(pthread_join(t, NULL) == 0);
	return arg;
}

/* Only a register has it when it comes to its next operation, and none of those that are kept. */
static void hands_on_what_it_saw(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, hands_on);
	assert(!(passed && seen == 19)); /* bug: hands_on_what_it_saw */
}

static char from[40] = "from", to[2][40];

static void *copies(void *arg)
{
	size_t n = sizeof(from);

	__asm__("" : "+r"(n)); /* or there would be no call */
	atomic_fetch_add_explicit(&x, 16, RLX);
	memcpy(to[load(&x) == 19], from, n);
	return arg;
}

/* It comes to the same read, in the same state. */
static void copies_to_where_it_saw(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, copies);
	assert(!(passed && to[1][0])); /* bug: copies_to_where_it_saw */
}

/* Of what it found only this is left: somebody was there in vain. */
static void *tries(void *arg)
{
	if (atomic_fetch_add_explicit(&x, 16, RLX) == 3)
		seen = 1;
	atomic_fetch_sub_explicit(&x, 16, RLX);
	return arg;
}

static void tries_once(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, tries);
	assert(!(passed && seen)); /* bug: tries_once */
}

static void *locks(void *arg)
{
	while (atomic_fetch_add(&x, 1)) {
		atomic_fetch_sub(&x, 1);
		while (load(&x))
			;
	}
	atomic_fetch_sub(&x, 1);
	return arg;
}

static void *locks_or_fails(void *arg)
{
	if (atomic_fetch_add(&x, 1))
		atomic_fetch_add(&y, 1);
	atomic_fetch_sub(&x, 1);
	return arg;
}

/* Two try, and both find the third one in a round in vain, which only one of them is the reason for. */
static void both_try_once(void)
{
	RUN(locks_or_fails, locks, locks_or_fails);
	assert(atomic_load(&y) < 2); /* bug: both_try_once */
}

static void *sets_it_to_nine(void *arg)
{
	atomic_exchange_explicit(&x, 9, RLX);
	return arg;
}

/* What it finds is lost, with what the first one has added and will take back. */
static void exchanges(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, sets_it_to_nine);
	assert(load(&x) != 9); /* bug: exchanges */
}

static void *compares_once(void *arg)
{
	int two = 2;

	if (!atomic_compare_exchange_strong(&x, &two, 34))
		seen = two;
	return arg;
}

static void compares(void)
{
	atomic_init(&x, 2);
	RUN(goes_by, frees, compares_once);
	assert(!(passed && seen == 3)); /* bug: compares */
}

static void *goes_by_and_tells(void *arg)
{
	goes_by(arg);
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void *looks_late(void *arg)
{
	atomic_fetch_add_explicit(&x, 16, RLX);
	if (atomic_load_explicit(&y, RLX))
		seen = load(&x);
	return arg;
}

/* It knows that the rounds are over, and may still read the middle of one. */
static void tells_by_another(void)
{
	atomic_init(&x, 2);
	RUN(goes_by_and_tells, frees, looks_late);
	assert(seen != 19); /* bug: tells_by_another */
}

/* ---- Rounds that do something ----------------------------------------------------------------------- */

static void *keeps(void *arg)
{
	int last = 0;

	while (atomic_fetch_add_explicit(&x, 1, ACQ) & 2) {
		atomic_fetch_sub_explicit(&x, 1, RLX);
		while ((last = load(&x)) & 2)
			;
	}
	seen = last;
	return arg;
}

static void *adds_sixteen(void *arg)
{
	atomic_fetch_add_explicit(&x, 16, RLX);
	return arg;
}

static void keeps_what_it_saw(void)
{
	atomic_init(&x, 2);
	RUN(keeps, frees, adds_sixteen);
	assert(seen != 16); /* bug: keeps_what_it_saw */
}

static void *counts(void *arg)
{
	int n = 0;

	while (atomic_fetch_add_explicit(&x, 1, ACQ) & 2) {
		atomic_fetch_sub_explicit(&x, 1, RLX);
		load(&x);
		n++;
		assert(n < 3); /* bug: counts_its_looks */
	}
	return arg;
}

static void counts_its_looks(void)
{
	atomic_init(&x, 2);
	RUN(counts, frees);
}

/* Less is given back than was taken. */
static void *adds(void *arg)
{
	int had;

	while ((had = atomic_fetch_add(&x, 2)) < 4) {
		atomic_fetch_sub(&x, 1);
		load(&x);
	}
	assert(had != 4); /* bug: adds_up */
	return arg;
}

static void *glances(void *arg)
{
	load(&x);
	return arg;
}

static void adds_up(void)
{
	RUN(glances, adds);
}

/* ---- For ever ---------------------------------------------------------------------------------------- */

static void *waits_for_nine(void *arg)
{
	while (atomic_fetch_add_explicit(&x, 1, RLX) != 9) { /* bug: for_ever */
		atomic_fetch_sub_explicit(&x, 1, RLX);
		while (load(&x) == 3)
			;
	}
	return arg;
}

static void *adds_one(void *arg)
{
	atomic_fetch_add_explicit(&x, 1, RLX);
	return arg;
}

static void for_ever(void)
{
	RUN(adds_one, waits_for_nine, adds_one);
}

static void *adds_nine(void *arg)
{
	atomic_fetch_add_explicit(&x, 9, RLX);
	return arg;
}

/* What it finds in its last round is not the last word. */
static void ends_in_time(void)
{
	RUN(waits_for_nine, adds_nine);
}

static void *waits_for_ten(void *arg)
{
	atomic_fetch_add_explicit(&x, 16, RLX);
	while (load(&x) != 10)
		;
	return arg;
}

/* Whatever the second one finds while the first one goes round. */
static void for_ever_and_one_waits(void)
{
	RUN(waits_for_nine, waits_for_ten);
}

CASES(CASE(a_writer_and_a_reader), CASE(two_writers_and_a_reader), CASE(a_writer_and_two_readers),
      CASE(two_writers_and_two_readers), CASE(looks_before_it_tries), CASE(again_and_again),
      CASE(looks_when_all_is_over), CASE(looks_at_another_bit), CASE(never_free), CASE(for_ever),
      CASE(for_ever_and_one_waits), CASE(waits_until_odd), CASE(waits_until_odd_behind_its_own),
      CASE(looks_once), CASE(returns_what_it_saw), CASE(hands_on_what_it_saw),
      CASE(copies_to_where_it_saw), CASE(ends_in_time), CASE(tries_once), CASE(both_try_once),
      CASE(exchanges), CASE(compares), CASE(tells_by_another), CASE(keeps_what_it_saw),
      CASE(counts_its_looks), CASE(adds_up))
