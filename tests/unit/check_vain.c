/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_vain.c - who waits for an object, and is not asked again (engine/online/vain.h)
 */
#include <check.h>

#include "engine/online/vain.h"
#include "suite.h"

enum {
	HERE = 3, /* locations */
	THERE = 4
};

static struct vain v;

static const struct op lock = { .kind = OP_LOCK };

static void setup(void)
{
	vain_begin(&v);
}

static bool waits(uint32_t tid)
{
	return thread_set_has(&v.now, tid);
}

START_TEST(until_its_object_changes)
{
	vain_asked(&v, 1, HERE, &lock, false);
	vain_asked(&v, 2, THERE, &lock, false);
	ck_assert(waits(1) && waits(2) && !waits(3));
	vain_changes(&v, THERE);
	ck_assert(waits(1) && !waits(2));
	vain_changes(&v, HERE);
	ck_assert(!waits(1));
}
END_TEST

START_TEST(one_of_a_crowd_is_asked_for_all)
{
	for (uint32_t t = 1; t <= 200; t++)
		vain_asked(&v, t, HERE, &lock, true);
	vain_changes(&v, HERE);
	ck_assert(!thread_set_any(&v.now));
	vain_asked(&v, 77, HERE, &lock, true);
	for (uint32_t t = 1; t <= 200; t++)
		ck_assert(waits(t));
	ck_assert(!waits(201));
	vain_changes(&v, THERE);
	ck_assert_uint_eq(thread_set_count(&v.now), 200);
}
END_TEST

START_TEST(who_goes_on_is_of_no_crowd)
{
	for (uint32_t t = 1; t <= 3; t++)
		vain_asked(&v, t, HERE, &lock, true);
	vain_comes(&v, 2);
	ck_assert(waits(1) && !waits(2));
	vain_changes(&v, HERE);
	vain_asked(&v, 1, HERE, &lock, true);
	ck_assert(waits(1) && !waits(2) && waits(3));
	vain_asked(&v, 2, THERE, &lock, true);
	vain_changes(&v, THERE);
	ck_assert(waits(1) && !waits(2) && waits(3));
}
END_TEST

/* What each of these comes with is something else, or it is elsewhere. */
static const struct {
	uint32_t loc;
	struct op op;
} others[] = {
	{ THERE, { .kind = OP_WRLOCK, .fn = 1, .arg = { 1, 0 }, .expected = { 2, 0 } } },
	{ HERE, { .kind = OP_RDLOCK, .fn = 1, .arg = { 1, 0 }, .expected = { 2, 0 } } },
	{ HERE, { .kind = OP_WRLOCK, .fn = 0, .arg = { 1, 0 }, .expected = { 2, 0 } } },
	{ HERE, { .kind = OP_WRLOCK, .fn = 1, .arg = { 0, 0 }, .expected = { 2, 0 } } },
	{ HERE, { .kind = OP_WRLOCK, .fn = 1, .arg = { 1, 0 }, .expected = { 0, 2 } } },
};

START_TEST(others_are_not_of_it)
{
	const struct op op = { .kind = OP_WRLOCK, .fn = 1, .arg = { 1, 0 }, .expected = { 2, 0 } };

	vain_asked(&v, 1, HERE, &op, true);
	vain_asked(&v, 2, others[_i].loc, &others[_i].op, true);
	vain_changes(&v, HERE);
	vain_changes(&v, THERE);
	vain_asked(&v, 1, HERE, &op, true);
	ck_assert(waits(1) && !waits(2));
}
END_TEST

/* There is no room for all: those that find none are asked one by one. */
START_TEST(many_crowds)
{
	const uint32_t n = 3 * CROWDS;

	for (uint32_t t = 0; t < n; t++)
		vain_asked(&v, t, t / 2, &lock, true);
	ck_assert_uint_eq(thread_set_count(&v.now), n);
	for (uint32_t t = 0; t < n; t++) {
		vain_changes(&v, t / 2);
		ck_assert(!waits(t));
		vain_asked(&v, t, t / 2, &lock, true);
		ck_assert(waits(t));
	}
	for (uint32_t t = 0; t < n; t++)
		vain_comes(&v, t);
	ck_assert(!thread_set_any(&v.now));
}
END_TEST

START_TEST(an_execution_begins)
{
	vain_asked(&v, 1, HERE, &lock, true);
	vain_begin(&v);
	ck_assert(!waits(1));
	vain_asked(&v, 2, HERE, &lock, true);
	ck_assert(!waits(1) && waits(2));
	vain_asked(&v, 1, THERE, &lock, true);
	ck_assert(waits(1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vain");
	TCase *tc = tcase_create("crowds");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, until_its_object_changes);
	tcase_add_test(tc, one_of_a_crowd_is_asked_for_all);
	tcase_add_test(tc, who_goes_on_is_of_no_crowd);
	tcase_add_loop_test(tc, others_are_not_of_it, 0, sizeof(others) / sizeof(others[0]));
	tcase_add_test(tc, many_crowds);
	tcase_add_test(tc, an_execution_begins);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
