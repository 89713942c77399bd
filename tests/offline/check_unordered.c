/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_unordered.c - why events are not ordered (offline/unordered.h), against all shortest ways
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many executions.
 */
#include <check.h>
#include <stdlib.h>

#include "base/prng.h"
#include "offline/clocks.h"
#include "offline/random_execution.h"
#include "offline/unordered.h"
#include "suite.h"

enum {
	FAR = 1000
};

static uint32_t cost[AX_EVENTS][AX_EVENTS];
static uint32_t seen[4]; /* no way, one read, two, more */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Of all pairs: po and happens-before cost nothing, any other read one. (Floyd and Warshall) */
static void all_ways(const struct execution *x, const struct clocks *hb)
{
	for (uint32_t a = 0; a < x->n; a++)
		for (uint32_t b = 0; b < x->n; b++)
			cost[a][b] = clock_before(hb, a, b)                  ? 0
				     : x->kind[b] & EX_READ && x->rf[b] == a ? 1
									     : FAR;
	for (uint32_t k = 0; k < x->n; k++)
		for (uint32_t a = 0; a < x->n; a++)
			for (uint32_t b = 0; b < x->n; b++)
				cost[a][b] = least(cost[a][b], cost[a][k] + cost[k][b]);
}

static bool acquires(const struct execution *x, uint32_t e)
{
	return x->order[e] == ORDER_ACQ || x->order[e] >= ORDER_ACQ_REL;
}

/* What is said of each read is so. */
static void look_at(const struct execution *x, const struct clocks *hb, const struct unordered *u)
{
	ck_assert_uint_eq(x->rf[u->read], u->write);
	ck_assert(!clock_before(hb, u->write, u->read));
	ck_assert(u->acquires || !acquires(x, u->read));
	ck_assert(u->releases || x->order[u->write] < ORDER_REL);
}

static void compare(const struct execution *x, enum engine_model model, const struct clocks *hb)
{
	struct unordered u[UNORDERED_MOST];

	all_ways(x, hb);
	for (uint32_t a = 0; a < x->n; a++)
		for (uint32_t b = 0; b < x->n; b++) {
			uint32_t n, wanted = cost[a][b] < FAR ? cost[a][b] : 0;

			if (x->tid[a] == x->tid[b])
				continue;
			n = unordered_reads(x, model, a, b, u);
			ck_assert_uint_eq(n, wanted);
			for (uint32_t i = 0; i < n && i < UNORDERED_MOST; i++)
				look_at(x, hb, &u[i]);
			seen[n < 3 ? n : 3]++;
		}
}

START_TEST(as_few_reads_as_on_the_shortest_way)
{
	const enum engine_model models[] = { MODEL_RC11, MODEL_RC20, MODEL_RELAXED, MODEL_RA };
	uint64_t seed = 7;

	for (uint64_t i = 0; i < suite_times_enough(4000); i++) {
		const struct shape shape = { .events = 6 + (uint32_t)(i % 9),
					     .threads = 2 + (uint32_t)(i % 4),
					     .locations = 1 + (uint32_t)(i % 3),
					     .rmws = 20,
					     .fences = 15,
					     .strong = 5 };
		struct execution x;
		struct clocks hb;
		uint32_t sort[AX_EVENTS];

		random_execution(&x, &shape, &seed);
		if (execution_sort(&x, sort) == x.n) {
			clocks_build(&hb, &x, models[i % 4], sort);
			compare(&x, models[i % 4], &hb);
			clocks_release(&hb);
		}
		execution_release(&x);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_uint_gt(seen[i], 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unordered");
	TCase *tcase = tcase_create("ways");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, as_few_reads_as_on_the_shortest_way);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
