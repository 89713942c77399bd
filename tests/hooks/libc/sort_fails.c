/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sort_fails.c - what qsort() does where there is next to nothing
 *
 * never fails: qsort qsort_r
 *
 * case of_nothing: ok 1
 * case of_no_size: ok 1
 * case of_equals: ok 1
 * case at_the_end_of_a_block: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"

static int fail(const void *a, const void *b)
{
	(void)a;
	(void)b;
	abort();
}

static int fail_with(const void *a, const void *b, void *arg)
{
	(void)arg;
	return fail(a, b);
}

/* Nothing is looked at: the pointers lead just behind a block. */
IN_EACH(of_nothing)
{
	char *block = malloc(16), *end = block + 16;

	qsort(keep_(end), 0, 4, fail);
	qsort_r(keep_(end), 0, 4, fail_with, NULL);
	qsort(keep_(end), 1, 4, fail);
	qsort(keep_(NULL), 0, 4, fail);
	free(block);
	return arg;
}

static int same(const void *a, const void *b)
{
	assert(a == b);
	return 0;
}

IN_EACH(of_no_size)
{
	char one = 'x';

	qsort(keep_(&one), 5, 0, same);
	assert(one == 'x');
	return arg;
}

static int by_first(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* In whichever order those that are equal come. */
IN_EACH(of_equals)
{
	char text[] = "b1a1b2a2";

	qsort(text, 4, 2, by_first);
	assert(!memcmp(text, "a1a2b1b2", 8) || !memcmp(text, "a2a1b1b2", 8) ||
	       !memcmp(text, "a1a2b2b1", 8) || !memcmp(text, "a2a1b2b1", 8));
	return arg;
}

IN_EACH(at_the_end_of_a_block)
{
	char *block = malloc(3);

	memcpy(block, "cba", 3);
	qsort(block, 3, 1, by_first);
	assert(!memcmp(block, "abc", 3));
	free(block);
	return arg;
}

CASES(CASE(of_nothing), CASE(of_no_size), CASE(of_equals), CASE(at_the_end_of_a_block))
