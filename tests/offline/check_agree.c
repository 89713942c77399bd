/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_agree.c - every offline algorithm says what brute force says, and its witnesses hold
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many executions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "offline/check.h"
#include "offline/random_execution.h"
#include "offline/refusal.h"
#include "suite.h"

static const char *const model_words[] = { "sc",  "tso",     "sra",  "ra",
					   "wra", "relaxed", "rc20", "rc11" };
static uint32_t yes[MODEL_COUNT], no[MODEL_COUNT];
static uint32_t direct, proofs, orders; /* refusals */

static void differ(const struct execution *x, const char *algorithm, int model, const char *what)
{
	char *text = to_text(x);

	ck_abort_msg("%s under %s: %s\n%s", algorithm, model_words[model], what, text);
}

static void count_kind(const struct verdict *v)
{
	direct += v->ncases == 1 && !v->searched;
	proofs += v->ncases > 1;
	orders += v->searched;
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
			wrong = refute_refusal(x, (enum engine_model)m, NULL, &v);
			if (wrong)
				differ(x, c->name, m, wrong);
			count_kind(&v);
		}
		verdict_release(&v);
	}
	++*(expected ? &yes[m] : &no[m]);
}

static void judge_all(struct execution *x)
{
	uint32_t at[AX_EVENTS];
	struct ax_graph g;
	struct ax_result r = { 0 };

	to_axioms(x, &g, at);
	ax_judge(&g, 0xff, false, &r);
	for (int m = 0; m < MODEL_COUNT; m++)
		judge(x, m, r.consistent >> m & 1);
	execution_release(x);
}

static void tell(void)
{
	for (int m = 0; m < MODEL_COUNT; m++) {
		printf("# %s: %u consistent, %u not\n", model_words[m], yes[m], no[m]);
		yes[m] = no[m] = 0;
	}
	printf("# refusals: %u with one cycle, %u with several, %u with one order of many\n",
	       direct, proofs, orders);
	direct = proofs = orders = 0;
	fflush(stdout);
}

/* As if it came thread by thread, in an order that does not extend rf. */
static void forget_recorded(struct execution *x)
{
	free(x->recorded);
	x->recorded = NULL;
}

/* Of that shape, and of up to a fifth fewer events. */
static void compare(const struct shape *s, uint32_t times, uint64_t seed)
{
	times = (uint32_t)suite_times(times);
	for (uint32_t i = 0; i < times; i++) {
		struct shape shape = *s;
		struct execution x;

		shape.events -= i % (s->events / 5 + 1);
		random_execution(&x, &shape, &seed);
		if (i & 1)
			forget_recorded(&x);
		judge_all(&x);
	}
	tell();
}

static void compare_tangled(uint32_t locs, bool rmws, uint32_t times, uint64_t seed)
{
	times = (uint32_t)suite_times(times);
	for (uint32_t i = 0; i < times; i++) {
		struct execution x;

		tangled_execution(&x, locs, rmws, 90 + 10 * (i & 1), i & 2 ? 100 : 70, &seed);
		judge_all(&x);
	}
	tell();
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

/* Many writes that nothing orders but psc. */
START_TEST(crowded_executions)
{
	compare(&(struct shape){ .events = 26,
				 .threads = 12,
				 .locations = 4,
				 .rmws = 5,
				 .strong = 90,
				 .wild = 50,
				 .stale = 90 },
		2000, 9);
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

START_TEST(executions_of_fifty_events)
{
	compare(&(struct shape){ .events = 50,
				 .threads = 5,
				 .locations = 8,
				 .rmws = 15,
				 .fences = 8,
				 .strong = 25,
				 .wild = 2,
				 .stale = 25 },
		400, 20);
	compare(&(struct shape){ .events = 45,
				 .threads = 6,
				 .locations = 9,
				 .fences = 10,
				 .strong = 50,
				 .wild = 3,
				 .stale = 25 },
		400, 21);
}
END_TEST

START_TEST(executions_of_sixty_events)
{
	compare(&(struct shape){ .events = 60,
				 .threads = 6,
				 .locations = 10,
				 .rmws = 15,
				 .fences = 8,
				 .strong = 30,
				 .wild = 1,
				 .stale = 20 },
		400, 22);
	compare(&(struct shape){ .events = 60,
				 .threads = 4,
				 .locations = 12,
				 .fences = 8,
				 .strong = 40,
				 .wild = 2,
				 .stale = 30 },
		400, 23);
	compare(&(struct shape){ .events = 55,
				 .threads = 3,
				 .locations = 8,
				 .rmws = 40,
				 .fences = 5,
				 .strong = 20,
				 .wild = 1,
				 .stale = 15 },
		400, 24);
}
END_TEST

START_TEST(tangled_executions)
{
	compare_tangled(2, false, 400, 10);
	compare_tangled(2, true, 400, 11);
	compare_tangled(3, false, 400, 12);
	compare_tangled(3, true, 400, 13);
	compare_tangled(4, true, 100, 14);
	compare_tangled(5, true, 100, 15);
	compare_tangled(6, false, 100, 16);
}
END_TEST

/* A read is made to observe any write of its location, until po u rf is cyclic. */
static bool close_porf(struct execution *x, uint64_t *seed)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort)), tries = 0;
	bool cyclic;

	forget_recorded(x);

	while (!(cyclic = execution_sort(x, sort) < x->n) && tries++ < 2000) {
		uint32_t r = prng_below(seed, x->n), w = prng_below(seed, x->n);

		if ((x->kind[r] & EX_READ) && (x->kind[w] & EX_WRITE) && x->loc[r] == x->loc[w] &&
		    !(x->kind[w] & EX_FENCE) && r != w)
			x->rf[r] = w;
	}
	free(sort);
	return cyclic;
}

