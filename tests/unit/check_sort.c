/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_sort.c - numbers are sorted in place (base/sort.h)
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "base/sort.h"
#include "suite.h"

enum {
	MOST = 300
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* So many numbers below a bound: with a low one many are equal. Behind them stands what is to stay. */
static void sort_and_compare(size_t n, uint32_t bound, uint64_t *random)
{
	uint64_t wide[MOST + 1], want[MOST + 1];
	uint32_t narrow[MOST + 1];

	for (size_t i = 0; i <= n; i++) {
		narrow[i] = prng_below(random, bound);
		wide[i] = want[i] = (uint64_t)narrow[i] << 20 | narrow[i];
	}
	qsort(want, n, sizeof(*want), by_number);
	sort_u64(wide, n);
	sort_u32(narrow, n);
	for (size_t i = 0; i <= n; i++) {
		ck_assert_uint_eq(wide[i], want[i]);
		ck_assert_uint_eq(narrow[i], want[i] & 0xfffff);
	}
}

START_TEST(numbers_come_in_order)
{
	uint64_t random = (uint64_t)_i;

	for (size_t n = 0; n <= MOST; n++) {
		sort_and_compare(n, 2, &random);
		sort_and_compare(n, 1 << 20, &random);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sort");
	TCase *tc = tcase_create("sort");

	tcase_add_loop_test(tc, numbers_come_in_order, 0, 10);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
