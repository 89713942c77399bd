/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmocka.c - a test program of cmocka, which leaves a test that fails by longjmp()
 *
 *	cmocka [torn|relocked|many|thread]	the tests that succeed, and others
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counter.h"

enum {
	MANY = 100
};

static void sum_is_two(void **state)
{
	(void)state;
	assert_int_equal(count(add_atomic, 1), 2);
}

static void torn_sum_is_two(void **state)
{
	(void)state;
	assert_int_equal(count(add_torn, 1), 2);
}

static void relocked_sum_is_two(void **state)
{
	(void)state;
	assert_int_equal(count(add_relocked, 1), 2);
}

static void *check_fails(void *arg)
{
	assert_null(arg);
	return NULL;
}

static void fails_in_a_thread(void **state)
{
	pthread_t thread;

	pthread_create(&thread, NULL, check_fails, state);
	pthread_join(thread, NULL);
}

static void sum_in_turn_is_two(void **state)
{
	(void)state;
	assert_int_equal(count(add_atomic, 0), 2);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const struct CMUnitTest good[] = {
		cmocka_unit_test(sum_is_two),
		cmocka_unit_test(sum_is_two),
	};
	const struct CMUnitTest torn[] = {
		cmocka_unit_test(sum_is_two),
		cmocka_unit_test(torn_sum_is_two),
		cmocka_unit_test(sum_is_two),
	};
	const struct CMUnitTest relocked[] = {
		cmocka_unit_test(sum_is_two),
		cmocka_unit_test(relocked_sum_is_two),
		cmocka_unit_test(sum_is_two),
	};
	const struct CMUnitTest thread[] = {
		cmocka_unit_test(fails_in_a_thread),
	};
	struct CMUnitTest many[MANY];

	for (int i = 0; i < MANY; i++)
		many[i] = (struct CMUnitTest)cmocka_unit_test(sum_in_turn_is_two);
	if (!strcmp(what, "torn"))
		return cmocka_run_group_tests(torn, NULL, NULL);
	if (!strcmp(what, "relocked"))
		return cmocka_run_group_tests(relocked, NULL, NULL);
	if (!strcmp(what, "thread"))
		return cmocka_run_group_tests(thread, NULL, NULL);
	if (!strcmp(what, "many"))
		return cmocka_run_group_tests(many, NULL, NULL);
	return cmocka_run_group_tests(good, NULL, NULL);
}
