/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_strategies.c - the strategies of random testing: what they draw is of the model, all of it where they
 * promise that, and bugs are found as often as their bounds say
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many programs.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "engine/drawn.h"
#include "engine/online/strategies/chooser.h"
#include "engine/random.h"
#include "engine/script_json.h"
#include "suite.h"

struct strategy_case {
	uint32_t strategy, depth;
	bool draws_all; /* each execution of the model has a positive probability */
};

/* clang-format off */
static const struct strategy_case strategies[] = {
	{ STRATEGY_PCT, 3, false },
	{ STRATEGY_PCTWM, 2, false },
	{ STRATEGY_POS, 0, true },
	{ STRATEGY_SURW, 0, true },
	{ STRATEGY_RF_FUZZ, 0, true },
	{ STRATEGY_DELAY, 2, false },
	{ STRATEGY_EVEN, 0, false },
	{ STRATEGY_MIX, 0, true },
};
/* clang-format on */
enum {
	STRATEGIES = sizeof(strategies) / sizeof(strategies[0]),
	PROGRAMS = 160,
	EACH = 60,
	SESSION = 20000
};

START_TEST(random_programs_stay_within_the_model)
{
	const unsigned but_wra = (1u << MODEL_COUNT) - 1 - (1u << MODEL_WRA);
	const struct strategy_case *sc = &strategies[_i];
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	for (uint64_t seed = 0; seed < suite_times(PROGRAMS); seed++) {
		random_script(&s, seed, (enum random_style)(seed % STYLE_COUNT));
		for (int wra = 0; wra < 2; wra++) {
			unsigned asked = wra ? 1u << MODEL_WRA : but_wra;
			bool known = drawn_ask(&o, &s, asked);

			for (int m = 0; m < DRAWN_MODELS && known; m++)
				if (asked >> drawn_models[m] & 1)
					drawn_are_of_model(
						&o, &r, &s,
						&(struct runner_options){ .model = drawn_models[m],
									  .seed = seed,
									  .strategy = sc->strategy,
									  .depth = sc->depth,
									  .max_executions = EACH });
		}
	}
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

/* Under each model in turn. */
START_TEST(every_execution_of_random_programs_is_drawn)
{
	const struct strategy_case *sc = &strategies[_i];
	static struct script s;
	struct oracle o;
	struct runner r;

	oracle_init(&o);
	runner_init(&r);
	for (uint64_t seed = 0; sc->draws_all && seed < suite_times(PROGRAMS); seed++) {
		enum random_style style = (enum random_style)(seed % STYLE_COUNT);

		/* Of futexes there are classes in which a thread looks and what it saw is no more: no executions. */
		if (style == STYLE_FUTEX)
			continue;
		random_script(&s, seed, style);
		drawn_all(&o, &r, &s,
			  &(struct runner_options){
				  .model = drawn_models[seed / STYLE_COUNT % DRAWN_MODELS],
				  .seed = 1,
				  .strategy = sc->strategy,
				  .depth = sc->depth });
	}
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

/* How many executions of a session end in a failed assertion; `executions`: of how many. */
static uint64_t failures(const char *program, enum engine_model model, uint32_t strategy,
			 uint32_t depth, uint64_t executions)
{
	struct runner_options ro = { .mode = ENGINE_ONLINE,
				     .model = model,
				     .seed = 1,
				     .strategy = strategy,
				     .depth = depth,
				     .max_executions = executions };
	static struct script s;
	struct runner r;
	uint64_t n;

	runner_init(&r);
	script_parse(&s, program);
	ck_assert_msg(runner_run(&r, &s, &ro), "%s", r.error);
	ck_assert_uint_eq(r.executions, executions);
	n = r.endings[CLASS_ERROR];
	runner_release(&r);
	return n;
}

/* The bug of these needs so many orderings: its depth. `steps` are all that an execution has, `threads` with main. */
static const struct deep {
	const char *program;
	uint32_t depth, threads, steps;
} deep[] = {
	/* The second thread comes first. */
	{ "{\"name\":\"order\",\"init\":{\"x\":0},\"threads\":["
	  "[[\"W\",\"x\",1,\"sc\"]],"
	  "[[\"R\",\"r0\",\"x\",\"sc\"],[\"ASSERT\",[\"!=\",\"r0\",0]]]]}",
	  1, 3, 10 },
	/* It looks while the first one is between two writes. */
	{ "{\"name\":\"between\",\"init\":{\"x\":0},\"threads\":["
	  "[[\"W\",\"x\",1,\"sc\"],[\"W\",\"x\",0,\"sc\"]],"
	  "[[\"R\",\"r0\",\"x\",\"sc\"],[\"ASSERT\",[\"!=\",\"r0\",1]]]]}",
	  2, 3, 11 },
	/* And the first one looks while it is between two, too. */
	{ "{\"name\":\"twice\",\"init\":{\"x\":0,\"y\":0,\"z\":0},\"threads\":["
	  "[[\"W\",\"x\",1,\"sc\"],[\"R\",\"r0\",\"y\",\"sc\"],[\"W\",\"z\",\"r0\",\"sc\"],[\"W\",\"x\",0,\"sc\"]],"
	  "[[\"R\",\"r0\",\"x\",\"sc\"],[\"W\",\"y\",\"r0\",\"sc\"],[\"W\",\"y\",0,\"sc\"],"
	  "[\"R\",\"r1\",\"z\",\"sc\"],[\"ASSERT\",[\"!=\",\"r1\",1]]]]}",
	  3, 3, 16 },
};
enum {
	DEEP = sizeof(deep) / sizeof(deep[0])
};

/* With a chance of one in 1 / p, fewer than that in n executions are drawn once in 30,000 tests. */
static double at_least(double p, double n)
{
	return n * p - 4 * sqrt(n * p);
}

START_TEST(pct_finds_bugs_as_often_as_its_bound_says)
{
	const struct deep *d = &deep[_i];
	double bound = 1.0 / (d->threads * pow(d->steps, d->depth - 1));
	uint64_t found = failures(d->program, MODEL_SC, STRATEGY_PCT, d->depth, SESSION);

	printf("# depth %u: found in %llu of %d executions, at least %.1f by the bound\n", d->depth,
	       (unsigned long long)found, SESSION, bound * SESSION);
	fflush(stdout);
	ck_assert_uint_gt(found, 0);
	ck_assert_msg((double)found >= at_least(bound, SESSION), "%s", d->program);
	if (d->depth > 1) /* it takes that many */
		ck_assert_uint_eq(failures(d->program, MODEL_SC, STRATEGY_PCT, d->depth - 1, 2000),
				  0);
}
END_TEST

START_TEST(delays_are_as_many_as_were_asked_for)
{
	ck_assert_uint_eq(failures(deep[1].program, MODEL_SC, STRATEGY_DELAY, 0, 200), 0);
	ck_assert_uint_gt(failures(deep[1].program, MODEL_SC, STRATEGY_DELAY, 1, 200), 0);
	ck_assert_uint_eq(failures(deep[2].program, MODEL_SC, STRATEGY_DELAY, 1, 2000), 0);
	ck_assert_uint_gt(failures(deep[2].program, MODEL_SC, STRATEGY_DELAY, 3, 2000), 0);
}
END_TEST

/* The second thread sees y, which the first one wrote behind x, and not x: one read that communicates. */
static const char message[] = "{\"name\":\"mp\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
			      "[[\"W\",\"x\",1,\"rlx\"],[\"W\",\"y\",1,\"rlx\"]],"
			      "[[\"R\",\"r0\",\"y\",\"rlx\"],[\"R\",\"r1\",\"x\",\"rlx\"],"
			      "[\"IF\",[\"==\",\"r0\",1],[[\"ASSERT\",[\"!=\",\"r1\",0]]]]]]}";

START_TEST(pctwm_finds_what_few_reads_show)
{
	/* Of two reads the first one is drawn; of a history of 1, 2 or 3 the new one. It comes behind the writer, being put off. */
	const double chance = 1.0 / 2 * (1 + 1.0 / 2 + 1.0 / 2) / 3;
	uint64_t found = failures(message, MODEL_RC11, STRATEGY_PCTWM, 1, SESSION);

	ck_assert_msg((double)found >= at_least(chance, SESSION), "%llu",
		      (unsigned long long)found);
	ck_assert_uint_eq(failures(message, MODEL_RC11, STRATEGY_PCTWM, 0, 2000), 0);
	ck_assert_uint_eq(failures(message, MODEL_RC11, STRATEGY_PCT, 3, 2000), 0);
}
END_TEST

/*
 * An operation that is in a race with three of another thread loses all of them in more than a quarter of the executions if its
 * priority stays, in about a fifth if that is drawn anew each time. (Threads begin one after the other.)
 */
START_TEST(pos_draws_each_race_anew)
{
	static const char program[] =
		"{\"name\":\"races\",\"init\":{\"x\":0},\"threads\":["
		"[[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"ASSERT\",[\"!=\",\"r0\",3]]],"
		"[[\"FAI\",\"r1\",\"x\",1,\"sc\"],[\"FAI\",\"r1\",\"x\",1,\"sc\"],[\"FAI\",\"r1\",\"x\",1,\"sc\"]]]}";
	uint64_t lost = failures(program, MODEL_SC, STRATEGY_POS, 0, SESSION);

	printf("# an operation loses three races %llu times of %d\n", (unsigned long long)lost,
	       SESSION);
	fflush(stdout);
	ck_assert_uint_lt(lost, SESSION * 47 / 200);
}
END_TEST

/*
 * Two threads do three and one operations at one place, and the first one many others before: of the four places where the one may
 * come, each is as likely, once it is known how many there are.
 */
START_TEST(surw_draws_orders_alike)
{
	static const char program[] =
		"{\"name\":\"orders\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
		"[[\"W\",\"y\",1,\"sc\"],[\"W\",\"y\",2,\"sc\"],[\"W\",\"y\",3,\"sc\"],[\"W\",\"y\",4,\"sc\"],"
		"[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"]],"
		"[[\"FAI\",\"r1\",\"x\",1,\"sc\"]]]}";
	const double each = SESSION / 4.0, off = 4 * sqrt(SESSION * 0.25 * 0.75);
	struct runner_options ro = { .mode = ENGINE_ONLINE,
				     .model = MODEL_SC,
				     .seed = 1,
				     .strategy = STRATEGY_SURW,
				     .max_executions = SESSION };
	static struct script s;
	struct runner r;

	runner_init(&r);
	script_parse(&s, program);
	ck_assert_msg(runner_run(&r, &s, &ro), "%s", r.error);
	ck_assert_int_eq(r.classes.n, 4);
	for (int i = 0; i < r.classes.n; i++)
		ck_assert_msg(fabs((double)r.classes.v[i].visits - each) < off, "%llu of %d",
			      (unsigned long long)r.classes.v[i].visits, SESSION);
	runner_release(&r);
}
END_TEST

