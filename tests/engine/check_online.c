/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_online.c - random executions are executions of the model, and all that it has are drawn
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many programs.
 */
#include <check.h>
#include <stdlib.h>

#include "engine/oracle.h"
#include "engine/random.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	DRAWN = 2500,
	PROGRAMS = 400,
	EACH = 100,
	SMALL = 30,    /* executions of a program of which all have to be drawn */
	MOST = 1 << 22 /* executions drawn until they are */
};

/* Asks brute force about these models, all at once. False: too large to know. */
static bool ask(struct oracle *o, const struct script *s, unsigned mask)
{
	struct oracle_options oo = { .models = mask, .rule = s->loops, .max_states = 30000 };

	oracle_run(o, s, &oo);
	return !o->gave_up;
}

/* After so many events memory is given back (0: as is good). */
static uint32_t give_back_after;

/*
 * The same executions with memory given back, if what comes from that can be seen: threads are told the same.
 */
static void draw_giving_back(uint64_t trail, struct runner *r, const struct script *s,
			     const struct runner_options *options)
{
	struct runner_options ro = *options;

	ro.everything = false;
	ck_assert_msg(runner_run(r, s, &ro), "%s under %s, seed %llu: %s", s->name,
		      model_names[ro.model], (unsigned long long)ro.seed, r->error);
	if (r->trail != trail)
		script_print(s, stderr);
	ck_assert_msg(r->trail == trail, "%s under %s, seed %llu: without memory it is another",
		      s->name, model_names[ro.model], (unsigned long long)ro.seed);
}

/* Draws n executions; each must be one that the model has. */
static void draw(const struct oracle *o, struct runner *r, const struct script *s,
		 enum engine_model model, uint64_t seed, unsigned n)
{
	struct runner_options ro = { .mode = ENGINE_ONLINE,
				     .model = model,
				     .rule = s->loops,
				     .seed = seed,
				     .give_back_after = give_back_after,
				     .everything = true,
				     .max_executions = n };

	if (give_back_after && n < 1000) {
		ck_assert_msg(runner_run(r, s, &ro), "%s", r->error);
		draw_giving_back(r->trail, r, s, &ro);
	}
	ck_assert_msg(runner_run(r, s, &ro), "%s under %s, seed %llu: %s", s->name,
		      model_names[model], (unsigned long long)seed, r->error);
	if (o->racy >> model & 1)
		return;
	ck_assert_msg(!r->raced, "%s under %s: a race", s->name, model_names[model]);
	for (int i = 0; i < r->classes.n; i++) {
		const struct class *c = class_set_find(&o->classes, &r->classes.v[i].key);
		if (c && c->models >> model & 1)
			continue;
		script_print(s, stderr);
		key_print(&r->classes.v[i].key, s, stderr);
		ck_abort_msg("%s under %s, seed %llu: an execution the model does not have",
			     s->name, model_names[model], (unsigned long long)seed);
	}
}

/* The same, of a program that brute force has not been asked about. */
static void ask_and_draw(struct oracle *o, struct runner *r, const struct script *s,
			 enum engine_model model, uint64_t seed, unsigned n)
{
	if (ask(o, s, 1u << model))
		draw(o, r, s, model, seed, n);
}

/* Every other program is drawn with memory given back after few events. */
static void vary(uint64_t i)
{
	give_back_after = i % 2 ? 0 : 1 + (uint32_t)(i / 2 % 7);
}

START_TEST(named_programs_stay_within_the_model)
{
	struct litmus *l;
	struct oracle o;
	struct runner r;
	int n, all = 0, seen = 0;

	ck_assert(litmus_load(litmus_path("litmus-named.json"), &l, &n));
	oracle_init(&o);
	runner_init(&r);
	for (int i = 0; i < n; i++) {
		vary((uint64_t)i);
		ask_and_draw(&o, &r, &l[i].script, models[_i], 1, (unsigned)suite_times(DRAWN));
		if (o.racy >> models[_i] & 1 || l[i].script.asserts)
			continue;
		seen += r.classes.n;
		for (int c = 0; c < o.classes.n; c++)
			all += o.classes.v[c].models >> models[_i] & 1;
	}
	printf("# %s: %d of %d classes of the named programs drawn\n", model_names[models[_i]],
	       seen, all);
	fflush(stdout);
	oracle_release(&o);
	runner_release(&r);
	free(l);
}
END_TEST

