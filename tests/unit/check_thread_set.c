/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_thread_set.c - sets of threads (base/thread_set.h), and such sets as values (engine/graph/waiting.h)
 */
#include <check.h>
#include <string.h>

#include "base/prng.h"
#include "base/table.h"
#include "base/thread_set.h"
#include "engine/graph/waiting.h"
#include "suite.h"

static struct thread_set set;
static bool has[HEDDLE_MAX_THREADS];

static void setup(void)
{
	set = (struct thread_set){ 0 };
	memset(has, 0, sizeof(has));
}

/* The set is what has[] says, whatever it is asked. */
static void must_be_right(void)
{
	uint32_t n = 0, next = HEDDLE_MAX_THREADS, walked = 0;

	for (uint32_t t = HEDDLE_MAX_THREADS; t-- > 0;) {
		ck_assert_int_eq(thread_set_has(&set, t), has[t]);
		next = has[t] ? t : next;
		n += has[t];
		ck_assert_uint_eq(thread_set_next(&set, t), next);
	}
	ck_assert_uint_eq(thread_set_count(&set), n);
	ck_assert_int_eq(thread_set_any(&set), n != 0);
	ck_assert_uint_eq(thread_set_next(&set, HEDDLE_MAX_THREADS), HEDDLE_MAX_THREADS);
	THREAD_SET_EACH(t, &set) {
		ck_assert(has[t]);
		ck_assert_uint_eq(thread_set_nth(&set, walked), t);
		ck_assert(walked || thread_set_first(&set) == t);
		walked++;
	}
	ck_assert_uint_eq(walked, n);
}

/* ---- Sets --------------------------------------------------------------------------------------------- */

START_TEST(random_sets_have_the_members_that_they_were_given)
{
	uint64_t random = 1 + (uint64_t)_i;

	for (int i = 0; i < 2000; i++) {
		uint32_t t = prng_below(&random, HEDDLE_MAX_THREADS);

		has[t] = !prng_below(&random, 2 + (uint32_t)_i);
		(has[t] ? thread_set_add : thread_set_remove)(&set, t);
		if (i % 8 == 0)
			must_be_right();
	}
}
END_TEST

START_TEST(each_thread_can_be_the_only_one)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		setup();
		has[t] = true;
		thread_set_add(&set, t);
		must_be_right();
		thread_set_remove(&set, t);
		has[t] = false;
		must_be_right();
	}
}
END_TEST

START_TEST(a_walk_may_be_left)
{
	uint32_t walked = 0;

	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t += 50)
		thread_set_add(&set, t);
	THREAD_SET_EACH(t, &set) {
		if (t == 0)
			continue;
		walked = t;
		if (t >= 100)
			break;
	}
	ck_assert_uint_eq(walked, 100);
}
END_TEST

START_TEST(what_is_subtracted_is_gone)
{
	struct thread_set other = { 0 };
	uint64_t random = 7;

	for (int i = 0; i < 300; i++) {
		uint32_t t = prng_below(&random, HEDDLE_MAX_THREADS);
		uint32_t u = prng_below(&random, HEDDLE_MAX_THREADS);

		thread_set_add(&set, t);
		has[t] = true;
		thread_set_add(&other, u);
	}
	thread_set_subtract(&set, &other);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		has[t] = has[t] && !thread_set_has(&other, t);
	must_be_right();
}
END_TEST

/* ---- As values ------------------------------------------------------------------------------------------ */

enum {
	STATES = 256
};

static char memory[1 << 20];
static struct wide_states states;

static void room_for(uint32_t n)
{
	struct arena a = { .at = memory, .end = memory + sizeof(memory) };

	ck_assert_uint_le(waiting_bytes(n), sizeof(memory));
	memset(memory, 0, sizeof(memory));
	waiting_init(&states, &a, n);
}

static void begin_states(void)
{
	room_for(STATES);
}

static struct value value_with(const uint32_t *waits, uint32_t n, const uint32_t *moved, uint32_t m)
{
	struct waiting is = { 0 };

	for (uint32_t i = 0; i < n; i++)
		thread_set_add(&is.set, waits[i]);
	for (uint32_t i = 0; i < m; i++)
		thread_set_add(&is.moved, moved[i]);
	return waiting_value(&states, &is);
}

START_TEST(few_threads_are_words)
{
	const uint32_t some[] = { 0, 5, 63 };
	struct value v = value_with(some, 3, some, 1);

	ck_assert_uint_eq(v.lo, 1 | 1 << 5 | (uint64_t)1 << 63);
	ck_assert_uint_eq(v.hi, 1);
	v = value_with(some, 0, some, 0);
	ck_assert_uint_eq(v.lo | v.hi, 0);
	ck_assert_uint_eq(states.n, 1);
}
END_TEST