/*
 * Each value of a chain is read by the next step only. So the end is reached by reads that all observe what is rare, and what was
 * reached once can be tried again.
 */
START_TEST(rf_fuzz_goes_on_from_what_it_found)
{
	static const char chain[] =
		"{\"name\":\"chain\",\"init\":{\"a\":0,\"b\":0,\"c\":0,\"d\":0},\"threads\":["
		"[[\"W\",\"a\",1,\"sc\"],[\"W\",\"a\",2,\"sc\"],[\"R\",\"r0\",\"b\",\"sc\"],"
		"[\"IF\",[\"==\",\"r0\",1],[[\"W\",\"c\",1,\"sc\"],[\"W\",\"c\",2,\"sc\"]]],"
		"[\"R\",\"r1\",\"d\",\"sc\"],[\"ASSERT\",[\"!=\",\"r1\",1]]],"
		"[[\"R\",\"r2\",\"a\",\"sc\"],[\"IF\",[\"==\",\"r2\",1],[[\"W\",\"b\",1,\"sc\"],[\"W\",\"b\",2,\"sc\"]]],"
		"[\"R\",\"r3\",\"c\",\"sc\"],[\"IF\",[\"==\",\"r3\",1],[[\"W\",\"d\",1,\"sc\"],[\"W\",\"d\",2,\"sc\"]]]]]}";
	uint64_t fuzz = failures(chain, MODEL_SC, STRATEGY_RF_FUZZ, 0, SESSION);
	uint64_t random = failures(chain, MODEL_SC, STRATEGY_RANDOM, 0, SESSION);

	printf("# the end of a chain: rf-fuzz %llu times, random %llu\n", (unsigned long long)fuzz,
	       (unsigned long long)random);
	fflush(stdout);
	ck_assert_uint_gt(fuzz, 2 * random);
}
END_TEST

