/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_facts.c - what is found out about a program on the way, as a specification
 *
 * A process is a state and an index; several share a table, as workers do. Code lies where the
 * process at hand has it.
 */
#include <check.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "controller/run/known.h"
#include "preload/facts/granule_marks.h"
#include "preload/loop/driver.h"
#include "suite.h"

enum {
	PROCESSES = 3,
	CODE = 1 << 24, /* bytes of the only module */
	MANY = 100000,
};

struct process {
	struct facts_state state;
	struct fact_slot *index;
	uint64_t base;
};

static struct process process[PROCESSES];
static struct fact_table *table;
static uint64_t base; /* of the module, in the process at hand */
static jmp_buf left;
static bool repeated;
static char refused[512];

/* ---- What facts.c needs of the runtime ----------------------------------------------------- */

struct place place_of(uint64_t addr)
{
	struct place p = { .kind = PLACE_UNKNOWN, .offset = addr };

	if (addr - base < CODE)
		p = (struct place){ .kind = PLACE_GLOBAL, .offset = addr - base };
	return p;
}

uint64_t address_of_place(const struct place *p, uint64_t addr)
{
	return p->kind == PLACE_GLOBAL ? base + p->offset : addr;
}

uint32_t heap_owner(uint64_t addr)
{
	(void)addr;
	return HEAP_NOBODY;
}

uint32_t marks_with(uint32_t marks, uint64_t addr, uint32_t size)
{
	return marks * 100 + (uint32_t)(addr & 7) * 10 + size; /* shows in which order they came */
}

void repeat_execution(void)
{
	repeated = true;
	longjmp(left, 1);
}

void refuse(const char *piece, ...)
{
	va_list ap;

	refused[0] = 0;
	va_start(ap, piece);
	for (; piece; piece = va_arg(ap, const char *))
		strncat(refused, piece, sizeof(refused) - strlen(refused) - 1);
	va_end(ap);
	longjmp(left, 1);
}

/* ---- Processes ----------------------------------------------------------------------------- */

static void *zeros(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	return p;
}

/* Goes on as that process. */
static void as(unsigned i)
{
	base = process[i].base;
	facts = &process[i].state;
	facts_at(table, process[i].index);
}

/* A process is made, and becomes the one at hand. */
static void start(unsigned i, uint64_t at)
{
	if (process[i].index)
		munmap(process[i].index, sizeof(struct fact_slot) * (2ul << FACT_INDEX_MOST));
	memset(&process[i], 0, sizeof(process[i]));
	process[i].index = zeros(sizeof(struct fact_slot) * (2ul << FACT_INDEX_MOST));
	process[i].base = at;
	as(i);
	facts_begin();
}

static void setup(void)
{
	table = zeros(sizeof(*table));
	facts_init(table);
	refused[0] = 0;
	repeated = false;
	start(0, 0x10000000);
}

static void teardown(void)
{
	munmap(table, sizeof(*table));
	table = NULL;
}

/* Does it end the execution? */
#define LEAVES(call) (!setjmp(left) ? ((call), false) : true)

static uint64_t code(uint64_t offset)
{
	return base + offset;
}

/* ---- One process --------------------------------------------------------------------------- */

START_TEST(fact_is_noted_once)
{
	fact_learn_at(FACT_WAITS, code(8));
	fact_learn_at(FACT_WAITS, code(8));
	fact_learn(FACT_STACKS_SHARED);
	fact_learn(FACT_STACKS_SHARED);
	ck_assert_uint_eq(facts_count(table), 2);
	ck_assert(fact_known_at(FACT_WAITS, code(8)));
	ck_assert(!fact_known_at(FACT_WAITS, code(16)));
	ck_assert(!fact_known_at(FACT_QUEUE, code(8)));
}
END_TEST

