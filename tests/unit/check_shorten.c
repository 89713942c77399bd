/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_shorten.c - how large an execution is, and smaller ones (controller/trace/shorten.h)
 */
#include <check.h>
#include <string.h>

#include "controller/trace/shorten.h"
#include "suite.h"

enum {
	MOST = 32
};

static struct step steps[MOST], out[MOST];
static size_t n;
static uint32_t next[HEDDLE_MAX_THREADS];

static void setup(void)
{
	memset(steps, 0, sizeof(steps));
	memset(out, 0, sizeof(out));
	memset(next, 0, sizeof(next));
	n = 0;
}

static struct step *add(uint32_t tid, uint64_t at)
{
	struct step *s = &steps[n++];

	s->record.tid = tid;
	s->record.index = next[tid]++;
	s->record.size = 4;
	s->record.rf_tid = -2;
	s->place = (struct place){ .kind = PLACE_GLOBAL, .offset = at };
	return s;
}

static void writes(uint32_t tid, uint64_t at)
{
	struct step *s = add(tid, at);

	s->record.kind = OP_STORE;
	s->record.flags = STEP_WROTE;
}

static void reads(uint32_t tid, uint64_t at, int32_t from, uint32_t index)
{
	struct step *s = add(tid, at);

	s->record.kind = OP_LOAD;
	s->record.flags = STEP_READ;
	s->record.rf_tid = from;
	s->record.rf_index = index;
}

/* The threads of the steps, as letters. */
static const char *threads(const struct step *s, size_t count)
{
	static char text[MOST + 1];

	for (size_t i = 0; i < count; i++)
		text[i] = (char)('a' + s[i].record.tid);
	text[count] = 0;
	return text;
}

static void write_as(const char *letters)
{
	for (; *letters; letters++)
		writes((uint32_t)(*letters - 'a'), 0);
}

START_TEST(switches_are_counted)
{
	struct trace_size size;

	write_as("aabbacc");
	size = shorten_measure(steps, n);
	ck_assert_uint_eq(size.switches, 3);
	ck_assert_uint_eq(size.operations, 7);
	ck_assert_uint_eq(shorten_measure(steps, 0).switches, 0);
	ck_assert_uint_eq(shorten_measure(steps, 1).switches, 0);
}
END_TEST

START_TEST(a_read_is_old_when_there_is_a_later_write)
{
	reads(1, 0, -1, 0); /* there is none */
	writes(0, 0);
	reads(1, 0, 0, 0);
	reads(1, 0, -1, 0); /* old */
	writes(0, 8);
	reads(1, 0, 0, 0);
	writes(0, 0);
	reads(1, 0, 0, 0); /* old */
	reads(1, 0, 0, 2);
	ck_assert_uint_eq(shorten_measure(steps, n).old_reads, 2);
}
END_TEST

START_TEST(what_has_no_name_or_another_size_is_not_known_to_be_old)
{
	writes(0, 0);
	reads(1, 0, -1, 0);
	steps[1].record.size = 2;
	ck_assert_uint_eq(shorten_measure(steps, n).old_reads, 0);
	steps[1].record.size = 4;
	steps[0].place.kind = steps[1].place.kind = PLACE_UNKNOWN;
	ck_assert_uint_eq(shorten_measure(steps, n).old_reads, 0);
}
END_TEST

START_TEST(switches_count_more_than_old_reads_but_under_sc)
{
	struct trace_size calm = { .switches = 1, .old_reads = 2, .operations = 9 };
	struct trace_size fresh = { .switches = 2, .old_reads = 0, .operations = 5 };
	struct trace_size brief = { .switches = 1, .old_reads = 2, .operations = 8 };

	ck_assert_int_lt(shorten_compare(&calm, &fresh, false), 0);
	ck_assert_int_gt(shorten_compare(&calm, &fresh, true), 0);
	ck_assert_int_gt(shorten_compare(&calm, &brief, false), 0);
	ck_assert_int_gt(shorten_compare(&calm, &brief, true), 0);
	ck_assert_int_eq(shorten_compare(&calm, &calm, true), 0);
}
END_TEST

START_TEST(pieces_are_joined)
{
	write_as("aabbcca");
	ck_assert_uint_eq(shorten_piece(steps, n, 0), 2);
	ck_assert(shorten_join(steps, n, 0, false, out));
	ck_assert_str_eq(threads(out, n), "aaabbcc");
	ck_assert_uint_eq(out[2].record.index, 2);
	ck_assert(shorten_join(steps, n, 0, true, out));
	ck_assert_str_eq(threads(out, n), "bbccaaa");
	ck_assert_uint_eq(out[4].record.index, 0);
}
END_TEST

START_TEST(what_stands_before_and_behind_stays)
{
	write_as("cabbabc");
	ck_assert(shorten_join(steps, n, 2, false, out));
	ck_assert_str_eq(threads(out, n), "cabbbac");
	ck_assert(shorten_join(steps, n, 2, true, out));
	ck_assert_str_eq(threads(out, n), "caabbbc");
	ck_assert(!shorten_join(steps, n, 4, true, out));
	ck_assert(!shorten_join(steps, n, 5, false, out));
}
END_TEST

START_TEST(a_thread_can_end_sooner)
{
	write_as("ababcb");
	ck_assert_uint_eq(shorten_end(steps, n, 1, out), 3);
	ck_assert_str_eq(threads(out, 3), "aac");
	ck_assert_uint_eq(shorten_end(steps, n, 3, out), 4);
	ck_assert_str_eq(threads(out, 4), "abac");
}
END_TEST

START_TEST(some_old_reads_read_what_is_newest)
{
	writes(0, 0);
	for (int i = 0; i < 4; i++)
		reads(1, 0, -1, 0);
	reads(1, 0, 0, 0);
	ck_assert_uint_eq(shorten_read_newest(steps, n, 1, 2, out), 2);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(!!(out[i].record.flags & STEP_NEWEST), i == 2 || i == 3);
	ck_assert_uint_eq(shorten_read_newest(steps, n, 3, 9, out), 1);
	ck_assert_uint_eq(shorten_read_newest(steps, n, 4, 9, out), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shorten");
	TCase *tc = tcase_create("steps");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, switches_are_counted);
	tcase_add_test(tc, a_read_is_old_when_there_is_a_later_write);
	tcase_add_test(tc, what_has_no_name_or_another_size_is_not_known_to_be_old);
	tcase_add_test(tc, switches_count_more_than_old_reads_but_under_sc);
	tcase_add_test(tc, pieces_are_joined);
	tcase_add_test(tc, what_stands_before_and_behind_stays);
	tcase_add_test(tc, a_thread_can_end_sooner);
	tcase_add_test(tc, some_old_reads_read_what_is_newest);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