/* Each finds its share of executions; all that one of them finds, the mix does. */
START_TEST(a_mix_finds_what_any_of_them_does)
{
	for (int i = 0; i < DEEP; i++)
		ck_assert_uint_gt(failures(deep[i].program, MODEL_SC, STRATEGY_MIX, 0, SESSION), 0);
	ck_assert_uint_gt(failures(message, MODEL_RC11, STRATEGY_MIX, 0, 2000), 0);
}
END_TEST

/* All have done their first operation before any does its second: of random orders of four threads, one in five. */
#define IN_STEP \
	"[[\"FAI\",\"r0\",\"x\",1,\"rlx\"],[\"FAI\",\"r1\",\"x\",100,\"rlx\"],[\"ASSERT\",[\"!=\",\"r1\",4]]]"
static const char step[] = "{\"name\":\"step\",\"init\":{\"x\":0},\"threads\":[" IN_STEP "," IN_STEP
			   "," IN_STEP "," IN_STEP "]}";
#undef IN_STEP

START_TEST(even_keeps_threads_in_step)
{
	ck_assert_uint_eq(failures(step, MODEL_RC11, STRATEGY_EVEN, 0, 500), 500);
	ck_assert_uint_lt(failures(step, MODEL_RC11, STRATEGY_RANDOM, 0, 500), 200);
}
END_TEST