START_TEST(fact_of_execution_is_in_force_when_it_is_run_again)
{
	ck_assert(!fact_saves_at(code(8)));
	ck_assert(LEAVES(fact_found_at(FACT_REPEATS, code(8))));
	ck_assert(repeated);
	ck_assert(fact_saves_at(code(8)));
	ck_assert(!fact_saves_at(code(9)));
	ck_assert(!facts_due(1, true));
	ck_assert(!LEAVES(fact_found_at(FACT_REPEATS, code(8))));
}
END_TEST

START_TEST(repeated_execution_finds_all_its_places)
{
	ck_assert(!LEAVES(fact_repeats(code(4), true)));
	ck_assert(LEAVES(fact_repeats(code(8), false)));
	facts_look();
	ck_assert(fact_saves_at(code(100)));
	ck_assert(!LEAVES(fact_repeats(code(16), true)));
	ck_assert(!LEAVES(fact_repeats(code(24), false)));
	ck_assert(!LEAVES(fact_takes_room(code(16))));
	ck_assert(LEAVES(fact_takes_room(code(100))));
	facts_look();
	ck_assert(fact_saves_at(code(8)) && fact_saves_at(code(16)) && fact_saves_at(code(24)));
	ck_assert(!fact_saves_at(code(4)) && !fact_saves_at(code(100)));
	ck_assert(!LEAVES(fact_takes_room(code(100))));
}
END_TEST

START_TEST(nowhere_is_a_place)
{
	ck_assert(!fact_saves_at(0));
	ck_assert(LEAVES(fact_found_at(FACT_REPEATS, 0)));
	ck_assert(fact_saves_at(0));
	ck_assert(!LEAVES(fact_found_at(FACT_REPEATS, 0)));
}
END_TEST

START_TEST(fact_of_search_waits_for_its_start)
{
	ck_assert(LEAVES(fact_found(FACT_FUTEX_TABLE)));
	fact_learn_at(FACT_QUEUE, code(64));
	ck_assert(!fact_in_use(FACT_FUTEX_TABLE));
	ck_assert(!fact_used_at(FACT_QUEUE, code(64)));
	ck_assert_uint_eq(facts_in_force(), 0);
	ck_assert(facts_due(1000000, false));
	facts_use();
	ck_assert(fact_in_use(FACT_FUTEX_TABLE));
	ck_assert(fact_used_at(FACT_QUEUE, code(64)));
	ck_assert_uint_eq(facts_in_force(), 2);
	ck_assert(!facts_due(1000000, true));
}
END_TEST

/* Whether a place where threads wait is worth a start. */
static bool worth(uint64_t executions, bool more)
{
	bool due;

	fact_learn_at(FACT_WAITS, code(facts_count(table)));
	due = facts_due(executions, more);
	if (due)
		facts_use();
	return due;
}

START_TEST(awaits_start_again_at_once_or_seldom)
{
	ck_assert(worth(1, true));
	ck_assert(worth(100, true));
	ck_assert(!worth(799, true));
	ck_assert(worth(800, true));
	ck_assert(!worth(6399, true));
	ck_assert(!worth(6400, false)); /* it is over */
	ck_assert(worth(6400, true));
	ck_assert(fact_used_at(FACT_WAITS, code(0)) && fact_used_at(FACT_WAITS, code(5)));
}
END_TEST

START_TEST(facts_are_found_among_many)
{
	for (uint64_t i = 0; i < MANY; i++)
		fact_learn_at(i % 3 ? FACT_REPEATS : FACT_QUEUE, code(4 * i));
	facts_use();
	for (uint64_t i = 0; i < MANY; i++) {
		ck_assert(fact_used_at(i % 3 ? FACT_REPEATS : FACT_QUEUE, code(4 * i)));
		ck_assert(!fact_known_at(i % 3 ? FACT_QUEUE : FACT_REPEATS, code(4 * i)));
		ck_assert(!fact_saves_at(code(4 * i + 1)));
	}
	ck_assert_uint_eq(facts_count(table), MANY);
}
END_TEST

