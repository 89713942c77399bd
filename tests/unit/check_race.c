/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_race.c - the race detector of plain accesses, as a specification
 *
 * The last case compares it with the definition: random accesses by threads whose clocks
 * grow as random synchronisation makes them, each checked against every earlier access.
 */
#include <check.h>
#include <string.h>

#include "preload/race/race.h"
#include "suite.h"

enum {
	THREADS = 4,
	POOL = 4096
};

static struct race_record records[POOL];
static struct race_pool pool = { .record = records, .max = POOL };
static struct race_cell cell;
static uint32_t clocks[THREADS][64]; /* clocks[t]: what thread t knows */
static struct race_prior prior;
/* The ids that the threads of a test have: small ones, or such as take all bits that a mark has for them. */
static const uint32_t near[THREADS] = { 0, 1, 2, 3 }, far[THREADS] = { 0, 64, 255, 256 };
static const uint32_t *id = near;
static bool
	short_cuts; /* as the hooks do, which ask race_next_read() and race_next_write() first */

static void setup(void)
{
	race_pool_reset(&pool);
	memset(&cell, 0, sizeof(cell));
	memset(clocks, 0, sizeof(clocks));
	memset(&prior, 0, sizeof(prior));
	id = near;
}

/* What thread t knows, by id. */
static const uint32_t *clock_of(uint32_t t)
{
	static uint32_t clock[257];

	for (int u = 0; u < THREADS; u++)
		clock[id[u]] = clocks[t][u];
	return clock;
}

static bool access(uint32_t tid, bool is_write, uint8_t mask, uint64_t pc)
{
	const uint32_t *clock = clock_of(tid);
	struct race_access now = {
		.clock = clock,
		.tid = id[tid],
		.mask = mask,
		.is_write = is_write,
		.exact_pc = true,
		.pc = pc,
	};

	if (short_cuts && (is_write ? race_next_write(&cell, id[tid], clock, mask, pc)
				    : race_next_read(&cell, id[tid], clock, mask, pc)))
		return false;
	return race_access(&cell, &pool, &now, &prior);
}

static bool reads(uint32_t tid, uint8_t mask)
{
	return access(tid, false, mask, 100 + tid);
}

static bool writes(uint32_t tid, uint8_t mask)
{
	return access(tid, true, mask, 200 + tid);
}

static void allocates(uint32_t tid, uint8_t mask)
{
	race_allocated(&cell, id[tid], clocks[tid][tid], mask, 300 + tid);
}

/* A release by `from` that `to` acquires: one event of each. */
static void synchronise(uint32_t from, uint32_t to)
{
	clocks[from][from]++;
	for (int u = 0; u < THREADS; u++)
		if (clocks[to][u] < clocks[from][u])
			clocks[to][u] = clocks[from][u];
	clocks[to][to]++;
}

/* ---- What is a race --------------------------------------------------------------------- */

START_TEST(two_unordered_writes_race)
{
	ck_assert(!writes(1, 0x0f));
	ck_assert(writes(2, 0x0f));
	ck_assert_uint_eq(prior.tid, 1);
	ck_assert(prior.is_write);
	ck_assert_uint_eq(prior.pc, 201);
}
END_TEST

START_TEST(the_thread_is_named_whatever_its_id)
{
	id = far;
	ck_assert(!writes(3, 0x0f));
	ck_assert(!reads(3, 0x0f));
	ck_assert(writes(0, 0x0f));
	ck_assert_uint_eq(prior.tid, 256);
	ck_assert(!prior.allocates);
	setup();
	id = far;
	allocates(3, 0xff);
	ck_assert(reads(0, 0x01));
	ck_assert_uint_eq(prior.tid, 256);
	ck_assert(prior.allocates);
}
END_TEST

START_TEST(a_write_and_an_unordered_read_race_in_either_order)
{
	ck_assert(!writes(1, 0x01));
	ck_assert(reads(2, 0x01));
	setup();
	ck_assert(!reads(2, 0x01));
	ck_assert(writes(1, 0x01));
	ck_assert(!prior.is_write);
	ck_assert_uint_eq(prior.pc, 102);
}
END_TEST

START_TEST(two_reads_never_race)
{
	ck_assert(!reads(1, 0xff));
	ck_assert(!reads(2, 0xff));
	ck_assert(!reads(1, 0xff));
}
END_TEST

START_TEST(one_thread_never_races_with_itself)
{
	ck_assert(!writes(1, 0xff));
	ck_assert(!reads(1, 0x0f));
	clocks[1][1]++;
	ck_assert(!writes(1, 0x3c));
	ck_assert(!reads(1, 0xff));
}
END_TEST

