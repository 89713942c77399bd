/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_ledger.c - books of an exploration that do not balance are seen, each fault by itself
 */
#include "suite.h"
#include "wire/ledger.h"

/* Three executions by one engine: a second and a third one for items of work, and one that was left. */
static struct ledger good(void)
{
	struct ledger l = { .begun = 4, .noted = 3 };

	l.cause[CAUSE_FIRST] = l.cause[CAUSE_RERUN] = 1;
	l.work[WORK_DONE] = 2;
	l.work[WORK_FRUITLESS] = 1;
	l.ended[ENDED_COMPLETE] = 2;
	l.ended[ENDED_BLOCKED] = l.ended[ENDED_RERUN] = 1;
	return l;
}

#define says(question, text)                               \
	do {                                               \
		const char *said = (question);             \
		ck_assert_ptr_nonnull(said);               \
		ck_assert_ptr_nonnull(strstr(said, text)); \
	} while (0)

START_TEST(what_adds_up_is_good)
{
	struct ledger l = good();

	ck_assert_ptr_null(ledger_unbalanced(&l));
	ck_assert_ptr_null(ledger_unfinished(&l));
	ck_assert_ptr_null(ledger_incomplete(&l));
}
END_TEST

START_TEST(an_execution_without_an_end_is_missed)
{
	struct ledger l = good();

	l.begun++;
	says(ledger_unbalanced(&l), "no end");
	says(ledger_incomplete(&l), "no end");
}
END_TEST

START_TEST(an_execution_that_was_to_be_done_is_missed)
{
	struct ledger l = good();

	l.noted++;
	l.work[WORK_DONE]++;
	says(ledger_unfinished(&l), "not begun");
}
END_TEST

START_TEST(an_item_of_work_is_missed)
{
	struct ledger l = good();

	l.noted++;
	says(ledger_unfinished(&l), "not done");
}
END_TEST

START_TEST(what_is_not_done_again_is_missed)
{
	static const enum ledger_end again[] = { ENDED_ASKS, ENDED_LOOKS, ENDED_STRAYED,
						 ENDED_RERUN };
	struct ledger l = good();

	l.begun++;
	l.work[WORK_DONE]++;
	l.noted++;
	l.ended[again[_i]]++;
	says(ledger_unfinished(&l), "done again");
}
END_TEST

START_TEST(an_execution_that_was_left_is_none)
{
	static const enum ledger_end left[] = { ENDED_STOPPED, ENDED_WRONG };
	struct ledger l = good();

	l.ended[ENDED_COMPLETE]--;
	l.ended[left[_i]]++;
	says(ledger_unfinished(&l), "before their end");
}
END_TEST

START_TEST(what_is_given_has_to_be_taken)
{
	struct ledger sum = good(), l = { .begun = 1, .noted = 1, .taken = 1 };

	sum.noted++;
	sum.work[WORK_GIVEN]++;
	ck_assert_ptr_null(ledger_unfinished(&sum));
	says(ledger_incomplete(&sum), "not taken");
	l.work[WORK_DONE] = l.ended[ENDED_COMPLETE] = 1;
	ledger_add(&sum, &l);
	ck_assert_ptr_null(ledger_incomplete(&sum));
	ck_assert_uint_eq(sum.begun, 5);
	ledger_add(&sum, &l);
	says(ledger_incomplete(&sum), "not taken");
}
END_TEST

START_TEST(an_exploration_begins_once)
{
	struct ledger none = { 0 }, sum = good(), l = good();

	says(ledger_incomplete(&none), "begin once");
	ledger_add(&sum, &l);
	says(ledger_incomplete(&sum), "begin once");
}
END_TEST

START_TEST(nothing_but_dead_ends_is_no_exploration)
{
	struct ledger l = { .begun = 1 };

	l.cause[CAUSE_FIRST] = l.ended[ENDED_DEAD] = 1;
	ck_assert_ptr_null(ledger_unfinished(&l));
	says(ledger_incomplete(&l), "no execution");
	l.ended[ENDED_DEAD] = 0;
	l.ended[ENDED_BLOCKED] = 1;
	ck_assert_ptr_null(ledger_incomplete(&l));
}
END_TEST

/* Then something else says that it is not all. */
START_TEST(what_is_known_to_be_cut_off_is_an_end)
{
	static const enum ledger_end cut[] = { ENDED_BUG, ENDED_CUT, ENDED_DOUBTFUL,
					       ENDED_STRAYED };
	struct ledger l = { .begun = 1 };

	l.cause[CAUSE_FIRST] = l.ended[cut[_i]] = 1;
	l.cause[CAUSE_STRAY] = l.ended[ENDED_FINISHED] = cut[_i] == ENDED_STRAYED;
	l.begun += l.cause[CAUSE_STRAY];
	ck_assert_ptr_null(ledger_incomplete(&l));
}
END_TEST

START_TEST(random_testing_does_what_it_was_to_do)
{
	struct ledger l = { .begun = 11 };

	l.ended[ENDED_COMPLETE] = 10;
	l.ended[ENDED_RERUN] = 1;
	ck_assert_ptr_null(ledger_short_of(&l, 10));
	says(ledger_short_of(&l, 11), "as many");
	l.begun++;
	says(ledger_short_of(&l, 11), "no end");
}
END_TEST

START_TEST(each_end_has_a_name)
{
	for (int i = 0; i < LEDGER_ENDS; i++)
		ck_assert_ptr_nonnull(ledger_ends[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ledger");
	TCase *tc = tcase_create("books");

	tcase_add_test(tc, what_adds_up_is_good);
	tcase_add_test(tc, an_execution_without_an_end_is_missed);
	tcase_add_test(tc, an_execution_that_was_to_be_done_is_missed);
	tcase_add_test(tc, an_item_of_work_is_missed);
	tcase_add_loop_test(tc, what_is_not_done_again_is_missed, 0, 4);
	tcase_add_loop_test(tc, an_execution_that_was_left_is_none, 0, 2);
	tcase_add_test(tc, what_is_given_has_to_be_taken);
	tcase_add_test(tc, an_exploration_begins_once);
	tcase_add_test(tc, nothing_but_dead_ends_is_no_exploration);
	tcase_add_loop_test(tc, what_is_known_to_be_cut_off_is_an_end, 0, 4);
	tcase_add_test(tc, random_testing_does_what_it_was_to_do);
	tcase_add_test(tc, each_end_has_a_name);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