START_TEST(explored_locations_come_in_their_order)
{
	fact_learn_explored(code(0), 4);
	fact_learn_explored(code(2), 1);
	fact_learn_explored(code(8), 8);
	ck_assert_uint_eq(fact_marks(code(0)), 0);
	facts_use();
	ck_assert_uint_eq(fact_marks(code(0)), 4 * 100 + 21);
	ck_assert_uint_eq(fact_marks(code(8)), 8);
	ck_assert_uint_eq(fact_marks(code(16)), 0);
}
END_TEST

START_TEST(signals_of_threads_are_sets)
{
	fact_learn_interrupted(3, 1);
	fact_learn_interrupted(3, 64);
	ck_assert_uint_eq(facts->interrupts[3], 0);
	facts_use();
	ck_assert_uint_eq(facts->interrupts[3], 1ul << 63 | 1);
	ck_assert_uint_eq(facts->interrupts[2], 0);
}
END_TEST

START_TEST(threads_that_ask_for_fences_are_a_set)
{
	fact_learn_fences(0);
	fact_learn_fences(63);
	ck_assert_uint_eq(facts->fences.word[0], 0);
	facts_use();
	ck_assert_uint_eq(facts->fences.word[0], 1ul << 63 | 1);
}
END_TEST

/* ---- Limits -------------------------------------------------------------------------------- */

START_TEST(full_table_is_refused_by_name)
{
	table->limit = 3;
	ck_assert(!LEAVES(fact_learn_at(FACT_QUEUE, code(0))));
	ck_assert(!LEAVES(fact_learn_at(FACT_QUEUE, code(1))));
	ck_assert(!LEAVES(fact_learn_at(FACT_QUEUE, code(2))));
	ck_assert(!LEAVES(fact_learn_at(FACT_QUEUE, code(2))));
	ck_assert(LEAVES(fact_learn_at(FACT_REPEATS, code(3))));
	ck_assert_ptr_nonnull(strstr(refused, "3 facts"));
	ck_assert_ptr_nonnull(strstr(refused, "reads a location again"));
	ck_assert_ptr_nonnull(strstr(refused, "heddle test"));
	ck_assert_ptr_null(strchr(refused, '\n'));
	ck_assert_uint_eq(facts_count(table), 3);
}
END_TEST

START_TEST(what_the_next_process_cannot_find_is_not_told)
{
	uint64_t nowhere = 0x7000000;

	fact_learn_at(FACT_QUEUE, nowhere);
	ck_assert(fact_known_at(FACT_QUEUE, nowhere));
	table->by_name = 1;
	ck_assert(!LEAVES(fact_learn_at(FACT_WAITS, nowhere + 8)));
	ck_assert(!fact_known_at(FACT_WAITS, nowhere + 8));
	ck_assert_uint_eq(facts->waiting, 0);
	ck_assert(!LEAVES(fact_learn_at(FACT_QUEUE, code(8))));
	ck_assert(!LEAVES(fact_learn(FACT_STACKS_SHARED)));
	ck_assert(LEAVES(fact_learn_at(FACT_QUEUE, nowhere + 8)));
	ck_assert_ptr_nonnull(strstr(refused, "use -j 1"));
}
END_TEST

/* ---- Several ------------------------------------------------------------------------------- */

START_TEST(facts_hold_where_addresses_differ)
{
	fact_learn_at(FACT_WAITS, code(8));
	fact_learn_explored(code(24), 2);
	fact_learn_at(FACT_QUEUE, 0x5000000);
	facts_use();
	start(1, 0x40000000);
	ck_assert(fact_used_at(FACT_WAITS, 0x40000008));
	ck_assert(!fact_known_at(FACT_WAITS, 0x10000008));
	ck_assert_uint_eq(fact_marks(0x40000018), 2);
	ck_assert(fact_used_at(FACT_QUEUE, 0x5000000));
	ck_assert(!facts_due(1, true));
}
END_TEST

