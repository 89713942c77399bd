/* SPDX-License-Identifier: BSD-2-Clause */
/* check_in_turn.c - executions in an order in which reads see the newest, as far as there is one */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "controller/show/in_turn.h"
#include "suite.h"

enum {
	STEPS = 64,
	THREADS = 4,
	LOCATIONS = 3
};

static struct step steps[STEPS];
static size_t n, order[STEPS];
static uint32_t count[THREADS];

static void setup(void)
{
	memset(steps, 0, sizeof(steps));
	memset(count, 0, sizeof(count));
	n = 0;
}

static struct engine_step_record *add(uint32_t tid, enum op_kind kind, uint64_t addr)
{
	struct engine_step_record *r = &steps[n++].record;

	r->tid = tid;
	r->index = count[tid]++;
	r->kind = (uint8_t)kind;
	r->addr = addr;
	r->size = 4;
	r->rf_tid = -2;
	return r;
}

static void store(uint32_t tid, uint64_t addr)
{
	add(tid, OP_STORE, addr)->flags = STEP_WROTE;
}

/* from: which step, or -1. */
static void load(uint32_t tid, uint64_t addr, int from)
{
	struct engine_step_record *r = add(tid, OP_LOAD, addr);

	r->flags = STEP_READ;
	r->rf_tid = from < 0 ? -1 : (int32_t)steps[from].record.tid;
	r->rf_index = from < 0 ? 0 : steps[from].record.index;
}

static void comes(const char *want)
{
	char got[4 * STEPS] = "";

	ck_assert(steps_in_turn(steps, n, order));
	for (size_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%zu", i ? " " : "",
			 order[i]);
	ck_assert_str_eq(got, want);
}

START_TEST(a_load_of_an_old_value_comes_before_the_store)
{
	store(0, 1);
	load(1, 1, -1);
	comes("1 0");
}
END_TEST

START_TEST(with_all_that_its_thread_did_before)
{
	store(0, 1);
	store(1, 2);
	load(1, 1, -1);
	comes("1 2 0");
}
END_TEST

START_TEST(what_is_in_turn_stays_so)
{
	store(0, 1);
	load(1, 1, 0);
	store(0, 1);
	load(1, 1, 2);
	comes("0 1 2 3");
}
END_TEST

START_TEST(an_old_read_that_cannot_come_earlier_stays)
{
	/* A message: the flag is seen, and what comes before it is not. */
	add(2, OP_FENCE, 0);
	store(0, 1);
	store(0, 2);
	load(1, 2, 2);
	load(1, 1, -1);
	comes("0 1 2 3 4");
}
END_TEST

START_TEST(of_two_that_exclude_each_other_one_stays)
{
	store(0, 1);
	load(0, 2, -1);
	store(1, 2);
	load(1, 1, -1);
	comes("0 1 2 3");
}
END_TEST

START_TEST(stores_and_objects_keep_their_order)
{
	add(0, OP_LOCK, 9)->flags = STEP_READ | STEP_WROTE;
	store(0, 1);
	add(0, OP_UNLOCK, 9)->flags = STEP_WROTE;
	add(1, OP_LOCK, 9)->flags = STEP_READ | STEP_WROTE;
	load(1, 1, -1);
	comes("0 1 2 3 4");
}
END_TEST

START_TEST(a_thread_begins_behind_what_created_it)
{
	store(0, 1);
	add(0, OP_CREATE, 0)->peer = 1;
	add(1, OP_START, 0);
	load(1, 1, -1);
	comes("0 1 2 3");
}
END_TEST

START_TEST(the_end_of_all_stays_the_end)
{
	store(0, 1);
	add(0, OP_EXIT, 0);
	load(1, 1, -1);
	comes("0 1 2");
}
END_TEST

/* ---- Random ones ------------------------------------------------------------------------------------ */

static int source_of[STEPS], at_last[LOCATIONS];

/* A sequentially consistent execution. */
static void make(uint64_t *random)
{
	setup();
	memset(at_last, 0xff, sizeof(at_last));
	for (int i = 0; i < 40; i++) {
		const uint32_t tid = prng_below(random, THREADS),
			       loc = prng_below(random, LOCATIONS);

		source_of[i] = at_last[loc];
		if (prng_below(random, 2)) {
			load(tid, loc + 1, at_last[loc]);
		} else {
			store(tid, loc + 1);
			at_last[loc] = i;
		}
	}
}

static bool is_before(const size_t *place, size_t a, size_t b)
{
	return place[a] < place[b];
}