/* Of the executions that the model has, the first that was not drawn, or NULL. */
static const struct class *first_missing(const struct oracle *o, struct runner *r,
					 enum engine_model model)
{
	for (int i = 0; i < o->classes.n; i++)
		if ((o->classes.v[i].models >> model & 1) &&
		    !class_set_find(&r->classes, &o->classes.v[i].key))
			return &o->classes.v[i];
	return NULL;
}

/* Draws more and more executions of a program until each has been drawn. */
static void draw_all(struct oracle *o, struct runner *r, const struct script *s,
		     enum engine_model model)
{
	if (!ask(o, s, 1u << model) || (o->racy >> model & 1) ||
	    o->classes.n > (give_back_after ? SMALL / 4 : SMALL))
		return;
	for (unsigned n = 64; n <= MOST; n *= 8) {
		draw(o, r, s, model, 1, n);
		if (!first_missing(o, r, model))
			return;
	}
	script_print(s, stderr);
	key_print(&first_missing(o, r, model)->key, s, stderr);
	ck_abort_msg("%s under %s: this is not drawn", s->name, model_names[model]);
}

START_TEST(every_execution_of_named_programs_is_drawn)
{
	struct litmus *l;
	struct oracle o;
	struct runner r;
	int n;

	ck_assert(litmus_load(litmus_path("litmus-named.json"), &l, &n));
	oracle_init(&o);
	runner_init(&r);
	for (int i = 0; i < n; i++) {
		vary((uint64_t)i + 1);
		if (!l[i].script.asserts)
			draw_all(&o, &r, &l[i].script, models[_i]);
	}
	oracle_release(&o);
	runner_release(&r);
	free(l);
}
END_TEST