/* Both threads go in, since neither sees what the other wrote: if each read had any value, one time in four. */
START_TEST(even_has_threads_that_do_not_see_each_other)
{
#define GO_IN(mine, other)                                                      \
	"[[\"W\",\"" mine "\",1,\"rlx\"],[\"R\",\"r0\",\"" other "\",\"rlx\"]," \
	"[\"IF\",[\"==\",\"r0\",0],[[\"FAI\",\"r1\",\"z\",1,\"rlx\"],[\"ASSERT\",[\"!=\",\"r1\",1]]]]]"
	static const char program[] =
		"{\"name\":\"both\",\"init\":{\"x\":0,\"y\":0,\"z\":0},\"threads\":[" GO_IN(
			"x", "y") "," GO_IN("y", "x") "]}";
	uint64_t both = failures(program, MODEL_RC11, STRATEGY_EVEN, 0, SESSION);

	printf("# even: both go in %llu times of %d\n", (unsigned long long)both, SESSION);
	fflush(stdout);
	ck_assert_uint_gt(both, SESSION * 45 / 100);
	ck_assert_uint_lt(both, SESSION * 65 / 100);
#undef GO_IN
}
END_TEST

/*
 * The first thread does its third operation before the second one does its first. In step that is never so; if a pace of 4 counts once
 * as often, with the first thread at 1 and the second at 4 (one in nine), or not quite so far apart.
 */
START_TEST(paces_let_a_thread_get_ahead)
{
	static const char program[] =
		"{\"name\":\"ahead\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
		"[[\"FAI\",\"r0\",\"x\",1,\"rlx\"],[\"FAI\",\"r0\",\"x\",1,\"rlx\"],[\"FAI\",\"r0\",\"x\",1,\"rlx\"]],"
		"[[\"FAI\",\"r1\",\"y\",1,\"rlx\"],[\"FAI\",\"r1\",\"x\",1,\"rlx\"],[\"ASSERT\",[\"!=\",\"r1\",3]]]]}";
	const uint64_t ahead = failures(program, MODEL_RC11, STRATEGY_EVEN, 2, SESSION);

	printf("# three operations ahead: with paces %llu times of %d\n", (unsigned long long)ahead,
	       SESSION);
	fflush(stdout);
	ck_assert_uint_eq(failures(program, MODEL_RC11, STRATEGY_EVEN, 0, SESSION), 0);
	ck_assert_uint_gt(ahead, SESSION / 10);
	ck_assert_uint_lt(ahead, SESSION / 2);
}
END_TEST

