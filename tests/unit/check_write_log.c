/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_write_log.c - plain writes that can be undone, as a specification
 *
 * Beside each log is a copy of memory as it was before each write. Undoing brings that back, whatever was forgotten or folded.
 */
#include <stdlib.h>
#include <string.h>

#include "preload/await/write_log.h"
#include "preload/core/touch.h"
#include "suite.h"

enum {
	BYTES = 24,
	WRITES = 40,
	RUNS = 2000
};

static struct write_log wrote;
static unsigned char memory[BYTES], before[WRITES + 1][BYTES];

uint64_t copy_safely(void *to, const void *from, uint64_t n)
{
	memcpy(to, from, n);
	return 0;
}

static void write_at(uint32_t at, uint32_t size, int byte)
{
	memcpy(before[wrote.n], memory, BYTES);
	ck_assert(log_add(&wrote, (uint64_t)(uintptr_t)(memory + at), size));
	memset(memory + at, byte, size);
}

/* Random ones; the last copy is of memory as it is. */
static void write_some(unsigned *seed, uint32_t n)
{
	wrote.n = wrote.used = 0;
	memset(memory, 0, BYTES);
	while (wrote.n < n) {
		uint32_t size = 1 + (uint32_t)rand_r(seed) % 8;

		write_at((uint32_t)rand_r(seed) % (BYTES - size), size, rand_r(seed) % 3);
	}
	memcpy(before[n], memory, BYTES);
}

/* Undone from entry `from` on, memory is what it was before write number `then`. */
static void undoes_to(uint32_t from, uint32_t then)
{
	log_undo(&wrote, from);
	ck_assert_mem_eq(memory, before[then], BYTES);
	memcpy(memory, before[WRITES], BYTES);
}

/* ---- Undone ---------------------------------------------------------------------------------------- */

START_TEST(each_write_is_undone)
{
	unsigned seed = 1;

	for (int run = 0; run < RUNS; run++) {
		write_some(&seed, WRITES);
		for (uint32_t i = 0; i <= WRITES; i++)
			undoes_to(i, i);
	}
}
END_TEST

START_TEST(is_undone_only_where_memory_is_what_it_was)
{
	unsigned seed = 2;
	int undone = 0;

	for (int run = 0; run < RUNS; run++) {
		write_some(&seed, WRITES);
		for (uint32_t i = 0; i <= WRITES; i++) {
			bool is = log_is_undone(&wrote, i);

			ck_assert(!is || !memcmp(memory, before[i], BYTES));
			undone += is;
		}
	}
	ck_assert_int_gt(undone, RUNS + 100); /* not only where nothing was written */
}
END_TEST

/* What is only shown does not say what was there before a write that comes later. */
START_TEST(what_is_shown_is_no_write)
{
	wrote.n = wrote.used = 0;
	memset(memory, 0, BYTES);
	write_at(0, 4, 1);
	wrote.write[0].shows = true;
	ck_assert(log_is_undone(&wrote, 0));
	write_at(0, 4, 2);
	ck_assert(!log_is_undone(&wrote, 0));
}
END_TEST

/* ---- Forgotten, and folded -------------------------------------------------------------------------- */

START_TEST(the_first_ones_are_forgotten)
{
	unsigned seed = 3;

	for (int run = 0; run < RUNS; run++) {
		uint32_t n = (uint32_t)rand_r(&seed) % (WRITES + 1);

		write_some(&seed, WRITES);
		log_forget(&wrote, n);
		ck_assert_uint_eq(wrote.n, WRITES - n);
		for (uint32_t i = 0; i <= WRITES - n; i++)
			undoes_to(i, n + i);
		write_at(0, 1, 5);
	}
}
END_TEST

START_TEST(the_first_ones_are_folded)
{
	unsigned seed = 4;
	uint32_t fewer = 0;

	for (int run = 0; run < RUNS; run++) {
		uint32_t n = (uint32_t)rand_r(&seed) % (WRITES + 1), first;

		write_some(&seed, WRITES);
		first = log_fold(&wrote, n);
		ck_assert_uint_eq(wrote.n - first, WRITES - n);
		undoes_to(0, 0);
		for (uint32_t i = 0; i <= WRITES - n; i++)
			undoes_to(first + i, n + i);
		fewer += n - first;
		ck_assert_uint_le(wrote.used, LOG_BYTES);
	}
	ck_assert_uint_gt(fewer, RUNS);
}
END_TEST

START_TEST(there_is_room_again)
{
	unsigned seed = 5;

	write_some(&seed, 1);
	for (int i = 0; i < 10 * LOG_WRITES; i++) {
		wrote.n = log_fold(&wrote, wrote.n);
		write_at(3, 8, i);
		memcpy(before[WRITES], memory, BYTES);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("write_log");
	TCase *undone = tcase_create("undone"), *fewer = tcase_create("fewer");

	tcase_add_test(undone, each_write_is_undone);
	tcase_add_test(undone, is_undone_only_where_memory_is_what_it_was);
	tcase_add_test(undone, what_is_shown_is_no_write);
	tcase_add_test(fewer, the_first_ones_are_forgotten);
	tcase_add_test(fewer, the_first_ones_are_folded);
	tcase_add_test(fewer, there_is_room_again);
	suite_add_tcase(suite, undone);
	suite_add_tcase(suite, fewer);
	return suite_run(suite);
}