START_TEST(synchronisation_orders_accesses)
{
	ck_assert(!writes(1, 0xff));
	synchronise(1, 2);
	ck_assert(!reads(2, 0xff));
	ck_assert(!writes(2, 0xff));
}
END_TEST

START_TEST(an_access_after_the_release_is_not_ordered)
{
	synchronise(1, 2);
	ck_assert(!writes(1, 0xff));
	ck_assert(reads(2, 0xff));
}
END_TEST

/* ---- Bytes ------------------------------------------------------------------------------ */

START_TEST(neighbouring_bytes_do_not_race)
{
	ck_assert(!writes(1, 0x01));
	ck_assert(!writes(2, 0x02));
	ck_assert(!reads(1, 0x01));
	ck_assert(!reads(2, 0x02));
	ck_assert(!writes(3, 0xf0));
}
END_TEST

START_TEST(one_shared_byte_is_enough_for_a_race)
{
	ck_assert(!writes(1, 0x0f));
	ck_assert(!writes(2, 0xf0));
	ck_assert(reads(3, 0x10));
	ck_assert_uint_eq(prior.tid, 2);
	ck_assert_uint_eq(prior.mask, 0x10);
}
END_TEST

START_TEST(an_older_write_of_other_bytes_is_not_forgotten)
{
	ck_assert(!writes(1, 0x0f));
	synchronise(1, 2);
	ck_assert(!writes(1, 0xf0));
	ck_assert(!reads(2, 0x0f));
	ck_assert(reads(2, 0xf0));
}
END_TEST

START_TEST(an_older_read_of_other_bytes_is_not_forgotten)
{
	ck_assert(!reads(1, 0xff));
	clocks[1][1]++;
	ck_assert(!reads(1, 0x0f));
	ck_assert(writes(2, 0xf0));
}
END_TEST

/* ---- What is remembered ----------------------------------------------------------------- */

START_TEST(every_concurrent_reader_is_remembered)
{
	ck_assert(!reads(1, 0xff));
	ck_assert(!reads(2, 0xff));
	ck_assert(!reads(3, 0xff));
	synchronise(1, 0);
	synchronise(3, 0);
	ck_assert(writes(0, 0xff));
	ck_assert_uint_eq(prior.tid, 2);
	synchronise(2, 0);
	ck_assert(!writes(0, 0xff));
}
END_TEST

START_TEST(a_race_leaves_the_cell_as_it_was)
{
	struct race_cell before;

	ck_assert(!writes(1, 0x0f));
	before = cell;
	ck_assert(writes(2, 0xff));
	ck_assert(memcmp(&before, &cell, sizeof(cell)) == 0);
}
END_TEST

START_TEST(a_cell_is_whole_again_after_a_write_that_is_ordered_behind_all)
{
	ck_assert(!reads(1, 0xff));
	ck_assert(!reads(2, 0x0f));
	ck_assert(cell.write.split);
	synchronise(1, 0);
	synchronise(2, 0);
	ck_assert(!writes(0, 0xff));
	ck_assert(!cell.write.split);
	ck_assert(race_known_write(&cell, 0, clocks[0][0], 0xff));
}
END_TEST

START_TEST(records_are_used_again)
{
	for (int i = 0; i < 10 * POOL; i++) {
		ck_assert(!reads(1, 0xff));
		ck_assert(!reads(2, 0xff));
		synchronise(1, 2);
		ck_assert(!writes(2, 0xff));
		synchronise(2, 1);
	}
	ck_assert_uint_gt(race_pool_left(&pool), POOL / 3 - 10);
}
END_TEST

START_TEST(checking_remembers_nothing)
{
	struct race_access now = { .clock = clocks[1], .tid = 1, .mask = 1, .is_write = true };

	ck_assert(!race_check(&cell, &pool, &now, &prior));
	ck_assert(!writes(2, 0x01));
	ck_assert(race_check(&cell, &pool, &now, &prior));
}
END_TEST

START_TEST(each_byte_keeps_its_place_in_the_code)
{
	ck_assert(!access(1, true, 0x0f, 7));
	ck_assert(!access(1, true, 0xf0, 8));
	ck_assert(reads(2, 0x01));
	ck_assert_uint_eq(prior.pc, 7);
	ck_assert(reads(2, 0x80));
	ck_assert_uint_eq(prior.pc, 8);
}
END_TEST

/* ---- Allocation ------------------------------------------------------------------------- */