START_TEST(facts_of_others_are_seen_between_executions)
{
	start(1, 0x10000000);
	as(0);
	ck_assert(LEAVES(fact_found_at(FACT_REPEATS, code(8))));
	fact_learn_at(FACT_QUEUE, code(16));
	as(1);
	ck_assert(!fact_saves_at(code(8)));
	facts_look();
	ck_assert(fact_saves_at(code(8)));
	ck_assert(fact_known_at(FACT_QUEUE, code(16)));
	ck_assert(!fact_used_at(FACT_QUEUE, code(16)));
	ck_assert(!facts_due(1, true)); /* that is for who has found it */
	ck_assert(!LEAVES(fact_found_at(FACT_REPEATS, code(8))));
	ck_assert_uint_eq(facts_count(table), 2);
}
END_TEST

START_TEST(late_process_begins_with_what_is_in_force)
{
	fact_learn(FACT_FUTEX_TABLE);
	facts_use();
	fact_learn(FACT_FUTEX_OWNERS);
	fact_learn_at(FACT_REPEATS, code(8));
	start(1, 0x10000000);
	ck_assert(fact_in_use(FACT_FUTEX_TABLE));
	ck_assert(!fact_in_use(FACT_FUTEX_OWNERS));
	ck_assert(fact_saves_at(code(8)));
}
END_TEST

START_TEST(fact_of_a_worker_that_died_is_found_again)
{
	fact_learn_at(FACT_QUEUE, code(16));
	fact_learn(FACT_STACKS_SHARED);
	start(1, 0x10000000);
	ck_assert(!facts_due(1, true));
	fact_learn_at(FACT_QUEUE, code(16));
	ck_assert(facts_due(1, true));
	start(2, 0x10000000);
	fact_learn(FACT_STACKS_SHARED);
	ck_assert(facts_due(1, true));
	facts_use();
	ck_assert(fact_used_at(FACT_QUEUE, code(16)) && fact_in_use(FACT_STACKS_SHARED));
	ck_assert_uint_eq(facts_count(table), 2);
}
END_TEST

START_TEST(half_written_fact_is_waited_for)
{
	table->at[0].addr = code(8);
	table->at[0].place = place_of(code(8));
	table->n = 1;
	facts_look();
	ck_assert(!fact_saves_at(code(8)));
	table->at[0].kind = FACT_REPEATS;
	facts_look();
	ck_assert(fact_saves_at(code(8)));
}
END_TEST

/* ---- From start to start ------------------------------------------------------------------- */

START_TEST(next_workers_know_each_fact_once)
{
	struct fact_table *next = zeros(sizeof(*next));
	struct known known = { 0 };

	start(1, 0x30000000);
	for (unsigned i = 0; i < 2; i++) {
		as(i);
		fact_learn_at(FACT_QUEUE, code(8));
		fact_learn_explored(code(16), 4);
		fact_learn_interrupted(1, 10);
		fact_learn(FACT_STACKS_SHARED);
	}
	facts_add(table, FACT_NONE, &(struct place){ .kind = PLACE_UNKNOWN }, 0, 0); /* a hole */
	ck_assert_uint_eq(facts_count(table), 9);
	ck_assert_int_eq(known_take(&known, table, true), 1);
	known_give(&known, next);
	ck_assert_uint_eq(facts_count(next), 4);
	ck_assert_uint_eq(next->used, 4);
	munmap(table, sizeof(*table));
	table = next;
	start(2, 0x50000000);
	ck_assert(fact_used_at(FACT_QUEUE, code(8)) && fact_in_use(FACT_STACKS_SHARED));
	ck_assert_uint_eq(fact_marks(code(16)), 4);
	ck_assert_uint_eq(facts->interrupts[1], 1u << 9);
	known_release(&known);
}
END_TEST

