/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_explore.c - the engine visits each execution once: against brute force
 *
 *	check_explore			what `make check` runs
 *	check_explore --long N --from SEED	N random programs at least, per model and
 *						equivalence, from that seed
 *
 * Random programs of every style, the litmus files of the conformance suite, and programs
 * on which an engine once went wrong.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare.h"
#include "engine/random.h"
#include "engine/random_orders.h"
#include "engine/random_sc.h"
#include "engine/script_json.h"
#include "suite.h"

/* A new model only adds a row. */
static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0])
};

/* The styles of random.h, and behind them the programs of random_sc.h and random_orders.h. */
enum {
	STYLE_ACCESSES = STYLE_COUNT,
	STYLE_ORDERS,
	STYLES
};

/* Programs of each style, per model: at least 5,000 in all by rf, and half as many by mo. */
static const unsigned share[STYLES] = {
	[STYLE_MIXED] = 1500,    [STYLE_PLAIN] = 500,  [STYLE_RMW] = 700,   [STYLE_SC] = 800,
	[STYLE_LOCKS] = 700,     [STYLE_SYNC] = 400,   [STYLE_LOOPS] = 300, [STYLE_NA] = 400,
	[STYLE_MUTEX] = 700,     [STYLE_AWAIT] = 800,  [STYLE_RETRY] = 600, [STYLE_OBJECTS] = 500,
	[STYLE_FUTEX] = 400,     [STYLE_COUNTS] = 300, [STYLE_SETS] = 400,  [STYLE_FENCES] = 600,
	[STYLE_ACCESSES] = 1000, [STYLE_ORDERS] = 600,
};

/* Of the first programs of each style, as printed: a change of the generator changes it. */
#define PROGRAMS_HASH 0xe30f75603fdc1d60u

static uint64_t from_seed = 1, long_run;

/* Fails with the shrunk program and what differs. */
static void must_be_same(struct compare *c, struct script *s, enum engine_model model)
{
	char *text = NULL;
	size_t size = 0;
	bool rule = s->loops;
	FILE *f;

	if (compare_script(c, s, model, rule) != COMPARE_DIFFERS)
		return;
	f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(f);
	fprintf(f, "%s under %s, shrunk:\n", s->name, model_names[model]);
	compare_shrink(c, s, rule);
	compare_explain(c, s, f);
	script_to_json(s, f);
	fclose(f);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
	fflush(stdout);
	ck_abort_msg("%s under %s differs", s->name, model_names[model]);
}

/* What was compared under one model. */
struct sums {
	uint64_t scripts, classes, wasted;
};

static void report(const struct sums *sum, enum engine_model model, const char *what)
{
	uint64_t all = sum->classes + sum->wasted;

	printf("# %s, %s: %llu programs, %llu executions, %llu explorations wasted (%.2f%%)\n",
	       model_names[model], what, (unsigned long long)sum->scripts,
	       (unsigned long long)sum->classes, (unsigned long long)sum->wasted,
	       all ? 100.0 * (double)sum->wasted / (double)all : 0.0);
	fflush(stdout);
}

/* The same program under each of them; brute force is asked once, if it can be. */
static void under_all(struct compare *c, struct script *s, const bool *asked, struct sums *sum)
{
	for (int m = 0; m < MODELS; m++) {
		const struct sums before = { c->scripts, c->classes, c->wasted };

		if (!asked[m])
			continue;
		must_be_same(c, s, models[m]);
		sum[m].scripts += c->scripts - before.scripts;
		sum[m].classes += c->classes - before.classes;
		sum[m].wasted += c->wasted - before.wasted;
	}
}

/* How many programs of a style: its share of those asked for, or one in `part` of the table's. */
static uint64_t programs_of(int style, unsigned part)
{
	uint64_t all = 0;

	if (!long_run)
		return suite_times(share[style] / part);
	for (int i = 0; i < STYLES; i++)
		all += share[i];
	return (long_run * share[style] + all - 1) / all;
}

static void make(struct script *s, uint64_t seed, int style)
{
	if (style == STYLE_ACCESSES)
		sc_script(s, seed);
	else if (style == STYLE_ORDERS)
		orders_script(s, seed);
	else
		random_script(s, seed, (enum random_style)style);
}

