/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suite.h - the end of a test program's main(): runs a suite of Check, says how in TAP
 */
#ifndef HEDDLE_TESTS_SUITE_H
#define HEDDLE_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* The exit status. The suite is released. */
static inline int suite_run(Suite *s)
{
	SRunner *sr = srunner_create(s);
	int failed;

	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