START_TEST(start_without_anything_new_is_noticed)
{
	struct fact_table *next = zeros(sizeof(*next));
	struct known known = { 0 };

	fact_learn_at(FACT_QUEUE, code(8));
	ck_assert_int_eq(known_take(&known, table, false), 1);
	known_give(&known, next);
	facts_add(next, FACT_QUEUE, &next->at[0].place, 0x99999999, 0); /* by another address */
	facts_add(next, FACT_REPEATS, &next->at[0].place, 0x99999999, 0);
	ck_assert_int_eq(known_take(&known, next, false), 0);
	ck_assert_uint_eq(known.n, 2);
	facts_add(next, FACT_WAITS, &next->at[0].place, 0x99999999, 0);
	ck_assert_int_eq(known_take(&known, next, false), 1);
	munmap(next, sizeof(*next));
	known_release(&known);
}
END_TEST

START_TEST(addresses_without_names_are_dropped_where_they_differ)
{
	struct known known = { 0 };

	fact_learn_at(FACT_WAITS, 0x5000000);
	fact_learn_at(FACT_REPEATS, 0x5000008);
	ck_assert_int_eq(known_take(&known, table, true), 0);
	ck_assert_uint_eq(known.n, 0);
	ck_assert_int_eq(known_take(&known, table, false), 1);
	ck_assert_uint_eq(known.n, 2);
	known_release(&known);
}
END_TEST

START_TEST(a_block_of_the_heap_has_several_addresses)
{
	const struct place block = { .kind = PLACE_HEAP, .thread = 1, .count = 2 };
	struct known known = { 0 };

	facts_add(table, FACT_EXPLORED, &block, 0x100400000020, 4);
	facts_add(table, FACT_EXPLORED, &block, 0x100400000050, 4);
	facts_add(table, FACT_EXPLORED, &block, 0x100400000020, 4);
	ck_assert_int_eq(known_take(&known, table, true), 1);
	ck_assert_uint_eq(known.n, 2);
	known_release(&known);
}
END_TEST

static Suite *facts_suite(void)
{
	Suite *s = suite_create("facts");
	TCase *one = tcase_create("one process"), *limits = tcase_create("limits");
	TCase *several = tcase_create("several"), *next = tcase_create("from start to start");

	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_test(one, fact_is_noted_once);
	tcase_add_test(one, fact_of_execution_is_in_force_when_it_is_run_again);
	tcase_add_test(one, repeated_execution_finds_all_its_places);
	tcase_add_test(one, nowhere_is_a_place);
	tcase_add_test(one, fact_of_search_waits_for_its_start);
	tcase_add_test(one, awaits_start_again_at_once_or_seldom);
	tcase_add_test(one, facts_are_found_among_many);
	tcase_add_test(one, explored_locations_come_in_their_order);
	tcase_add_test(one, signals_of_threads_are_sets);
	tcase_add_test(one, threads_that_ask_for_fences_are_a_set);
	suite_add_tcase(s, one);
	tcase_add_checked_fixture(limits, setup, teardown);
	tcase_add_test(limits, full_table_is_refused_by_name);
	tcase_add_test(limits, what_the_next_process_cannot_find_is_not_told);
	suite_add_tcase(s, limits);
	tcase_add_checked_fixture(several, setup, teardown);
	tcase_add_test(several, facts_hold_where_addresses_differ);
	tcase_add_test(several, facts_of_others_are_seen_between_executions);
	tcase_add_test(several, late_process_begins_with_what_is_in_force);
	tcase_add_test(several, fact_of_a_worker_that_died_is_found_again);
	tcase_add_test(several, half_written_fact_is_waited_for);
	suite_add_tcase(s, several);
	tcase_add_checked_fixture(next, setup, teardown);
	tcase_add_test(next, next_workers_know_each_fact_once);
	tcase_add_test(next, start_without_anything_new_is_noticed);
	tcase_add_test(next, addresses_without_names_are_dropped_where_they_differ);
	tcase_add_test(next, a_block_of_the_heap_has_several_addresses);
	suite_add_tcase(s, next);
	return s;
}

int main(void)
{
	return suite_run(facts_suite());
}
