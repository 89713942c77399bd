/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_proof_waits.c - threads that wait, in the shapes that the proofs of runtime/engine/explore/explore.txt
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

/* One program for each step that needs a condition that random programs seldom do, or did. */
static const char *const programs_of_steps[] = {
	/*
	 * S4: each of two threads could go on with 1, and would then write, behind the 2 that is the last
	 * that the other one might see, a 3. So each is found to go on only while the other one does.
	 */
	"{\"name\":\"both-wait-for-good\",\"init\":{\"x\":0,\"y\":0,\"g\":0,\"h\":0},"
	"\"threads\":[[[\"R\",\"r\",\"h\",\"acq\"],[\"ASSUME\",[\"==\",\"r\",1]],[\"R\","
	"\"f\",\"x\",\"rlx\"],[\"IF\",[\"<\",2,\"f\"],[[\"LOOP\",[[\"R\",\"a\",\"x\","
	"\"rlx\"],[\"BREAK_IF\",[\"==\",\"a\",1]],[\"BREAK_IF\",[\"==\",[\"+\",\"a\","
	"\"f\"],6]],[\"IF\",[\"==\",\"a\",2],[[\"SET\",\"f\",5]],[[\"SET\",\"f\","
	"\"a\"]]]]],[\"W\",\"y\",3,\"rlx\"]],[]]],[[\"R\",\"r\",\"g\",\"acq\"],"
	"[\"ASSUME\",[\"==\",\"r\",1]],[\"R\",\"f\",\"y\",\"rlx\"],[\"IF\",[\"<\",2,"
	"\"f\"],[[\"LOOP\",[[\"R\",\"a\",\"y\",\"rlx\"],[\"BREAK_IF\",[\"==\",\"a\",1]],"
	"[\"BREAK_IF\",[\"==\",[\"+\",\"a\",\"f\"],6]],[\"IF\",[\"==\",\"a\",2],"
	"[[\"SET\",\"f\",5]],[[\"SET\",\"f\",\"a\"]]]]],[\"W\",\"x\",3,\"rlx\"]],[]]],"
	"[[\"W\",\"x\",5,\"rlx\"],[\"W\",\"x\",1,\"rlx\"],[\"W\",\"y\",5,\"rlx\"],[\"W\","
	"\"y\",1,\"rlx\"]],[[\"W\",\"x\",2,\"rlx\"],[\"W\",\"g\",1,\"rel\"]],[[\"W\","
	"\"y\",2,\"rlx\"],[\"W\",\"h\",1,\"rel\"]]]}",
	/* G1: under sc the await cannot observe 0 any more, once the other thread has read y as 0. */
	"{\"name\":\"only-coherence\",\"init\":{\"x\":0,\"y\":0},\"threads\":[[[\"W\","
	"\"y\",1,\"rlx\"],[\"LOOP\",[[\"R\",\"a\",\"x\",\"rlx\"],[\"BREAK_IF\",[\"!=\","
	"\"a\",1]]]]],[[\"W\",\"x\",1,\"rlx\"],[\"R\",\"r\",\"y\",\"rlx\"],[\"W\",\"x\","
	"2,\"rlx\"]]]}",
	/* G1: nor 4, once somebody has read 3 behind it. */
	"{\"name\":\"newest\",\"init\":{\"x\":0},\"threads\":[[[\"R\",\"q\",\"x\","
	"\"rlx\"],[\"ASSUME\",[\"==\",\"q\",3]],[\"LOOP\",[[\"R\",\"a\",\"x\",\"rlx\"],"
	"[\"BREAK_IF\",[\"!=\",\"a\",3]]]]],[[\"W\",\"x\",4,\"rlx\"]],[[\"R\",\"r\","
	"\"x\",\"rlx\"],[\"ASSUME\",[\"==\",\"r\",4]],[\"R\",\"s\",\"x\",\"rlx\"],"
	"[\"ASSUME\",[\"==\",\"s\",3]],[\"W\",\"x\",5,\"rlx\"]],[[\"W\",\"x\",3,\"rlx\"],"
	"[\"W\",\"x\",6,\"rlx\"]]]}",
	/* S5: a last word that the exchange cannot observe, by tso and sra. The engine tried for ever. */
	"{\"name\":\"last-word-not-to-be-taken\",\"init\":{\"y\":0,\"x\":0},"
	"\"threads\":[[[\"W\",\"y\",2,\"rlx\"],[\"LOOP\",[[\"XCHG\",\"a0\",\"x\",0,"
	"\"rlx\"]]]],[[\"LOOP\",[[\"CAS\",\"a1\",\"x\",0,0,\"rlx\",\"rlx\"],"
	"[\"BREAK_IF\",[\"==\",\"a1\",0]]]]],[[\"W\",\"x\",2,\"rlx\"],[\"CAS\",\"a2\","
	"\"y\",0,1,\"rlx\",\"rlx\"]]]}",
	"{\"name\":\"last-word-not-to-be-taken-2\",\"init\":{\"y\":0,\"x\":0},"
	"\"threads\":[[[\"W\",\"y\",1,\"rlx\"]],[[\"LOOP\",[[\"XCHG\",\"a0\",\"y\",2,"
	"\"rlx\"],[\"BREAK_IF\",[\"!=\",\"a0\",2]]]],[\"LOOP\",[[\"XCHG\",\"a1\",\"x\",2,"
	"\"rlx\"]]]],[[\"CAS\",\"r2\",\"x\",0,2,\"rlx\",\"rlx\"]],[[\"W\",\"x\",0,"
	"\"rlx\"],[\"XCHG\",\"a4\",\"y\",1,\"rlx\"]]]}",
};
enum {
	STEPS = sizeof(programs_of_steps) / sizeof(programs_of_steps[0])
};

START_TEST(steps_of_the_proofs)
{
	static struct script s;
	struct compare c;

	compare_init(&c);
	script_parse(&s, programs_of_steps[_i / MODELS]);
	must_be_same(&c, &s, models[_i % MODELS]);
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
	tcase_add_loop_test(tc, steps_of_the_proofs, 0, STEPS * MODELS);
	tcase_add_test(tc, a_loop_without_an_end_is_an_execution);
	tcase_add_loop_test(tc, random_programs_agree_with_brute_force, 0, MODELS * WAITS_SHAPES);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