/* How often each sort is drawn of 1,000. */
static void reads_draw(enum reads reads, uint32_t *n)
{
	uint64_t random = 1;
	struct choices *c = calloc(1, sizeof(*c));
	struct chooser combined;
	const struct chooser *chooser = reads_combine(&chooser_delay, reads, &combined);

	ck_assert_ptr_nonnull(c);
	ck_assert_ptr_eq(chooser, &combined);
	ck_assert(chooser->thread == chooser_delay.thread && chooser->begin == chooser_delay.begin);
	c->random = &random;
	memset(n, 0, (SEES_RECENT + 1) * sizeof(*n));
	for (int i = 0; i < 1000; i++)
		n[chooser->sees ? chooser->sees(c, 0) : SEES_ANY]++;
	free(c);
}

START_TEST(reads_are_drawn_as_the_turn_says)
{
	uint32_t n[SEES_RECENT + 1];
	struct chooser combined;

	ck_assert_ptr_eq(reads_combine(&chooser_delay, READS_USUAL, &combined), &chooser_delay);
	reads_draw(READS_ANY, n);
	ck_assert_uint_eq(n[SEES_ANY], 1000);
	reads_draw(READS_KNOWN, n);
	ck_assert_uint_eq(n[SEES_OWN], 1000);
	reads_draw(READS_LAST_OR_KNOWN, n);
	ck_assert(n[SEES_LAST] > 400 && n[SEES_OWN] > 400 && n[SEES_LAST] + n[SEES_OWN] == 1000);
	reads_draw(READS_LAST_OR_ANY, n);
	ck_assert(n[SEES_LAST] > 400 && n[SEES_ANY] > 400 && n[SEES_LAST] + n[SEES_ANY] == 1000);
}
END_TEST

/*
 * Four threads each write to a place of their own, and then take one of four and say that they are busy; one looks whether all is taken and
 * nobody is busy. A thread has to stand between two of its operations, when all others have ended.
 */
START_TEST(a_mix_changes_its_mind_where_threads_meet)
{
#define OWN(y)   "[\"W\",\"" y "\",1,\"rlx\"],"
#define OWN_8(y) OWN(y) OWN(y) OWN(y) OWN(y) OWN(y) OWN(y) OWN(y) OWN(y)
#define WORKER(y)                                                                                  \
	"[" OWN_8(y)                                                                               \
		OWN_8(y) "[\"FAI\",\"r0\",\"left\",-1,\"sc\"],[\"FAI\",\"r0\",\"busy\",1,\"sc\"]," \
			 "[\"FAI\",\"r0\",\"done\",1,\"sc\"],[\"FAI\",\"r0\",\"busy\",-1,\"sc\"]]"
	static const char program[] =
		"{\"name\":\"quiesce\",\"init\":{\"left\":4,\"busy\":0,\"done\":0,\"a\":0,\"b\":0,\"c\":0,"
		"\"d\":0},\"threads\":[" WORKER("a") "," WORKER("b") "," WORKER("c") "," WORKER(
			"d") ",[[\"R\",\"r0\",\"left\",\"sc\"],[\"R\",\"r1\",\"busy\",\"sc\"],[\"R\",\"r2\",\"done\",\"sc\"],"
			     "[\"IF\",[\"==\",\"r0\",0],[[\"IF\",[\"==\",\"r1\",0],[[\"ASSERT\",[\"==\",\"r2\",4]]]]]]]]}";
	const uint64_t found = failures(program, MODEL_RC11, STRATEGY_MIX, 0, SESSION);

	printf("# one of four stands between two: mix %llu times of %d\n",
	       (unsigned long long)found, SESSION);
	fflush(stdout);
	ck_assert_uint_gt(found, SESSION * 3 / 200);
#undef OWN
#undef OWN_8
#undef WORKER
}
END_TEST

/* Who is drawn, how often. */
static void draws(const struct mix *m, uint64_t *drawn)
{
	uint64_t random = 1;

	memset(drawn, 0, STRATEGY_COUNT * sizeof(*drawn));
	for (int i = 0; i < SESSION; i++)
		drawn[mix_draw(m, true, &random).strategy]++;
}