START_TEST(an_allocation_has_to_come_before_any_access)
{
	allocates(1, 0xff);
	ck_assert(reads(2, 0x10));
	ck_assert(prior.allocates && prior.is_write);
	ck_assert_uint_eq(prior.tid, 1);
	ck_assert_uint_eq(prior.pc, 301);
	synchronise(1, 2);
	ck_assert(!reads(2, 0x10));
	ck_assert(!writes(2, 0x20));
}
END_TEST

START_TEST(who_allocates_may_do_as_it_likes)
{
	allocates(1, 0xff);
	ck_assert(!reads(1, 0xff));
	ck_assert(!writes(1, 0x0f));
	clocks[1][1]++;
	ck_assert(!writes(1, 0xf0));
}
END_TEST

START_TEST(an_allocation_is_no_access_that_is_known)
{
	allocates(1, 0xff);
	ck_assert(!race_known_write(&cell, 1, clocks[1][1], 0xff));
	ck_assert(!race_known_read(&cell, 1, clocks[1][1], 0xff));
	ck_assert(!race_written(&cell, &pool, 0xff));
}
END_TEST

START_TEST(a_write_takes_the_place_of_the_allocation_in_its_bytes_only)
{
	allocates(1, 0xff);
	ck_assert(!writes(1, 0x0f));
	ck_assert(race_written(&cell, &pool, 0x18));
	ck_assert(!race_written(&cell, &pool, 0xf0));
	ck_assert(reads(2, 0x01));
	ck_assert(!prior.allocates);
	ck_assert_uint_eq(prior.pc, 201);
	ck_assert(reads(2, 0x80));
	ck_assert(prior.allocates);
	ck_assert(!writes(1, 0xf0));
	ck_assert(reads(2, 0x80));
	ck_assert(!prior.allocates);
	ck_assert(race_written(&cell, &pool, 0x80));
}
END_TEST

START_TEST(bytes_that_were_not_allocated_are_free_for_all)
{
	allocates(1, 0x0f);
	ck_assert(!reads(2, 0xf0));
	ck_assert(reads(2, 0x18));
}
END_TEST

/* ---- Races that are not the end ---------------------------------------------------------- */

static struct race_prior told[8];
static unsigned ntold;

static void tell(const struct race_prior *p, void *ctx)
{
	ck_assert_ptr_eq(ctx, &cell);
	told[ntold++] = *p;
}

/* How many earlier accesses it races with. */
static unsigned races_with(uint32_t tid, bool is_write, uint8_t mask, uint64_t pc)
{
	struct race_access now = {
		.clock = clocks[tid],
		.tid = tid,
		.mask = mask,
		.is_write = is_write,
		.exact_pc = true,
		.pc = pc,
	};

	ntold = 0;
	race_access_all(&cell, &pool, &now, tell, &cell);
	return ntold;
}

START_TEST(each_of_three_writes_races_with_the_others)
{
	ck_assert_uint_eq(races_with(1, true, 0xff, 1), 0);
	ck_assert_uint_eq(races_with(2, true, 0xff, 2), 1);
	ck_assert_uint_eq(races_with(3, true, 0xff, 3), 2);
	ck_assert_uint_eq(told[0].pc + told[1].pc, 3);
}
END_TEST

START_TEST(a_write_races_with_all_reads_and_writes_that_are_not_ordered)
{
	ck_assert_uint_eq(races_with(1, true, 0x0f, 1), 0);
	ck_assert_uint_eq(races_with(2, false, 0xff, 2), 1);
	ck_assert_uint_eq(races_with(3, false, 0xf0, 3), 0);
	synchronise(1, 0);
	ck_assert_uint_eq(races_with(0, true, 0xff, 4), 2);
	ck_assert(!told[0].is_write && !told[1].is_write);
}
END_TEST

START_TEST(what_is_ordered_behind_a_race_is_none)
{
	ck_assert_uint_eq(races_with(1, true, 0xff, 1), 0);
	ck_assert_uint_eq(races_with(2, true, 0xff, 2), 1);
	synchronise(1, 3);
	synchronise(2, 3);
	ck_assert_uint_eq(races_with(3, true, 0xff, 3), 0);
	ck_assert(!cell.write.split);
}
END_TEST

/* ---- Against the definition ------------------------------------------------------------- */

struct past {
	uint32_t tid, clock;
	bool is_write;
	uint8_t mask;
};

static bool defined_race(const struct past *past, int n, uint32_t tid, bool is_write, uint8_t mask)
{
	for (int i = 0; i < n; i++)
		if ((past[i].mask & mask) && (past[i].is_write || is_write) && past[i].tid != tid &&
		    clocks[tid][past[i].tid] <= past[i].clock)
			return true;
	return false;
}