/* Is it an order of the same execution? old: how many loads come behind a later write than theirs. */
static bool is_order(const size_t *by, size_t *old)
{
	size_t place[STEPS];
	bool ok = true;

	*old = 0;
	memset(place, 0xff, sizeof(place));
	for (size_t i = 0; i < n; i++)
		place[by[i]] = i;
	for (size_t i = 0; i < n; i++) {
		ok &= place[i] < n;
		for (size_t k = i + 1; k < n; k++) {
			const struct engine_step_record *a = &steps[i].record,
							*b = &steps[k].record;

			if (a->tid == b->tid ||
			    (a->addr == b->addr && a->kind == OP_STORE && b->kind == OP_STORE))
				ok &= is_before(place, i, k);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (steps[i].record.kind != OP_LOAD)
			continue;
		ok &= source_of[i] < 0 || is_before(place, (size_t)source_of[i], i);
		for (size_t k = 0; k < n; k++)
			if (steps[k].record.kind == OP_STORE &&
			    steps[k].record.addr == steps[i].record.addr && (int)k > source_of[i] &&
			    is_before(place, k, i)) {
				++*old;
				break;
			}
	}
	return ok;
}

/* Another order of the steps in which stores stay in theirs: loads come late. */
static void delay_loads(uint64_t *random)
{
	struct step by[STEPS];
	int to[STEPS], sources[STEPS];
	bool done[STEPS] = { false };
	size_t k = 0;

	while (k < n) {
		size_t pick = n;

		for (size_t i = 0; i < n; i++) {
			bool may = !done[i];

			for (size_t p = 0; p < i && may; p++)
				may = done[p] || !(steps[p].record.tid == steps[i].record.tid ||
						   (steps[p].record.addr == steps[i].record.addr &&
						    steps[p].record.kind == OP_STORE));
			if (may && (pick == n ||
				    (steps[pick].record.kind == OP_LOAD && prng_below(random, 2))))
				pick = i;
		}
		done[pick] = true;
		to[pick] = (int)k;
		by[k++] = steps[pick];
	}
	for (size_t i = 0; i < n; i++)
		sources[to[i]] = source_of[i] < 0 ? -1 : to[source_of[i]];
	memcpy(source_of, sources, sizeof(sources));
	memcpy(steps, by, n * sizeof(by[0]));
}

START_TEST(what_can_be_in_turn_is)
{
	uint64_t random = 7;
	size_t old, identity[STEPS], moved = 0;

	for (size_t i = 0; i < STEPS; i++)
		identity[i] = i;
	for (int turn = 0; turn < 2000; turn++) {
		make(&random);
		delay_loads(&random);
		ck_assert(is_order(identity, &old));
		moved += old > 0;
		ck_assert(steps_in_turn(steps, n, order));
		ck_assert_msg(is_order(order, &old), "another execution, %d", turn);
		ck_assert_msg(!old, "%zu old reads are left, %d", old, turn);
	}
	ck_assert_uint_gt(moved, 1000);
}
END_TEST

/* Reads of any older write: whatever becomes of them, it is the same execution. */
START_TEST(weak_ones_stay_themselves)
{
	uint64_t random = 3;
	size_t old;

	for (int turn = 0; turn < 2000; turn++) {
		make(&random);
		for (size_t i = 0; i < n; i++) {
			struct engine_step_record *r = &steps[i].record;

			if (r->kind != OP_LOAD || source_of[i] < 0 || prng_below(&random, 2))
				continue;
			source_of[i] = -1;
			r->rf_tid = -1;
		}
		ck_assert(steps_in_turn(steps, n, order));
		ck_assert_msg(is_order(order, &old), "another execution, %d", turn);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("in_turn");
	TCase *tc = tcase_create("steps");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_load_of_an_old_value_comes_before_the_store);
	tcase_add_test(tc, with_all_that_its_thread_did_before);
	tcase_add_test(tc, what_is_in_turn_stays_so);
	tcase_add_test(tc, an_old_read_that_cannot_come_earlier_stays);
	tcase_add_test(tc, of_two_that_exclude_each_other_one_stays);
	tcase_add_test(tc, stores_and_objects_keep_their_order);
	tcase_add_test(tc, a_thread_begins_behind_what_created_it);
	tcase_add_test(tc, the_end_of_all_stays_the_end);
	tcase_add_test(tc, what_can_be_in_turn_is);
	tcase_add_test(tc, weak_ones_stay_themselves);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
