/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_online.c - random executions are executions of the model, and all that it has are drawn
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many programs.
 */
#include <check.h>
#include <stdlib.h>

#include "engine/drawn.h"
#include "engine/random.h"
#include "engine/script_json.h"
#include "suite.h"

enum {
	DRAWN = 2500,
	PROGRAMS = 400,
	EACH = 100
};

/* After so many events memory is given back (0: as is good). Every other program is drawn with few. */
static uint32_t give_back_after;

static void vary(uint64_t i)
{
	give_back_after = i % 2 ? 0 : 1 + (uint32_t)(i / 2 % 7);
}

/* Draws n executions; each must be one that the model has. */
static void draw(const struct oracle *o, struct runner *r, const struct script *s,
		 enum engine_model model, uint64_t seed, unsigned n)
{
	drawn_are_of_model(o, r, s,
			   &(struct runner_options){ .model = model,
						     .seed = seed,
						     .give_back_after = give_back_after,
						     .max_executions = n });
}

/* The same, of a program that brute force has not been asked about. */
static void ask_and_draw(struct oracle *o, struct runner *r, const struct script *s,
			 enum engine_model model, uint64_t seed, unsigned n)
{
	if (drawn_ask(o, s, 1u << model))
		draw(o, r, s, model, seed, n);
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
		ask_and_draw(&o, &r, &l[i].script, drawn_models[_i], 1,
			     (unsigned)suite_times(DRAWN));
		if (o.racy >> drawn_models[_i] & 1 || l[i].script.asserts)
			continue;
		seen += r.classes.n;
		for (int c = 0; c < o.classes.n; c++)
			all += o.classes.v[c].models >> drawn_models[_i] & 1;
	}
	printf("# %s: %d of %d classes of the named programs drawn\n",
	       model_names[drawn_models[_i]], seen, all);
	fflush(stdout);
	oracle_release(&o);
	runner_release(&r);
	free(l);
}
END_TEST