/* The programs of one style under all models. */
static void random_programs(enum engine_equivalence equivalence, int style, unsigned part)
{
	const char *name = style == STYLE_ACCESSES ? "accesses"
			   : style == STYLE_ORDERS ? "orders"
						   : style_names[style];
	static struct script s;
	struct sums sum[MODELS] = { { 0 } };
	bool asked[MODELS];
	struct compare c;
	uint64_t want = programs_of(style, part), n = 0;
	unsigned mask = 0;

	compare_init(&c);
	c.equivalence = equivalence;
	for (int m = 0; m < MODELS; m++) {
		/* wra has no modification order */
		asked[m] = equivalence == EQUIV_RF || models[m] != MODEL_WRA;
		mask |= (unsigned)asked[m] << models[m];
	}
	for (uint64_t seed = from_seed; n < want; seed++) {
		make(&s, seed, style);
		if (!compare_ask(&c, &s, mask, s.loops))
			continue;
		under_all(&c, &s, asked, sum);
		n++;
	}
	for (int m = 0; m < MODELS; m++)
		if (asked[m])
			report(&sum[m], models[m], name);
	printf("# %s: %llu programs too large\n", name, (unsigned long long)c.too_large);
	fflush(stdout);
	compare_release(&c);
}

START_TEST(random_programs_visit_each_class_once)
{
	random_programs(EQUIV_RF, _i, 1);
}
END_TEST

START_TEST(random_programs_visit_each_modification_order_once)
{
	random_programs(EQUIV_MO, _i, 2);
}
END_TEST

/* The generator promises the same programs whatever the compiler and the machine. */
START_TEST(a_seed_names_one_program)
{
	static struct script s;
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 0; i < 100 * STYLE_COUNT; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		ck_assert_ptr_nonnull(f);
		random_script(&s, (uint64_t)i / STYLE_COUNT, (enum random_style)(i % STYLE_COUNT));
		script_print(&s, f);
		fclose(f);
		for (size_t c = 0; c < size; c++)
			hash = (hash ^ (uint8_t)text[c]) * 0x100000001b3u;
		free(text);
	}
	ck_assert_msg(hash == PROGRAMS_HASH, "other programs: %#llx", (unsigned long long)hash);
}
END_TEST

static void litmus_file(const char *file, enum engine_model model,
			enum engine_equivalence equivalence)
{
	struct litmus *l;
	struct compare c;
	int n;

	ck_assert_msg(litmus_load(litmus_path(file), &l, &n), "%s cannot be read", file);
	compare_init(&c);
	c.equivalence = equivalence;
	for (int i = 0; i < n; i++) {
		const struct litmus_expect *e = &l[i].expect[model];
		must_be_same(&c, &l[i].script, model);
		ck_assert_msg(e->race || e->assertion ||
				      (c.runner.endings[CLASS_COMPLETE] ==
					       (equivalence == EQUIV_MO ? e->mo : e->rf) &&
				       (equivalence == EQUIV_MO ||
					c.runner.endings[CLASS_BLOCKED] == e->blocked)),
			      "%s under %s", l[i].script.name, model_names[model]);
	}
	report(&(struct sums){ c.scripts, c.classes, c.wasted }, model, file);
	compare_release(&c);
	free(l);
}

START_TEST(litmus_files_have_the_expected_counts)
{
	litmus_file("litmus-named.json", models[_i], EQUIV_RF);
	litmus_file("litmus-random.json", models[_i], EQUIV_RF);
	if (models[_i] == MODEL_WRA)
		return;
	litmus_file("litmus-named.json", models[_i], EQUIV_MO);
	litmus_file("litmus-random.json", models[_i], EQUIV_MO);
}
END_TEST

/* Programs on which some version of an engine went wrong, or one without a condition would; the name says what was lost. */
#define FIVE                                                                             \
	"[\"W\",\"own\",1,\"rlx\"],[\"W\",\"own\",2,\"rlx\"],[\"W\",\"own\",3,\"rlx\"]," \
	"[\"W\",\"own\",4,\"rlx\"],[\"W\",\"own\",5,\"rlx\"],"