START_TEST(cycles_of_po_and_rf)
{
	const struct shape shapes[] = {
		{ .events = 12, .threads = 3, .locations = 2, .rmws = 10, .stale = 30 },
		{ .events = 60, .threads = 6, .locations = 4, .rmws = 10, .stale = 30 },
	};
	uint64_t seed = 40;

	for (uint32_t i = 0; i < (uint32_t)suite_times_enough(2000); i++) {
		struct execution x;

		random_execution(&x, &shapes[i & 1], &seed);
		for (int m = 0; m < MODEL_COUNT && (m || close_porf(&x, &seed)); m++)
			judge(&x, m, false);
		execution_release(&x);
	}
	ck_assert(direct > suite_times_enough(1000));
	tell();
}
END_TEST

/* One event or relation of the last case's cycle is another: is it said to be wrong? */
static bool is_noticed(const struct execution *x, int m, struct verdict *v, uint64_t *seed)
{
	static const char *const relations[] = { "po", "rf", "rf^-1", "mo", "fr", "hb" };
	const struct verdict_case *c = &v->cases[v->ncases - 1];
	struct verdict_step *s = &v->steps[c->cycle + prng_below(seed, c->ncycle)], old = *s;
	bool noticed;

	do {
		if (prng_below(seed, 2))
			s->event = prng_below(seed, x->n);
		else
			s->relation = relations[prng_below(seed, 6)];
	} while (s->event == old.event && !strcmp(s->relation, old.relation));
	noticed = refute_refusal(x, (enum engine_model)m, NULL, v) != NULL;
	*s = old;
	return noticed;
}

/* The verifier of refusals is no use if it believes everything. */
START_TEST(false_refusals_are_noticed)
{
	uint32_t tried[MODEL_COUNT] = { 0 }, noticed[MODEL_COUNT] = { 0 };
	uint64_t seed = 30;

	for (uint32_t i = 0; i < (uint32_t)suite_times_enough(2000); i++) {
		struct execution x;
		struct verdict v;
		int m = (int)(i % MODEL_COUNT);

		if (i % 16 < MODEL_COUNT)
			tangled_execution(&x, 2 + i / 16 % 2, true, 100, 100, &seed);
		else
			random_execution(&x,
					 &(struct shape){ .events = 20,
							  .threads = 4,
							  .locations = 3,
							  .rmws = 10,
							  .fences = 10,
							  .strong = 50,
							  .wild = 30,
							  .stale = 50 },
					 &seed);
		checker_best(&x, (enum engine_model)m)->check(&x, (enum engine_model)m, false, &v);
		for (int k = 0; k < 10 && !v.consistent; k++) {
			tried[m]++;
			noticed[m] += is_noticed(&x, m, &v, &seed);
		}
		verdict_release(&v);
		execution_release(&x);
	}
	for (int m = 0; m < MODEL_COUNT; m++) {
		printf("# %s: %u of %u false refusals are noticed\n", model_words[m], noticed[m],
		       tried[m]);
		/* Some changes leave it true: hb where it was po, another thread's write. */
		ck_assert(tried[m] > suite_times_enough(100) && noticed[m] > tried[m] / 10 * 9);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offline");
	TCase *tc = tcase_create("agree");

	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, small_executions);
	tcase_add_test(tc, executions_with_many_rmws);
	tcase_add_test(tc, executions_without_rmws);
	tcase_add_test(tc, executions_with_sc_and_fences);
	tcase_add_test(tc, executions_with_stale_reads);
	tcase_add_test(tc, executions_of_two_locations_with_stale_reads);
	tcase_add_test(tc, crowded_executions);
	tcase_add_test(tc, longer_executions);
	tcase_add_test(tc, longest_executions);
	tcase_add_test(tc, executions_of_fifty_events);
	tcase_add_test(tc, executions_of_sixty_events);
	tcase_add_test(tc, tangled_executions);
	tcase_add_test(tc, cycles_of_po_and_rf);
	tcase_add_test(tc, false_refusals_are_noticed);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