START_TEST(equal_states_are_equal_values)
{
	const uint32_t some[] = { 3, 64, 200, 256 };
	struct value all = value_with(some, 4, some, 0), less = value_with(some, 3, some, 0);
	struct value moves = value_with(some, 3, some + 3, 1);

	ck_assert(value_eq(all, value_with(some, 4, some, 0)));
	ck_assert(value_eq(less, value_with(some, 3, some, 0)));
	ck_assert(!value_eq(all, less));
	ck_assert(!value_eq(less, moves));
	ck_assert_uint_eq(states.n, 4);
	ck_assert_uint_ne(all.lo, 0);
}
END_TEST

START_TEST(states_are_found_again)
{
	uint64_t random = 3;

	for (int i = 0; i < STATES / 2 - 1; i++) {
		struct waiting is = { 0 }, was;
		uint32_t n = prng_below(&random, 8);

		while (n--) {
			thread_set_add(&is.set, prng_below(&random, HEDDLE_MAX_THREADS));
			thread_set_add(&is.moved, prng_below(&random, HEDDLE_MAX_THREADS));
		}
		was = waiting_of(&states, waiting_value(&states, &is));
		ck_assert_mem_eq(&is, &was, sizeof(is));
	}
	ck_assert_uint_gt(states.n, STATES / 3);
	waiting_clear(&states);
	ck_assert_uint_eq(states.n, 1);
	for (uint64_t i = 0; i < table_slots(states.bits); i++)
		ck_assert_uint_eq(states.table[i], 0);
}
END_TEST

/* Where they share slots of the table, too. */
START_TEST(those_who_were_moved_tell_states_apart)
{
	for (uint32_t t = 100; t < 120; t++) {
		struct value seen[6];

		room_for(8);
		for (uint32_t i = 0; i < 6; i++) {
			seen[i] = value_with(&t, 1, &i, 1);
			for (uint32_t k = 0; k < i; k++)
				ck_assert(!value_eq(seen[i], seen[k]));
		}
		ck_assert_uint_eq(states.n, 7);
	}
}
END_TEST

/* Thread 200 waits; so do 10 and 70. */
START_TEST(who_waits_is_taken_out)
{
	const uint32_t waits[] = { 10, 70, 200 };
	struct guard_op op = { .kind = OP_COND_BEGIN, .tid = 200 };
	struct value v = value_with(waits, 2, waits, 0), after;

	ck_assert_int_eq(waiting_apply(&states, &op, v, &v), GUARD_WRITES);
	ck_assert(value_eq(v, value_with(waits, 3, waits, 0)));
	op = (struct guard_op){ .kind = OP_COND_SIGNAL, .tid = 0, .choice = 2 };
	ck_assert_int_eq(waiting_apply(&states, &op, v, &after), GUARD_WRITES);
	ck_assert(value_eq(after, value_with(waits, 2, waits, 0)));
	op = (struct guard_op){ .kind = OP_COND_LEAVE, .tid = 200 };
	ck_assert_int_eq(waiting_apply(&states, &op, after, NULL), GUARD_READS);
	ck_assert_int_eq(waiting_apply(&states, &op, v, NULL), GUARD_WRITES);
	op = (struct guard_op){ .kind = OP_COND_BROADCAST, .tid = 0 };
	ck_assert_int_eq(waiting_apply(&states, &op, v, &after), GUARD_WRITES);
	ck_assert_uint_eq(after.lo | after.hi, 0);
	ck_assert_int_eq(waiting_apply(&states, &op, after, &after), GUARD_READS);
	op.kind = OP_COND_SIGNAL;
	ck_assert_int_eq(waiting_apply(&states, &op, after, &after), GUARD_READS);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("thread_set");
	TCase *sets = tcase_create("sets"), *values = tcase_create("values");

	tcase_add_checked_fixture(sets, setup, NULL);
	tcase_add_loop_test(sets, random_sets_have_the_members_that_they_were_given, 0, 4);
	tcase_add_test(sets, each_thread_can_be_the_only_one);
	tcase_add_test(sets, a_walk_may_be_left);
	tcase_add_test(sets, what_is_subtracted_is_gone);
	suite_add_tcase(s, sets);
	tcase_add_checked_fixture(values, begin_states, NULL);
	tcase_add_test(values, few_threads_are_words);
	tcase_add_test(values, equal_states_are_equal_values);
	tcase_add_test(values, states_are_found_again);
	tcase_add_test(values, those_who_were_moved_tell_states_apart);
	tcase_add_test(values, who_waits_is_taken_out);
	suite_add_tcase(s, values);
	return suite_run(s);
}