/* Under sc, tso and wra a thread has no view, so nobody is asked for what goes by it. */
START_TEST(a_mix_asks_for_views_where_there_are_some)
{
	uint64_t random = 1;
	int with = 0;
	struct mix m;

	mix_begin(&m);
	for (int i = 0; i < SESSION; i++) {
		const struct turn t = mix_draw(&m, false, &random), v = mix_draw(&m, true, &random);

		ck_assert_uint_ne(t.strategy, STRATEGY_PCTWM);
		ck_assert(t.reads != READS_KNOWN && t.reads != READS_LAST_OR_KNOWN);
		with += v.strategy == STRATEGY_PCTWM || v.reads == READS_LAST_OR_KNOWN;
		mix_over(&m, t.strategy, 0);
	}
	ck_assert_int_gt(with, SESSION / 4);
}
END_TEST

/* Of 72 executions surw has 27 and rf-fuzz two; of 72 + 6, when each of its executions shows something new, eight. */
START_TEST(a_mix_gives_more_to_who_shows_something_new)
{
	uint64_t drawn[STRATEGY_COUNT];
	struct mix m;

	mix_begin(&m);
	for (int i = 0; i < 16; i++)
		mix_over(&m, STRATEGY_RF_FUZZ, 1);
	draws(&m, drawn);
	ck_assert_uint_gt(drawn[STRATEGY_SURW], SESSION * 34 / 100);
	ck_assert_uint_lt(drawn[STRATEGY_RF_FUZZ], SESSION * 4 / 100);
	for (unsigned s = 0; s < STRATEGY_MIX; s++)
		ck_assert_uint_gt(drawn[s], SESSION / 100);
	for (int i = 0; i < 200; i++)
		mix_over(&m, STRATEGY_RF_FUZZ, 1);
	draws(&m, drawn);
	ck_assert_uint_gt(drawn[STRATEGY_RF_FUZZ], SESSION * 8 / 100);
	for (int i = 0; i < 200; i++)
		mix_over(&m, STRATEGY_RF_FUZZ, 0);
	draws(&m, drawn);
	ck_assert_uint_lt(drawn[STRATEGY_RF_FUZZ], SESSION * 4 / 100);
}
END_TEST

/* What threads in step find always, it finds in the first execution. */
START_TEST(a_mix_begins_in_step)
{
	ck_assert_uint_eq(failures(step, MODEL_RC11, STRATEGY_MIX, 0, 1), 1);
}
END_TEST

/*
 * Six threads write, and look at what the next one wrote. In the first execution none sees it, though each may; in the second
 * one the sixth sees what the first wrote, having come after it.
 */
#define LOOKS(mine, other)                                                      \
	"[[\"W\",\"" mine "\",1,\"rlx\"],[\"R\",\"r0\",\"" other "\",\"rlx\"]," \
	"[\"ASSERT\",[\"==\",\"r0\",0]]]"
START_TEST(a_mix_begins_with_the_two_extremes)
{
	static const char sees[] =
		"{\"name\":\"six\",\"init\":{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0},\"threads\":[" LOOKS(
			"a",
			"b") "," LOOKS("b",
				       "c") "," LOOKS("c",
						      "d") "," LOOKS("d",
								     "e") "," LOOKS("e",
										    "f") "," LOOKS("f",
												   "a") "]}";

	ck_assert_uint_eq(failures(sees, MODEL_RC11, STRATEGY_MIX, 0, 1), 0);
	ck_assert_uint_eq(failures(sees, MODEL_RC11, STRATEGY_MIX, 0, 2), 1);
}
#undef LOOKS

END_TEST

/*
 * One operation at x comes between the fourth and the fifth of eight, which come behind many others. That is one order of nine for surw, if
 * it knows how many there are, be it from an execution of another strategy; else it is seldom.
 */
