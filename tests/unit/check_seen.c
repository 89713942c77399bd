/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_seen.c - how many different things were seen, and how many once (wire/seen.h)
 */
#include <check.h>
#include <stdlib.h>

#include "base/prng.h"
#include "suite.h"
#include "wire/seen.h"

static struct seen_set *one, *other;

static void setup(void)
{
	one = calloc(1, sizeof(*one));
	other = calloc(1, sizeof(*other));
	ck_assert(one && other);
}

static void teardown(void)
{
	free(one);
	free(other);
}

/* The i-th of all things. */
static uint64_t thing(uint64_t i)
{
	return prng_next(&i);
}

static void see(struct seen_set *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		seen_add(s, thing(i));
}

static struct seen_estimate estimate(const struct seen_set *s)
{
	struct seen_estimate e;

	seen_estimate(s, &e);
	return e;
}

/* Within three per cent: more than four standard errors. */
static bool is_near(uint64_t got, uint64_t wanted)
{
	return got > wanted - wanted / 33 && got < wanted + wanted / 33;
}

START_TEST(nothing)
{
	struct seen_estimate e = estimate(one);

	ck_assert(!e.samples && !e.different && !e.once && e.exact);
}
END_TEST

START_TEST(exact_numbers_up_to_the_bound)
{
	struct seen_estimate e;

	see(one, 0, SEEN_EXACT - 1);
	see(one, 0, 1000);
	see(one, 0, 10);
	e = estimate(one);
	ck_assert(e.exact && e.samples == SEEN_EXACT + 1009);
	ck_assert_uint_eq(e.different, SEEN_EXACT - 1);
	ck_assert_uint_eq(e.once, SEEN_EXACT - 1001);
}
END_TEST

/* Hashes that differ in a bit that the table uses for itself, or in none that it looks at first. */
START_TEST(hashes_that_are_alike)
{
	for (uint64_t i = 0; i < 1000; i++)
		seen_add(one, i << 1);
	ck_assert_uint_eq(estimate(one).different, 1000);
	seen_add(one, 0);
	ck_assert_uint_eq(estimate(one).once, 999);
}
END_TEST

START_TEST(beyond_the_bound_they_are_near)
{
	struct seen_estimate e;

	see(one, 0, 2000000);
	see(one, 0, 500000);
	e = estimate(one);
	ck_assert(!e.exact && e.samples == 2500000);
	ck_assert(is_near(e.different, 2000000) && is_near(e.once, 1500000));
	ck_assert_uint_le(one->n, SEEN_EXACT);
}
END_TEST

START_TEST(what_two_have_seen_once_each_was_seen_twice)
{
	struct seen_estimate e;

	see(one, 0, 300);
	see(other, 200, 600);
	seen_join(one, other);
	e = estimate(one);
	ck_assert(e.exact && e.samples == 700);
	ck_assert_uint_eq(e.different, 600);
	ck_assert_uint_eq(e.once, 500);
}
END_TEST

START_TEST(the_order_of_joining_does_not_matter)
{
	struct seen_set *all = calloc(1, sizeof(*all));
	struct seen_estimate a, b;

	ck_assert_ptr_nonnull(all);
	see(one, 0, 200000);
	see(other, 150000, 150100);
	seen_join(all, other);
	seen_join(all, one);
	seen_join(one, other);
	a = estimate(all);
	b = estimate(one);
	ck_assert(a.different == b.different && a.once == b.once && a.samples == b.samples);
	ck_assert(is_near(a.different, 200000));
	free(all);
}
END_TEST

START_TEST(what_is_forgotten_is_new_again)
{
	see(one, 0, 500000);
	seen_clear(one);
	ck_assert_uint_eq(estimate(one).different, 0);
	see(one, 0, SEEN_EXACT - 1);
	ck_assert_uint_eq(estimate(one).different, SEEN_EXACT - 1);
	ck_assert_uint_eq(estimate(one).once, SEEN_EXACT - 1);
}
END_TEST

/* A program may write anywhere, also into what heddle's processes share. */
START_TEST(nonsense_is_nothing)
{
	static const uint32_t bad[] = { 0, 1, SEEN_MOST + 1, UINT32_MAX };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		see(other, 0, 100);
		other->log = bad[i];
		seen_join(one, other);
		other->log = SEEN_LEAST;
		other->left = 64;
		seen_join(one, other);
		other->left = 0;
	}
	ck_assert_uint_eq(estimate(one).different, 0);
	for (size_t i = 0; i < sizeof(other->slot) / sizeof(other->slot[0]); i++)
		other->slot[i] = thing(i);
	other->log = SEEN_MOST;
	seen_join(one, other);
	ck_assert_uint_le(one->n, SEEN_EXACT);
	for (size_t i = 0; i < sizeof(other->slot) / sizeof(other->slot[0]); i++)
		other->slot[i] = (uint64_t)i << 48;
	seen_join(one, other);
	ck_assert_uint_le(one->n, SEEN_EXACT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("seen");
	TCase *tc = tcase_create("sets");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, exact_numbers_up_to_the_bound);
	tcase_add_test(tc, hashes_that_are_alike);
	tcase_add_test(tc, beyond_the_bound_they_are_near);
	tcase_add_test(tc, what_two_have_seen_once_each_was_seen_twice);
	tcase_add_test(tc, the_order_of_joining_does_not_matter);
	tcase_add_test(tc, what_is_forgotten_is_new_again);
	tcase_add_test(tc, nonsense_is_nothing);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
