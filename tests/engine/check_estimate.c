/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_estimate.c - random descents say how large an exploration is, and nothing of it depends on them
 *
 *	check_estimate			what `make check` runs
 *	check_estimate --long N --from SEED	N random programs of each style and model, from that seed
 *
 * Random programs are explored, which says how many executions there are; then only descents are made
 * (runtime/engine/explore/estimate.c), from several seeds. Their mean has to be that number, as near as its own spread says: of all programs together as well, where a
 * bias of a few percent would show. And they are explored with a descent behind every few runs: then all that is counted has to be the same.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "engine/random.h"
#include "engine/random_conds.h"
#include "engine/random_waits.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	TOO_LARGE = 500, /* executions of a program that is left out */
	DESCENTS = 1000,
	STYLES = STYLE_COUNT + WAITS_SHAPES + 1,
};

static uint64_t from_seed = 1, long_run;

static void make(struct script *s, uint64_t seed, int style)
{
	if (style < STYLE_COUNT)
		random_script(s, seed, (enum random_style)style);
	else if (style < STYLE_COUNT + WAITS_SHAPES)
		waits_script(s, seed, (enum waits_shape)(style - STYLE_COUNT));
	else
		conds_script(s, seed);
}

/* What is to be the same. */
struct counts {
	uint64_t executions, blocked, wasted, failed, events, graphs, ngraphs;
	struct ledger ledger;
};

/* False: the program has a bug, or too many executions. */
static bool explored(struct runner *r, const struct script *s, const struct runner_options *opt,
		     struct counts *c)
{
	const struct engine_stats *stats;

	ck_assert_msg(runner_run(r, s, opt), "%s: %s", s->name, r->error);
	stats = engine_stats(runner_last());
	memset(c, 0, sizeof(*c));
	c->executions = stats->executions;
	c->blocked = stats->blocked;
	c->wasted = stats->wasted;
	c->failed = stats->failed;
	c->events = stats->events;
	c->graphs = r->graphs;
	c->ngraphs = r->ngraphs;
	c->ledger = stats->ledger;
	return !c->failed && !r->raced && !r->endless && c->executions + c->blocked < TOO_LARGE;
}

/* The estimates of all programs, each by its own size. */
struct tally {
	uint64_t programs, descents;
	double mean, variance; /* sums */
	double worst;          /* in standard errors of one program */
};

static void estimated(struct runner *r, const struct script *s, struct runner_options opt,
		      const struct counts *c, struct tally *t)
{
	const double truth = (double)(c->executions + c->blocked);
	const struct engine_estimate *x;
	double mean, variance, complete;

	opt.estimate = ESTIMATE_ONLY;
	opt.descents = DESCENTS;
	ck_assert_msg(runner_run(r, s, &opt), "%s: %s", s->name, r->error);
	x = engine_estimate(runner_last());
	ck_assert_double_eq(x->descents, DESCENTS);
	complete = x->complete / x->weight;
	mean = complete + x->blocked / x->weight;
	variance = (x->square2 - 2 * mean * x->all2 + mean * mean * x->weight2) /
		   (x->weight * x->weight);
	/* Where descents are all alike, up to rounding. */
	ck_assert_msg(fabs(mean - truth) <= 8 * sqrt(fabs(variance)) + 1e-6 * truth,
		      "%s under %s: about %g executions (%g), and there are %g", s->name,
		      model_names[opt.model], mean, sqrt(fabs(variance)), truth);
	ck_assert_msg(c->executions || complete == 0, "%s: complete executions, where all block",
		      s->name);
	ck_assert_msg(c->blocked || x->blocked == 0,
		      "%s under %s: executions block, where none does", s->name,
		      model_names[opt.model]);
	t->programs++;
	t->descents += DESCENTS;
	t->mean += mean / truth;
	t->variance += fabs(variance) / (truth * truth);
	if (variance > 1e-9 * truth && fabs(mean - truth) / sqrt(variance) > t->worst)
		t->worst = fabs(mean - truth) / sqrt(variance);
}

static void beside(struct runner *r, const struct script *s, struct runner_options opt,
		   const struct counts *before)
{
	struct counts now;
	bool same;

	opt.estimate = ESTIMATE_BESIDE;
	opt.estimate_after = 1;
	explored(r, s, &opt, &now);
	ck_assert_msg(before->executions + before->blocked < 40 ||
			      engine_estimate(runner_last())->descents > 0,
		      "%s: nobody descended", s->name);
	/* A value that a descent has met the awaits need not be asked about any more. */
	same = before->ledger.cause[CAUSE_ASK]
		       ? before->executions == now.executions && before->blocked == now.blocked &&
				 before->failed == now.failed && before->graphs == now.graphs &&
				 before->ngraphs == now.ngraphs
		       : !memcmp(before, &now, sizeof(now));
	ck_assert_msg(same,
		      "%s under %s: other executions where descents are made beside exploring",
		      s->name, model_names[opt.model]);
}

static void random_programs(enum engine_model model, enum engine_equivalence equivalence)
{
	const uint64_t n = long_run ? long_run : suite_times(2);
	const bool few = !long_run && suite_times(100) < 10; /* where all is slow */
	static struct script s;
	static struct runner r;
	struct tally t = { 0 };
	double mean, error;

	runner_init(&r);
	for (uint64_t seed = from_seed; seed < from_seed + n; seed++)
		for (int style = 0; style < STYLES; style++) {
			struct runner_options opt = { .mode = ENGINE_EXPLORE,
						      .model = model,
						      .equivalence = equivalence,
						      .seed = seed,
						      .max_executions = TOO_LARGE };
			struct counts c;

			if (few && (uint64_t)style % 4 != seed % 4)
				continue;
			make(&s, seed, style);
			opt.rule = s.loops;
			if (s.loops && model == MODEL_WRA)
				continue; /* no write is silent there, and loops that write have no end */
			opt.waiting_locks = seed % 5 == 1;
			if (!explored(&r, &s, &opt, &c) || !(c.executions + c.blocked))
				continue;
			opt.max_executions = 0;
			beside(&r, &s, opt, &c);
			opt.memo = seed % 2;
			estimated(&r, &s, opt, &c, &t);
		}
	mean = t.mean / (double)t.programs;
	error = sqrt(t.variance) / (double)t.programs;
	printf("# %s: %llu programs, %llu descents: %.4f times as many executions as there are (standard error %.4f; of one program at most %.1f)\n",
	       model_names[model], (unsigned long long)t.programs, (unsigned long long)t.descents,
	       mean, error, t.worst);
	fflush(stdout);
	ck_assert_double_lt(fabs(mean - 1), 4 * error);
	runner_release(&r);
}

START_TEST(by_reads_from)
{
	random_programs(models[_i], EQUIV_RF);
}
END_TEST

START_TEST(by_modification_order)
{
	if (models[_i] != MODEL_WRA)
		random_programs(models[_i], EQUIV_MO);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("estimate");
	TCase *tc = tcase_create("against what is explored");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, by_reads_from, 0, MODELS);
	tcase_add_loop_test(tc, by_modification_order, 0, MODELS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