START_TEST(a_mix_tells_surw_what_others_saw)
{
	static const char between[] =
		"{\"name\":\"between\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
		"[[\"W\",\"y\",1,\"sc\"],[\"W\",\"y\",2,\"sc\"],[\"W\",\"y\",3,\"sc\"],[\"W\",\"y\",4,\"sc\"],"
		"[\"W\",\"y\",5,\"sc\"],[\"W\",\"y\",6,\"sc\"],[\"W\",\"y\",7,\"sc\"],[\"W\",\"y\",8,\"sc\"],"
		"[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"],"
		"[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"],"
		"[\"FAI\",\"r0\",\"x\",1,\"sc\"],[\"FAI\",\"r0\",\"x\",1,\"sc\"]],"
		"[[\"FAI\",\"r1\",\"x\",1,\"sc\"],[\"ASSERT\",[\"!=\",\"r1\",4]]]]}";
	uint64_t found = failures(between, MODEL_SC, STRATEGY_MIX, 0, SESSION);

	printf("# one of nine orders: mix %llu times of %d, random %llu\n",
	       (unsigned long long)found, SESSION,
	       (unsigned long long)failures(between, MODEL_SC, STRATEGY_RANDOM, 0, SESSION));
	fflush(stdout);
	ck_assert_uint_gt(found, SESSION * 6 / 100);
}
END_TEST

START_TEST(a_seed_draws_the_same_executions_again)
{
	const struct strategy_case *sc = &strategies[_i];
	static struct script s;
	struct runner r[2];

	for (int i = 0; i < 2; i++)
		runner_init(&r[i]);
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct runner_options ro = { .mode = ENGINE_ONLINE,
					     .model = MODEL_RC11,
					     .seed = seed,
					     .strategy = sc->strategy,
					     .depth = sc->depth,
					     .max_executions = 50 };

		random_script(&s, seed, STYLE_MIXED);
		for (int i = 0; i < 2; i++)
			ck_assert_msg(runner_run(&r[i], &s, &ro), "%s", r[i].error);
		ck_assert_int_eq(r[0].classes.n, r[1].classes.n);
		for (int i = 0; i < r[0].classes.n; i++) {
			const struct class *c =
				class_set_find(&r[1].classes, &r[0].classes.v[i].key);
			ck_assert_ptr_nonnull(c);
			ck_assert_uint_eq(c->visits, r[0].classes.v[i].visits);
		}
	}
	for (int i = 0; i < 2; i++)
		runner_release(&r[i]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("strategies");
	TCase *tc = tcase_create("brute-force"), *bounds = tcase_create("bounds");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, random_programs_stay_within_the_model, 0, STRATEGIES);
	tcase_add_loop_test(tc, every_execution_of_random_programs_is_drawn, 0, STRATEGIES);
	tcase_add_loop_test(tc, a_seed_draws_the_same_executions_again, 0, STRATEGIES);
	suite_add_tcase(s, tc);
	tcase_set_timeout(bounds, 120);
	tcase_add_loop_test(bounds, pct_finds_bugs_as_often_as_its_bound_says, 0, DEEP);
	tcase_add_test(bounds, pctwm_finds_what_few_reads_show);
	tcase_add_test(bounds, pos_draws_each_race_anew);
	tcase_add_test(bounds, surw_draws_orders_alike);
	tcase_add_test(bounds, rf_fuzz_goes_on_from_what_it_found);
	tcase_add_test(bounds, a_mix_finds_what_any_of_them_does);
	tcase_add_test(bounds, a_mix_gives_more_to_who_shows_something_new);
	tcase_add_test(bounds, a_mix_asks_for_views_where_there_are_some);
	tcase_add_test(bounds, a_mix_begins_in_step);
	tcase_add_test(bounds, a_mix_begins_with_the_two_extremes);
	tcase_add_test(bounds, a_mix_changes_its_mind_where_threads_meet);
	tcase_add_test(bounds, paces_let_a_thread_get_ahead);
	tcase_add_test(bounds, reads_are_drawn_as_the_turn_says);
	tcase_add_test(bounds, a_mix_tells_surw_what_others_saw);
	tcase_add_test(bounds, even_keeps_threads_in_step);
	tcase_add_test(bounds, even_has_threads_that_do_not_see_each_other);
	tcase_add_test(bounds, delays_are_as_many_as_were_asked_for);
	suite_add_tcase(s, bounds);
	return suite_run(s);
}
