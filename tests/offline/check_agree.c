/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_agree.c - every offline algorithm says what brute force says, and its witnesses hold
 *
 * HEDDLE_FUZZ=N: N times as many executions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "offline/check.h"
#include "offline/random_execution.h"

static const char *const model_words[] = { "sc",  "tso",     "sra",  "ra",
					   "wra", "relaxed", "rc20", "rc11" };
static uint32_t yes[MODEL_COUNT], no[MODEL_COUNT];

static uint32_t repeat(uint32_t n)
{
	const char *factor = getenv("HEDDLE_FUZZ");

	return factor ? n * (uint32_t)atoi(factor) : n;
}

static void differ(const struct execution *x, const char *algorithm, int model, const char *what)
{
	char *text = to_text(x);

	ck_abort_msg("%s under %s: %s\n%s", algorithm, model_words[model], what, text);
}

/* A cycle names events and every step of rf and po in it is one. */
static void check_cycle(const struct execution *x, const struct verdict *v, const char *name, int m)
{
	for (uint32_t i = 0; i < v->ncycle; i++) {
		uint32_t a = v->cycle[i].event, b = v->cycle[(i + 1) % v->ncycle].event;
		const char *r = v->cycle[i].relation;

		if (a >= x->n || b >= x->n)
			continue;
		if (!strcmp(r, "rf") && x->rf[b] != a)
			differ(x, name, m, "an rf step is not one");
		if (!strcmp(r, "po") && (x->tid[a] != x->tid[b] || a >= b))
			differ(x, name, m, "a po step is not one");
	}
}

static void judge(const struct execution *x, int m, bool expected)
{
	for (const struct checker *c = checkers; c->name; c++) {
		struct verdict v;
		const char *wrong;

		if (checker_unfit(c, x, (enum engine_model)m))
			continue;
		if (!c->check(x, (enum engine_model)m, true, &v))
			differ(x, c->name, m, "gave up");
		if (v.consistent != expected)
			differ(x, c->name, m,
			       expected ? "inconsistent, which it is not"
					: "consistent, which it is not");
		if (v.consistent && c->check != check_wb) {
			wrong = verify_witness(x, (enum engine_model)m, &v);
			if (wrong)
				differ(x, c->name, m, wrong);
		}
		if (!v.consistent) {
			ck_assert(v.axiom != NULL && *v.axiom);
			check_cycle(x, &v, c->name, m);
		}
		verdict_release(&v);
	}
	++*(expected ? &yes[m] : &no[m]);
}

static void compare(const struct shape *s, uint32_t times, uint64_t seed)
{
	times = repeat(times);
	for (uint32_t i = 0; i < times; i++) {
		struct execution x;
		struct ax_graph g;
		struct ax_result r = { 0 };

		random_execution(&x, s, &seed);
		to_axioms(&x, &g);
		ax_judge(&g, 0xff, false, &r);
		for (int m = 0; m < MODEL_COUNT; m++)
			judge(&x, m, r.consistent >> m & 1);
		execution_release(&x);
	}
	for (int m = 0; m < MODEL_COUNT; m++) {
		printf("# %s: %u consistent, %u not\n", model_words[m], yes[m], no[m]);
		yes[m] = no[m] = 0;
	}
	fflush(stdout);
}

START_TEST(small_executions)
{
	compare(&(struct shape){ .events = 10,
				 .threads = 3,
				 .locations = 2,
				 .rmws = 10,
				 .fences = 5,
				 .strong = 15,
				 .wild = 15,
				 .stale = 30 },
		15000, 1);
}
END_TEST

START_TEST(executions_with_many_rmws)
{
	compare(&(struct shape){ .events = 14,
				 .threads = 3,
				 .locations = 3,
				 .rmws = 40,
				 .strong = 10,
				 .wild = 10,
				 .stale = 30 },
		5000, 2);
}
END_TEST

START_TEST(executions_without_rmws)
{
	compare(&(struct shape){ .events = 14,
				 .threads = 4,
				 .locations = 2,
				 .fences = 10,
				 .wild = 8,
				 .stale = 30 },
		5000, 3);
}
END_TEST

START_TEST(executions_with_sc_and_fences)
{
	compare(&(struct shape){ .events = 16,
				 .threads = 4,
				 .locations = 3,
				 .rmws = 5,
				 .fences = 20,
				 .strong = 60,
				 .wild = 6,
				 .stale = 30 },
		5000, 4);
}
END_TEST

START_TEST(executions_with_stale_reads)
{
	compare(&(struct shape){ .events = 12,
				 .threads = 4,
				 .locations = 4,
				 .rmws = 15,
				 .fences = 5,
				 .strong = 30,
				 .wild = 0,
				 .stale = 90 },
		10000, 7);
}
END_TEST

START_TEST(executions_of_two_locations_with_stale_reads)
{
	compare(&(struct shape){ .events = 11,
				 .threads = 4,
				 .locations = 2,
				 .rmws = 20,
				 .strong = 50,
				 .wild = 10,
				 .stale = 70 },
		10000, 8);
}
END_TEST

START_TEST(longer_executions)
{
	compare(&(struct shape){ .events = 24,
				 .threads = 4,
				 .locations = 4,
				 .rmws = 10,
				 .fences = 8,
				 .strong = 20,
				 .wild = 4,
				 .stale = 30 },
		2000, 5);
}
END_TEST

START_TEST(longest_executions)
{
	compare(&(struct shape){ .events = 40,
				 .threads = 5,
				 .locations = 7,
				 .rmws = 15,
				 .fences = 8,
				 .strong = 20,
				 .wild = 2,
				 .stale = 30 },
		300, 6);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offline");
	TCase *tc = tcase_create("agree");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, small_executions);
	tcase_add_test(tc, executions_with_many_rmws);
	tcase_add_test(tc, executions_without_rmws);
	tcase_add_test(tc, executions_with_sc_and_fences);
	tcase_add_test(tc, executions_with_stale_reads);
	tcase_add_test(tc, executions_of_two_locations_with_stale_reads);
	tcase_add_test(tc, longer_executions);
	tcase_add_test(tc, longest_executions);
	suite_add_tcase(s, tc);
	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
