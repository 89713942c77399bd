/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - a test program of Check
 *
 *	check [torn|relocked|many|thread|hangs|exits|crashes]	the tests that succeed, and others
 */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"

START_TEST(first_sum_is_two)
{
	int sum = count(add_atomic, 1);

	ck_assert_int_eq(sum, 2);
}
END_TEST

START_TEST(second_sum_is_two)
{
	int sum = count(add_atomic, 1);

	ck_assert_int_eq(sum, 2);
}
END_TEST

START_TEST(torn_sum_is_two)
{
	int sum = count(add_torn, 1);

	ck_assert_int_eq(sum, 2);
}
END_TEST

START_TEST(relocked_sum_is_two)
{
	int sum = count(add_relocked, 1);

	ck_assert_int_eq(sum, 2);
}
END_TEST

START_TEST(sum_in_turn_is_two)
{
	int sum = count(add_atomic, 0);

	ck_assert_int_eq(sum, 2);
}
END_TEST

static void *check_fails(void *arg)
{
	ck_assert_msg(!arg, "a thread fails");
	return NULL;
}

START_TEST(fails_in_a_thread)
{
	pthread_t thread;

	pthread_create(&thread, NULL, check_fails, &thread);
	pthread_join(thread, NULL);
}
END_TEST

static void *lock_twice(void *arg)
{
	pthread_mutex_lock(&counter_lock);
	pthread_mutex_lock(&counter_lock);
	return arg;
}

START_TEST(hangs)
{
	ck_assert_int_eq(count(lock_twice, 1), 0);
}
END_TEST

/* Ends as it should, with a status that is not 0, after a thread was there. */
START_TEST(exits_with_three)
{
	if (count(add_atomic, 1) == 2)
		exit(3);
}
END_TEST

START_TEST(crashes)
{
	if (count(add_atomic, 1) == 2)
		raise(SIGSEGV);
}
END_TEST

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	Suite *suite = suite_create("counters");
	TCase *tests = tcase_create("sums");
	SRunner *runner;
	int failed;

	if (!strcmp(what, "many")) {
		tcase_add_loop_test(tests, sum_in_turn_is_two, 0, 100);
	} else {
		tcase_add_test(tests, first_sum_is_two);
		if (!strcmp(what, "torn"))
			tcase_add_test(tests, torn_sum_is_two);
		if (!strcmp(what, "relocked"))
			tcase_add_test(tests, relocked_sum_is_two);
		if (!strcmp(what, "thread"))
			tcase_add_test(tests, fails_in_a_thread);
		if (!strcmp(what, "hangs"))
			tcase_add_test(tests, hangs);
		if (!strcmp(what, "exits"))
			tcase_add_exit_test(tests, exits_with_three, 3);
		if (!strcmp(what, "crashes"))
			tcase_add_test_raise_signal(tests, crashes, SIGSEGV);
		tcase_add_test(tests, second_sum_is_two);
	}
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