static const char *const regressions[] = {
	/* canonical() by insertion order instead of names loses an execution (explore.txt, E2) */
	"{\"name\":\"canonical-by-stamp\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"R\",\"r0\",\"y\",\"acq\"],[\"CAS\",\"r1\",\"x\",1,2,\"acq_rel\",\"acq\"]],"
	"[[\"W\",\"x\",1,\"rel\"],[\"R\",\"r0\",\"x\",\"acq\"],[\"W\",\"y\",2,\"rel\"]],"
	"[[\"W\",\"x\",3,\"rel\"]]]}",
	/* Section 2.6 of the GenMC paper: two and three fetch-and-adds */
	"{\"name\":\"fai-2\",\"init\":{\"x\":0},\"threads\":[[[\"FAI\",\"r0\",\"x\",1,\"rlx\"]],"
	"[[\"FAI\",\"r0\",\"x\",1,\"rlx\"]]]}",
	"{\"name\":\"fai-3\",\"init\":{\"x\":0},\"threads\":[[[\"FAI\",\"r0\",\"x\",1,\"rlx\"]],"
	"[[\"FAI\",\"r0\",\"x\",1,\"rlx\"]],[[\"FAI\",\"r0\",\"x\",1,\"rlx\"]]]}",
	/* Section 2.7: locks that compete, and one that is held for ever */
	"{\"name\":\"lock-3\",\"init\":{\"m\":0},\"threads\":[[[\"LOCK\",\"m\"],[\"UNLOCK\",\"m\"]],"
	"[[\"LOCK\",\"m\"],[\"UNLOCK\",\"m\"]],[[\"LOCK\",\"m\"],[\"UNLOCK\",\"m\"]]]}",
	"{\"name\":\"lock-held\",\"init\":{\"m\":0,\"x\":0},\"threads\":[[[\"LOCK\",\"m\"]],"
	"[[\"LOCK\",\"m\"],[\"UNLOCK\",\"m\"]],[[\"LOCK\",\"m\"],[\"W\",\"x\",1,\"rlx\"],"
	"[\"UNLOCK\",\"m\"]]]}",
	"{\"name\":\"lock-order\",\"init\":{\"m\":0,\"n\":0},\"threads\":[[[\"LOCK\",\"m\"],"
	"[\"LOCK\",\"n\"],[\"UNLOCK\",\"n\"],[\"UNLOCK\",\"m\"]],[[\"LOCK\",\"n\"],[\"LOCK\",\"m\"],"
	"[\"UNLOCK\",\"m\"],[\"UNLOCK\",\"n\"]]]}",
	"{\"name\":\"sem-wakes-one\",\"init\":{\"s\":0},\"threads\":[[[\"SEM_WAIT\",\"s\"]],"
	"[[\"SEM_WAIT\",\"s\"]],[[\"SEM_POST\",\"s\"]]]}",
	/* a compare-and-swap has its failure order while it is asked what it may read */
	"{\"name\":\"cas-failure-order\",\"init\":{\"x\":0,\"z\":0},\"threads\":["
	"[[\"W\",\"z\",2,\"sc\"]],[[\"FAI\",\"r1\",\"x\",1,\"sc\"],[\"R\",\"r2\",\"z\",\"sc\"]],"
	"[[\"R\",\"r3\",\"z\",\"sc\"],[\"CAS\",\"r4\",\"x\",1,2,\"sc\",\"rlx\"]]]}",
	/* two awaits that cannot both be for good: not stuck */
	"{\"name\":\"awaits-together\",\"init\":{\"x\":0},\"threads\":["
	"[[\"W\",\"x\",1,\"rlx\"],[\"LOOP\",[[\"R\",\"a0\",\"x\",\"rlx\"]]]],[[\"W\",\"x\",1,\"rlx\"]],"
	"[[\"LOOP\",[[\"R\",\"a1\",\"x\",\"rlx\"]]]]]}",
	"{\"name\":\"cond-signal\",\"init\":{\"m\":0,\"c\":0,\"x\":0},\"threads\":["
	"[[\"LOCK\",\"m\"],[\"COND_WAIT\",\"c\",\"m\"],[\"UNLOCK\",\"m\"]],"
	"[[\"LOCK\",\"m\"],[\"COND_WAIT\",\"c\",\"m\"],[\"UNLOCK\",\"m\"]],"
	"[[\"LOCK\",\"m\"],[\"SIGNAL\",\"c\"],[\"UNLOCK\",\"m\"]]]}",
	/* a revisit that keeps many events in a row, and deletes one behind them */
	"{\"name\":\"kept-in-a-row\",\"init\":{\"x\":0,\"z\":0,\"f\":0,\"own\":0},\"threads\":["
	"[[\"R\",\"r0\",\"x\",\"rlx\"]],[" FIVE FIVE FIVE FIVE "[\"W\",\"f\",1,\"rlx\"]],"
	"[[\"R\",\"r1\",\"z\",\"rlx\"]],[[\"R\",\"r2\",\"f\",\"rlx\"],[\"W\",\"x\",\"r2\",\"rlx\"]],"
	"[[\"W\",\"z\",1,\"rlx\"]]]}",
	/* One order of writes may change to show that a read observes one of them (witness_moves()): not for the write
	 * of an exchange, */
	"{\"name\":\"moves-an-exchange\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"y\",2,\"rlx\"],[\"R\",\"r1\",\"x\",\"rlx\"],[\"XCHG\",\"r2\",\"y\",1,\"rlx\"]],"
	"[[\"XCHG\",\"r3\",\"x\",1,\"rlx\"],[\"W\",\"y\",2,\"rlx\"],[\"R\",\"r4\",\"y\",\"rlx\"]]]}",
	/* nor for one that happens before another one, */
	"{\"name\":\"moves-what-is-overwritten\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"x\",1,\"rlx\"],[\"W\",\"x\",2,\"sc\"],[\"R\",\"r0\",\"y\",\"sc\"]],"
	"[[\"W\",\"x\",3,\"rlx\"],[\"R\",\"r1\",\"x\",\"rlx\"]],"
	"[[\"W\",\"y\",1,\"sc\"],[\"R\",\"r2\",\"x\",\"sc\"]]]}",
	/* nor where sc fences order more, */
	"{\"name\":\"moves-with-fences\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"x\",1,\"rlx\"],[\"F\",\"sc\"],[\"R\",\"r0\",\"y\",\"rlx\"]],"
	"[[\"W\",\"y\",1,\"rlx\"],[\"F\",\"sc\"],[\"W\",\"x\",2,\"rlx\"]],"
	"[[\"R\",\"r1\",\"x\",\"rlx\"],[\"R\",\"r2\",\"x\",\"rlx\"]]]}",
	/* nor if it leads to who reads one that comes before it then; */
	"{\"name\":\"moves-past-readers\",\"init\":{\"x\":0,\"y\":0},\"threads\":[[[\"W\",\"x\",3,\"rlx\"]],"
	"[[\"W\",\"x\",1,\"sc\"],[\"R\",\"r0\",\"y\",\"sc\"]],[[\"W\",\"y\",2,\"sc\"]],"
	"[[\"R\",\"r1\",\"y\",\"sc\"],[\"R\",\"r2\",\"x\",\"sc\"],[\"R\",\"r3\",\"x\",\"rlx\"]]]}",
	/* and what was found out with the order before is to be asked again */
	"{\"name\":\"moves-meanwhile\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"x\",3,\"rlx\"],[\"R\",\"r0\",\"y\",\"rlx\"],[\"R\",\"r1\",\"y\",\"rlx\"]],"
	"[[\"W\",\"x\",2,\"rlx\"],[\"W\",\"y\",1,\"rlx\"],[\"W\",\"x\",2,\"rlx\"]],"
	"[[\"W\",\"y\",2,\"rlx\"],[\"R\",\"r2\",\"x\",\"rlx\"],[\"R\",\"r4\",\"x\",\"rlx\"]]]}",
	"{\"name\":\"moves-in-buffers\",\"init\":{\"y\":0,\"x\":0},\"threads\":["
	"[[\"W\",\"y\",2,\"rlx\"],[\"W\",\"x\",3,\"rlx\"],[\"W\",\"y\",3,\"rlx\"]],"
	"[[\"R\",\"r1\",\"x\",\"rlx\"],[\"R\",\"r2\",\"y\",\"rlx\"]],"
	"[[\"W\",\"x\",2,\"rlx\"],[\"R\",\"r3\",\"y\",\"rlx\"],[\"R\",\"r4\",\"x\",\"rlx\"]]]}",
	/* (it comes behind all that came after it) */
	"{\"name\":\"moves-past-several\",\"init\":{\"y\":0,\"x\":0},\"threads\":["
	"[[\"W\",\"y\",2,\"rlx\"],[\"W\",\"x\",3,\"rlx\"],[\"W\",\"y\",3,\"rlx\"],[\"R\",\"r0\",\"x\",\"rlx\"]],"
	"[[\"R\",\"r1\",\"x\",\"rlx\"],[\"R\",\"r2\",\"y\",\"rlx\"]],"
	"[[\"W\",\"x\",2,\"rlx\"],[\"R\",\"r4\",\"x\",\"rlx\"]],[[\"W\",\"x\",3,\"rlx\"]]]}",
	/* What no order allows is refuted: in a cut the order of the whole graph does not count, */
	"{\"name\":\"refuted-in-a-cut\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"x\",2,\"sc\"],[\"W\",\"y\",1,\"rel\"]],"
	"[[\"W\",\"x\",3,\"sc\"],[\"R\",\"r1\",\"y\",\"acq\"],[\"R\",\"r2\",\"x\",\"rlx\"]],"
	"[[\"CAS\",\"r3\",\"y\",0,2,\"rlx\",\"rlx\"]]]}",
	/* and what is no sc access is in no order of those */
	"{\"name\":\"refuted-by-relaxed\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
	"[[\"W\",\"y\",1,\"sc\"],[\"W\",\"x\",3,\"rlx\"],[\"R\",\"r1\",\"y\",\"rlx\"]],"
	"[[\"R\",\"r2\",\"x\",\"rlx\"],[\"R\",\"r3\",\"x\",\"rlx\"]],"
	"[[\"W\",\"x\",2,\"sc\"],[\"W\",\"y\",1,\"sc\"],[\"XCHG\",\"r4\",\"y\",1,\"rlx\"]]]}",
	/* What happens after an sc fence leads on to who reads it, though that is no edge of hb */
	"{\"name\":\"fences-and-a-reader\",\"init\":{\"x\":0,\"y\":0,\"z\":0,\"f\":0},\"threads\":["
	"[[\"W\",\"z\",1,\"rlx\"],[\"F\",\"sc\"],[\"W\",\"f\",1,\"rel\"]],"
	"[[\"R\",\"r0\",\"f\",\"acq\"],[\"W\",\"y\",1,\"rlx\"],[\"W\",\"y\",2,\"rlx\"]],"
	"[[\"R\",\"r1\",\"y\",\"rlx\"],[\"F\",\"sc\"],[\"R\",\"r2\",\"x\",\"rlx\"]],"
	"[[\"W\",\"x\",1,\"rlx\"],[\"F\",\"sc\"],[\"R\",\"r3\",\"z\",\"rlx\"]]]}",
	/* sra: of two chains of writes of x the first must come behind the second, though nothing orders them. If it came before, each of
	 * the two of y had to come before the other. */
	"{\"name\":\"chains-choose\",\"init\":{\"x\":0,\"y\":0,\"q\":0},\"threads\":["
	"[[\"W\",\"x\",7,\"rlx\"],[\"W\",\"y\",2,\"rlx\"],[\"W\",\"q\",1,\"rlx\"]],"
	"[[\"W\",\"y\",1,\"rlx\"],[\"R\",\"r1\",\"q\",\"rlx\"],[\"FAI\",\"r2\",\"x\",1,\"rlx\"]],"
	"[[\"W\",\"x\",5,\"rlx\"],[\"FAI\",\"r3\",\"y\",1,\"rlx\"]],"
	"[[\"R\",\"r4\",\"x\",\"rlx\"],[\"FAI\",\"r5\",\"y\",1,\"rlx\"]]]}",
};
enum {
	REGRESSIONS = sizeof(regressions) / sizeof(regressions[0])
};

START_TEST(programs_that_went_wrong_once)
{
	static struct script s;
	struct compare c;

	compare_init(&c);
	for (int m = 0; m < MODELS; m++) {
		script_parse(&s, regressions[_i]);
		must_be_same(&c, &s, models[m]);
	}
	compare_release(&c);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("explore");
	TCase *tc = tcase_create("brute-force"), *once = tcase_create("went-wrong-once");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, long_run ? 0 : 600);
	tcase_add_test(tc, a_seed_names_one_program);
	tcase_set_timeout(once, 600);
	tcase_add_loop_test(once, programs_that_went_wrong_once, 0, REGRESSIONS);
	suite_add_tcase(s, once);
	tcase_add_loop_test(tc, litmus_files_have_the_expected_counts, 0, MODELS);
	tcase_add_loop_test(tc, random_programs_visit_each_class_once, 0, STYLES);
	tcase_add_loop_test(tc, random_programs_visit_each_modification_order_once, 0, STYLES);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