static void draw_all(struct oracle *o, struct runner *r, const struct script *s,
		     enum engine_model model)
{
	drawn_all(o, r, s,
		  &(struct runner_options){
			  .model = model, .seed = 1, .give_back_after = give_back_after });
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
		if (!l[i].script.asserts && suite_has((uint64_t)(i + _i)))
			draw_all(&o, &r, &l[i].script, drawn_models[_i]);
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
		draw_all(&o, &r, &s, drawn_models[_i]);
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
		known = drawn_ask(&o, &s, but_wra);
		for (int m = 0; m < DRAWN_MODELS && known; m++)
			if (drawn_models[m] != MODEL_WRA)
				draw(&o, &r, &s, drawn_models[m], seed, EACH);
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

/* n executions of the program show all that the model has, and these are so many. */
static void shows(const char *program, enum engine_model model, unsigned n, int classes)
{
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	script_parse(&s, program);
	ask_and_draw(&o, &r, &s, model, 1, n);
	ck_assert_int_eq(r.classes.n, classes);
	for (int i = 0; i < o.classes.n; i++)
		classes -= o.classes.v[i].models >> model & 1;
	ck_assert_int_eq(classes, 0);
	oracle_release(&o);
	runner_release(&r);
}

/*
 * x = 1, y = 1 | y == 1, z | z = 1, x: nobody sees neither x nor z, for the accesses of these are sc, and the first thread's x comes
 * before the second one's z by way of y (online.txt, P2).
 */
START_TEST(sc_accesses_are_ordered_by_way_of_other_locations)
{
	shows("{\"name\":\"away\",\"init\":{\"x\":0,\"y\":0,\"z\":0},\"threads\":["
	      "[[\"W\",\"x\",1,\"sc\"],[\"W\",\"y\",1,\"rel\"]],"
	      "[[\"R\",\"r0\",\"y\",\"acq\"],[\"R\",\"r1\",\"z\",\"sc\"]],"
	      "[[\"W\",\"z\",1,\"sc\"],[\"R\",\"r2\",\"x\",\"sc\"]]]}",
	      MODEL_RC11, 20000, 7);
}
END_TEST

/* x = 1, y = 1 | y, x: who sees y may miss x, for y is relaxed. Then the read of x comes before its write in S. */
START_TEST(sc_reads_may_come_before_writes_that_were_executed)
{
	shows("{\"name\":\"back\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	      "[[\"W\",\"x\",1,\"sc\"],[\"W\",\"y\",1,\"rlx\"]],"
	      "[[\"R\",\"r0\",\"y\",\"rlx\"],[\"R\",\"r1\",\"x\",\"sc\"]]]}",
	      MODEL_RC11, 200, 4);
}
END_TEST

/*
 * The second thread gets the lock as soon as its release has left the first one's buffer, before the first takes it again;
 * and what it had stored to x has left its own before the first stored to x (online.txt, T4).
 */
START_TEST(who_waits_may_be_next_when_a_store_has_left_its_buffer)
{
	shows("{\"name\":\"next\",\"init\":{\"x\":0,\"m\":0},\"threads\":["
	      "[[\"LOCK\",\"m\"],[\"W\",\"x\",1,\"rlx\"],[\"UNLOCK\",\"m\"],"
	      "[\"LOCK\",\"m\"],[\"R\",\"r0\",\"x\",\"rlx\"],[\"UNLOCK\",\"m\"]],"
	      "[[\"W\",\"x\",2,\"rlx\"],[\"LOCK\",\"m\"],[\"UNLOCK\",\"m\"]]]}",
	      MODEL_TSO, 2000, 5);
}
END_TEST

/*
 * x = 1, y = 1 | x = 2 | x, y, fence, x: who sees y knows of 1 behind the fence, and misses what was there before, also where it does
 * not know of 2, which comes later in mo, and has looked at x already.
 */
START_TEST(a_fence_tells_of_writes_that_are_not_the_last)
{
	shows("{\"name\":\"told\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	      "[[\"W\",\"x\",1,\"rlx\"],[\"W\",\"y\",1,\"rel\"]],"
	      "[[\"W\",\"x\",2,\"rlx\"]],"
	      "[[\"R\",\"r0\",\"x\",\"rlx\"],[\"R\",\"r1\",\"y\",\"rlx\"],[\"F\",\"acq\"],"
	      "[\"R\",\"r2\",\"x\",\"rlx\"]]]}",
	      MODEL_RC11, 20000, 13);
}
END_TEST

/*
 * y = 1, x = 1, z = 1 | y, z, x: who sees y knows of all up to it, and may miss the write right behind it, also when it has happened, since z is
 * seen (and is relaxed).
 */
START_TEST(what_comes_right_behind_is_not_known)
{
	shows("{\"name\":\"behind\",\"init\":{\"x\":0,\"y\":0,\"z\":0},\"threads\":["
	      "[[\"W\",\"y\",1,\"rel\"],[\"W\",\"x\",1,\"rlx\"],[\"W\",\"z\",1,\"rlx\"]],"
	      "[[\"R\",\"r0\",\"y\",\"acq\"],[\"R\",\"r1\",\"z\",\"rlx\"],"
	      "[\"R\",\"r2\",\"x\",\"rlx\"]]]}",
	      MODEL_RC11, 5000, 8);
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
		if (!drawn_ask(&o, &s, 1u << MODEL_RC11))
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
	tcase_add_test(tc, who_waits_may_be_next_when_a_store_has_left_its_buffer);
	tcase_add_test(tc, a_fence_tells_of_writes_that_are_not_the_last);
	tcase_add_test(tc, what_comes_right_behind_is_not_known);
	tcase_add_test(tc, a_seed_draws_the_same_executions_again);
	tcase_add_loop_test(tc, named_programs_stay_within_the_model, 0, DRAWN_MODELS);
	tcase_add_loop_test(tc, every_execution_of_named_programs_is_drawn, 0, DRAWN_MODELS);
	tcase_add_loop_test(tc, every_execution_of_random_programs_is_drawn, 0, DRAWN_MODELS);
	tcase_add_loop_test(tc, random_programs_stay_within_the_model, 0, STYLE_COUNT);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