START_TEST(every_execution_of_random_programs_is_drawn)
{
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	for (uint64_t seed = 0; seed < suite_times(PROGRAMS); seed++) {
		enum random_style style = (enum random_style)(seed % STYLE_COUNT);

		/* Of futexes there are classes in which a thread looks and what it saw is no more: no executions. */
		if (style == STYLE_FUTEX)
			continue;
		random_script(&s, seed, style);
		vary(seed / STYLE_COUNT);
		draw_all(&o, &r, &s, models[_i]);
	}
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

START_TEST(random_programs_stay_within_the_model)
{
	/* The rule of scripts with loops takes rounds for another thing under wra. */
	const unsigned but_wra = (1u << MODEL_COUNT) - 1 - (1u << MODEL_WRA);
	static struct script s;
	struct oracle o;
	struct runner r;
	bool known;

	oracle_init(&o);
	runner_init(&r);
	for (uint64_t seed = 0; seed < suite_times(PROGRAMS); seed++) {
		random_script(&s, seed, (enum random_style)_i);
		vary(seed);
		known = ask(&o, &s, but_wra);
		for (int m = 0; m < MODELS && known; m++)
			if (models[m] != MODEL_WRA)
				draw(&o, &r, &s, models[m], seed, EACH);
		ask_and_draw(&o, &r, &s, MODEL_WRA, seed, EACH);
	}
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

static void store_buffering(struct script *s)
{
	script_parse(s, "{\"name\":\"sb\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
			"[[\"W\",\"x\",1,\"rlx\"],[\"R\",\"r0\",\"y\",\"rlx\"]],"
			"[[\"W\",\"y\",1,\"rlx\"],[\"R\",\"r0\",\"x\",\"rlx\"]]]}");
}

START_TEST(store_buffering_shows_its_four_outcomes_within_200)
{
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	store_buffering(&s);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		ask_and_draw(&o, &r, &s, MODEL_RC11, seed, 200);
		ck_assert_int_eq(r.classes.n, 4);
		ck_assert_uint_eq(r.executions, 200);
	}
	ask_and_draw(&o, &r, &s, MODEL_SC, 1, 200);
	ck_assert_int_eq(r.classes.n, 3);
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

/*
 * x = 1, y = 1 | y == 1, z | z = 1, x: nobody sees neither x nor z, for the accesses of these are sc, and the first thread's x comes
 * before the second one's z by way of y (online.txt, P2).
 */
START_TEST(sc_accesses_are_ordered_by_way_of_other_locations)
{
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	script_parse(&s, "{\"name\":\"away\",\"init\":{\"x\":0,\"y\":0,\"z\":0},\"threads\":["
			 "[[\"W\",\"x\",1,\"sc\"],[\"W\",\"y\",1,\"rel\"]],"
			 "[[\"R\",\"r0\",\"y\",\"acq\"],[\"R\",\"r1\",\"z\",\"sc\"]],"
			 "[[\"W\",\"z\",1,\"sc\"],[\"R\",\"r2\",\"x\",\"sc\"]]]}");
	ask_and_draw(&o, &r, &s, MODEL_RC11, 1, 20000);
	ck_assert_int_eq(r.classes.n, 7);
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

/* x = 1, y = 1 | y, x: who sees y may miss x, for y is relaxed. Then the read of x comes before its write in S. */
START_TEST(sc_reads_may_come_before_writes_that_were_executed)
{
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	script_parse(&s, "{\"name\":\"back\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
			 "[[\"W\",\"x\",1,\"sc\"],[\"W\",\"y\",1,\"rlx\"]],"
			 "[[\"R\",\"r0\",\"y\",\"rlx\"],[\"R\",\"r1\",\"x\",\"sc\"]]]}");
	ask_and_draw(&o, &r, &s, MODEL_RC11, 1, 200);
	ck_assert_int_eq(r.classes.n, 4);
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

START_TEST(a_seed_draws_the_same_executions_again)
{
	static struct script s;
	struct oracle o;
	struct runner a, b;

	oracle_init(&o);
	runner_init(&a);
	runner_init(&b);
	for (uint64_t seed = 0; seed < 50; seed++) {
		random_script(&s, seed, STYLE_MIXED);
		if (!ask(&o, &s, 1u << MODEL_RC11))
			continue;
		draw(&o, &a, &s, MODEL_RC11, seed, 50);
		draw(&o, &b, &s, MODEL_RC11, seed, 50);
		ck_assert_int_eq(a.classes.n, b.classes.n);
		for (int i = 0; i < a.classes.n; i++) {
			const struct class *c = class_set_find(&b.classes, &a.classes.v[i].key);
			ck_assert_ptr_nonnull(c);
			ck_assert_uint_eq(c->visits, a.classes.v[i].visits);
		}
	}
	oracle_release(&o);
	runner_release(&a);
	runner_release(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("online");
	TCase *tc = tcase_create("brute-force");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, store_buffering_shows_its_four_outcomes_within_200);
	tcase_add_test(tc, sc_accesses_are_ordered_by_way_of_other_locations);
	tcase_add_test(tc, sc_reads_may_come_before_writes_that_were_executed);
	tcase_add_test(tc, a_seed_draws_the_same_executions_again);
	tcase_add_loop_test(tc, named_programs_stay_within_the_model, 0, MODELS);
	tcase_add_loop_test(tc, every_execution_of_named_programs_is_drawn, 0, MODELS);
	tcase_add_loop_test(tc, every_execution_of_random_programs_is_drawn, 0, MODELS);
	tcase_add_loop_test(tc, random_programs_stay_within_the_model, 0, STYLE_COUNT);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