START_TEST(it_agrees_with_the_definition_on_random_histories)
{
	static const uint8_t masks[] = { 0x01, 0x02, 0x03, 0x0c, 0x0f, 0xf0, 0xff, 0x3c, 0x80 };
	struct past past[200];

	short_cuts = _i & 1;
	for (unsigned seed = 0; seed < 20000; seed++) {
		int n = 0;

		setup();
		id = _i & 2 ? far : near;
		srand(seed);
		if (seed % 3 == 0) { /* by thread 3, which is a write for others */
			allocates(3, RACE_ALL);
			past[n++] = (struct past){ 3, 0, true, RACE_ALL };
		}
		while (n < 200) {
			uint32_t tid = (uint32_t)rand() % THREADS;
			uint8_t mask = masks[(size_t)rand() % sizeof(masks)];
			bool is_write = rand() % 3 == 0, expected;

			if (rand() % 2) {
				uint32_t to = (uint32_t)rand() % THREADS;

				if (to != tid)
					synchronise(tid, to);
				continue;
			}
			expected = defined_race(past, n, tid, is_write, mask);
			if (access(tid, is_write, mask, 1) != expected)
				ck_abort_msg("seed %u, access %d: race is %d", seed, n, expected);
			if (expected)
				break;
			past[n++] = (struct past){ tid, clocks[tid][tid], is_write, mask };
		}
	}
}
END_TEST

static Suite *race_suite(void)
{
	Suite *s = suite_create("race");
	TCase *what = tcase_create("what is a race"), *bytes = tcase_create("bytes");
	TCase *memory = tcase_create("memory"), *definition = tcase_create("definition");
	TCase *allocation = tcase_create("allocation"), *all = tcase_create("all races");

	tcase_add_checked_fixture(what, setup, NULL);
	tcase_add_test(what, two_unordered_writes_race);
	tcase_add_test(what, the_thread_is_named_whatever_its_id);
	tcase_add_test(what, a_write_and_an_unordered_read_race_in_either_order);
	tcase_add_test(what, two_reads_never_race);
	tcase_add_test(what, one_thread_never_races_with_itself);
	tcase_add_test(what, synchronisation_orders_accesses);
	tcase_add_test(what, an_access_after_the_release_is_not_ordered);
	suite_add_tcase(s, what);
	tcase_add_checked_fixture(bytes, setup, NULL);
	tcase_add_test(bytes, neighbouring_bytes_do_not_race);
	tcase_add_test(bytes, one_shared_byte_is_enough_for_a_race);
	tcase_add_test(bytes, an_older_write_of_other_bytes_is_not_forgotten);
	tcase_add_test(bytes, an_older_read_of_other_bytes_is_not_forgotten);
	suite_add_tcase(s, bytes);
	tcase_add_checked_fixture(memory, setup, NULL);
	tcase_add_test(memory, every_concurrent_reader_is_remembered);
	tcase_add_test(memory, a_race_leaves_the_cell_as_it_was);
	tcase_add_test(memory, a_cell_is_whole_again_after_a_write_that_is_ordered_behind_all);
	tcase_add_test(memory, records_are_used_again);
	tcase_add_test(memory, checking_remembers_nothing);
	tcase_add_test(memory, each_byte_keeps_its_place_in_the_code);
	suite_add_tcase(s, memory);
	tcase_add_checked_fixture(allocation, setup, NULL);
	tcase_add_test(allocation, an_allocation_has_to_come_before_any_access);
	tcase_add_test(allocation, who_allocates_may_do_as_it_likes);
	tcase_add_test(allocation, an_allocation_is_no_access_that_is_known);
	tcase_add_test(allocation, a_write_takes_the_place_of_the_allocation_in_its_bytes_only);
	tcase_add_test(allocation, bytes_that_were_not_allocated_are_free_for_all);
	suite_add_tcase(s, allocation);
	tcase_add_checked_fixture(all, setup, NULL);
	tcase_add_test(all, each_of_three_writes_races_with_the_others);
	tcase_add_test(all, a_write_races_with_all_reads_and_writes_that_are_not_ordered);
	tcase_add_test(all, what_is_ordered_behind_a_race_is_none);
	suite_add_tcase(s, all);
	tcase_add_loop_test(definition, it_agrees_with_the_definition_on_random_histories, 0, 4);
	tcase_set_timeout(definition, 60);
	suite_add_tcase(s, definition);
	return s;
}

int main(void)
{
	return suite_run(race_suite());
}
