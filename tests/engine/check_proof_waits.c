/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_proof_waits.c - threads that wait, in the shapes that the proofs of runtime/engine/explore.txt
 * are about, against brute force
 *
 *	check_proof_waits				what `make check` runs
 *	check_proof_waits --long N --from SEED		N programs of each shape, per model
 */
#include <check.h>

#include "engine/compare.h"
#include "engine/random_waits.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0])
};

static const unsigned programs[WAITS_SHAPES] = {
	[WAITS_RACES] = 400,
	[WAITS_MUTUAL] = 300,
	[WAITS_OBJECTS] = 200,
	[WAITS_CROWD] = 150,
};

static uint64_t from_seed = 1, long_run;

/* Fails with the shrunk program and what differs. */
static void must_be_same(struct compare *c, struct script *s, enum engine_model model)
{
	if (compare_script(c, s, model, s->loops) != COMPARE_DIFFERS)
		return;
	compare_shrink(c, s, s->loops);
	compare_explain(c, s, stderr);
	script_to_json(s, stderr);
	ck_abort_msg("%s under %s differs", s->name, model_names[model]);
}

START_TEST(random_programs_agree_with_brute_force)
{
	enum engine_model model = models[_i / WAITS_SHAPES];
	enum waits_shape shape = (enum waits_shape)(_i % WAITS_SHAPES);
	uint64_t want = long_run ? long_run : suite_times(programs[shape]);
	static struct script s;
	struct compare c;
	uint64_t racy = 0;

	compare_init(&c);
	for (uint64_t seed = from_seed; c.scripts < want; seed++) {
		waits_script(&s, seed, shape);
		must_be_same(&c, &s, model);
		racy += c.runner.raced;
	}
	/* Brute force has a say on races only where there are some, and programs without. */
	if (shape == WAITS_RACES && want >= 100)
		ck_assert(racy && racy < want);
	printf("# %s, %s: %llu programs, %llu executions, %llu wasted, %llu with a race\n",
	       model_names[model], waits_names[shape], (unsigned long long)c.scripts,
	       (unsigned long long)c.classes, (unsigned long long)c.wasted,
	       (unsigned long long)racy);
	fflush(stdout);
	compare_release(&c);
}
END_TEST

/*
 * Two threads that wait, at x and y. Each could go on with 1, and would then write, behind the 2 that is
 * the last that the other one might see, a 3. So each of the two is found to go on only while the other one
 * does (explore.txt, S4). They wait for good in the execution in which both wait.
 */
static const char both_wait_for_good[] =
	"{\"name\":\"both-wait-for-good\",\"init\":{\"x\":0,\"y\":0,\"g\":0,\"h\":0},"
	"\"threads\":[[[\"R\",\"r\",\"h\",\"acq\"],[\"ASSUME\",[\"==\",\"r\",1]],[\"R\","
	"\"f\",\"x\",\"rlx\"],[\"IF\",[\"<\",2,\"f\"],[[\"LOOP\",[[\"R\",\"a\",\"x\","
	"\"rlx\"],[\"BREAK_IF\",[\"==\",\"a\",1]],[\"BREAK_IF\",[\"==\",[\"+\",\"a\",\"f\"],"
	"6]],[\"IF\",[\"==\",\"a\",2],[[\"SET\",\"f\",5]],[[\"SET\",\"f\",\"a\"]]]]],[\"W\","
	"\"y\",3,\"rlx\"]],[]]],[[\"R\",\"r\",\"g\",\"acq\"],[\"ASSUME\",[\"==\",\"r\",1]],"
	"[\"R\",\"f\",\"y\",\"rlx\"],[\"IF\",[\"<\",2,\"f\"],[[\"LOOP\",[[\"R\",\"a\",\"y\","
	"\"rlx\"],[\"BREAK_IF\",[\"==\",\"a\",1]],[\"BREAK_IF\",[\"==\",[\"+\",\"a\",\"f\"],"
	"6]],[\"IF\",[\"==\",\"a\",2],[[\"SET\",\"f\",5]],[[\"SET\",\"f\",\"a\"]]]]],[\"W\","
	"\"x\",3,\"rlx\"]],[]]],[[\"W\",\"x\",5,\"rlx\"],[\"W\",\"x\",1,\"rlx\"],[\"W\","
	"\"y\",5,\"rlx\"],[\"W\",\"y\",1,\"rlx\"]],[[\"W\",\"x\",2,\"rlx\"],[\"W\",\"g\",1,"
	"\"rel\"]],[[\"W\",\"y\",2,\"rlx\"],[\"W\",\"h\",1,\"rel\"]]]}";

START_TEST(two_threads_that_could_end_each_others_wait)
{
	static struct script s;
	struct compare c;

	compare_init(&c);
	script_parse(&s, both_wait_for_good);
	must_be_same(&c, &s, models[_i]);
	compare_release(&c);
}
END_TEST

/* Under wra no write is the latest: a loop without an end is no bug there, but it is an execution. */
static const char nobody_knows_the_latest[] =
	"{\"name\":\"nobody-knows-the-latest\",\"init\":{\"z\":0,\"x\":0},"
	"\"threads\":[[[\"W\",\"z\",1,\"rlx\"]],[[\"W\",\"z\",2,\"rlx\"],[\"LOOP\",[[\"R\","
	"\"a1\",\"z\",\"rlx\"],[\"R\",\"b2\",\"x\",\"rlx\"]]]]]}";

START_TEST(a_loop_without_an_end_is_an_execution)
{
	struct runner_options opt = { .model = MODEL_WRA, .rule = true };
	static struct script s;
	struct runner r;

	script_parse(&s, nobody_knows_the_latest);
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 0);
	ck_assert_uint_gt(r.endings[CLASS_BLOCKED], 0);
	runner_release(&r);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("proof_waits");
	TCase *tc = tcase_create("brute-force");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, long_run ? 0 : 600);
	tcase_add_loop_test(tc, two_threads_that_could_end_each_others_wait, 0, MODELS);
	tcase_add_test(tc, a_loop_without_an_end_is_an_execution);
	tcase_add_loop_test(tc, random_programs_agree_with_brute_force, 0, MODELS * WAITS_SHAPES);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
