/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suite.h - what the main() of a test program with Check has to do
 */
#ifndef HEDDLE_TESTS_SUITE_H
#define HEDDLE_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * At each assertion that holds Check writes to a file where that was, for the case that the test crashes. Tests that
 * assert millions of things would spend half of their time on it.
 */
#undef _mark_point
#define _mark_point(file, line) ((void)0)

/* Runs the suite, with TAP on standard output, and frees it; what main() returns. */
static inline int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* How many random cases there are to be where a test has n: HEDDLE_FUZZ times as many (0.25, 10). */
static inline uint64_t suite_times(uint64_t n)
{
	const char *factor = getenv("HEDDLE_FUZZ");
	double times = factor ? strtod(factor, NULL) * (double)n : (double)n;

	return times > 1 ? (uint64_t)times : 1;
}

/* As suite_times(), but one in `part` of them at least: for tests that say how often something comes. */
static inline uint64_t suite_times_least(uint64_t n, uint64_t part)
{
	uint64_t times = suite_times(n);

	return times < n / part ? n / part : times;
}

/* Is the i-th of many cases that are not random to be run? One in four where HEDDLE_FUZZ is below 0.1: then another build runs them all. */
static inline bool suite_has(uint64_t i)
{
	const char *factor = getenv("HEDDLE_FUZZ");

	return !factor || strtod(factor, NULL) >= 0.1 || i % 4 == 0;
}

/* As suite_times(), but a tenth at least. */
static inline uint64_t suite_times_enough(uint64_t n)
{
	return suite_times_least(n, 10);
}

/*
 * For a test of random programs: --long N, how many, and --from SEED, which is the first. What
 * is not given stays. False after a line of usage.
 */
static inline bool suite_arguments(int argc, char **argv, uint64_t *how_many, uint64_t *first)
{
	for (int i = 1; i < argc; i += 2) {
		bool is_long = !strcmp(argv[i], "--long");

		if (i + 1 == argc || (!is_long && strcmp(argv[i], "--from") != 0)) {
			fprintf(stderr, "usage: %s [--long N] [--from SEED]\n", argv[0]);
			return false;
		}
		*(is_long ? how_many : first) = strtoull(argv[i + 1], NULL, 0);
	}
	return true;
}

#endif
