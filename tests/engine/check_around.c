/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_around.c - exploring around an execution visits those that begin like it, each once
 *
 *	check_around			what `make check` runs
 *	check_around --long N --from SEED	N random programs of each style and model
 *
 * One execution of a random program is drawn, and the exploration begins with the first K of its operations, for
 * several K. What it visits is compared with the executions of the whole exploration (which check_explore compares with
 * brute force) that have those operations, with the same sources. Where loops wait for values, the whole exploration
 * leaves out rounds that the execution drawn may have: there it is compared with a bounded one that leaves out nothing.
 */
#include <check.h>
#include <string.h>

#include "base/prng.h"
#include "engine/random.h"
#include "engine/random_waits.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	MAX_STEPS = 512,
	TOO_LARGE = 4000, /* runs of a program that is left out */
	BEGINNINGS = 4,   /* of each execution */
	BOUND = 5,        /* reads of a thread, where nothing is left out */
	STEPS_OF_ONE = 128
};

static uint64_t from_seed = 1, long_run;

/* Recorded steps, and of each thread where they are. */
struct recording {
	struct engine_step_record step[MAX_STEPS];
	size_t n;
};

struct trio {
	struct recording drawn, seen;
	struct class_set expected, reached; /* final states of `all`, and of the other one */
	struct runner random, all, around, plain;
	uint64_t beginnings, executions, empty, looped;
};

static void trio_init(struct trio *t)
{
	memset(t, 0, sizeof(*t));
	class_set_init(&t->expected);
	class_set_init(&t->reached);
	runner_init(&t->random);
	runner_init(&t->all);
	runner_init(&t->around);
	runner_init(&t->plain);
	t->random.steps = t->drawn.step;
	t->all.steps = t->around.steps = t->plain.steps = t->seen.step;
	t->random.max_steps = t->all.max_steps = MAX_STEPS;
	t->around.max_steps = t->plain.max_steps = MAX_STEPS;
}

static void trio_release(struct trio *t)
{
	class_set_release(&t->expected);
	class_set_release(&t->reached);
	runner_release(&t->random);
	runner_release(&t->all);
	runner_release(&t->around);
	runner_release(&t->plain);
}

static bool is_event(const struct engine_step_record *s)
{
	return s->kind != OP_BLOCK && s->kind != OP_STUCK && s->kind != OP_EXIT &&
	       s->kind != OP_YIELD;
}

static bool same_step(const struct engine_step_record *a, const struct engine_step_record *b)
{
	return a->kind == b->kind && a->rf_tid == b->rf_tid && a->flags == b->flags &&
	       (a->rf_tid < 0 || a->rf_index == b->rf_index) && a->choice == b->choice;
}

/* Has the execution the first k steps of the recording? */
static bool begins_like(const struct engine_step_record *all, size_t n, const struct recording *r,
			size_t k)
{
	static const struct engine_step_record *at[SCRIPT_THREADS + 1][STEPS_OF_ONE];

	memset(at, 0, sizeof(at));
	for (size_t i = 0; i < n; i++)
		if (is_event(&all[i]) && all[i].index < STEPS_OF_ONE)
			at[all[i].tid][all[i].index] = &all[i];
	for (size_t i = 0; i < k; i++) {
		const struct engine_step_record *s = &r->step[i];

		if (is_event(s) && (!at[s->tid][s->index] || !same_step(at[s->tid][s->index], s)))
			return false;
	}
	return true;
}

/*
 * Runs what is asked for and keeps, in r, the classes of executions that begin with the first k steps drawn; those that do not
 * are counted. False: it is too large, or there is a bug that ends executions.
 */
static bool collect(struct trio *t, struct runner *r, const struct script *s,
		    const struct runner_options *opt, size_t k, uint64_t *others)
{
	struct class_set *finals = r == &t->all ? &t->expected : &t->reached;
	unsigned runs = 0;
	bool more = true;
	struct engine *e;
	struct visit v;

	*others = 0;
	class_set_clear(finals);
	runner_start(r, s, opt);
	e = runner_engine(r, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	while (more) {
		class_set_clear(&r->finals);
		more = runner_execute(r, e, &v);
		if (r->raced || r->error[0])
			return false;
		if (v.restarted) {
			*others = 0;
			class_set_clear(finals);
		}
		if (++runs > TOO_LARGE)
			return false;
		if (v.counts && !begins_like(t->seen.step, r->nsteps, &t->drawn, k)) {
			++*others;
			continue;
		}
		if (r->finals.n)
			class_set_add(finals, &r->finals.v[0].key);
		runner_note(r, &v);
	}
	return !r->endings[CLASS_ERROR];
}

/* One execution at random. */
static bool draw(struct trio *t, const struct script *s, enum engine_model model, uint64_t seed)
{
	/* Rounds in vain are wanted. */
	const struct runner_options opt = { .mode = ENGINE_ONLINE,
					    .model = model,
					    .seed = seed,
					    .max_reads = s->loops ? BOUND : 0,
					    .max_executions = 1 };
	struct engine *e;
	struct visit v;

	runner_start(&t->random, s, &opt);
	e = runner_engine(&t->random, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	runner_execute(&t->random, e, &v);
	ck_assert_msg(!t->random.error[0], "%s", t->random.error);
	t->drawn.n = t->random.nsteps;
	return !t->random.raced && v.counts && v.ending != END_FAILED && t->drawn.n < MAX_STEPS;
}

static void say(const struct trio *t, const struct script *s, enum engine_model model, size_t k,
		const struct class_key *key, const char *what)
{
	printf("# %s under %s, behind %zu of %zu steps: %s\n", s->name, model_names[model], k,
	       t->drawn.n, what);
	script_print(s, stdout);
	for (size_t i = 0; i < k; i++) {
		const struct engine_step_record *r = &t->drawn.step[i];

		printf("#   %u.%u kind %u reads %d.%u\n", r->tid, r->index, r->kind, r->rf_tid,
		       r->rf_index);
	}
	if (key)
		key_print(key, s, stdout);
	script_to_json(s, stdout);
	fflush(stdout);
	ck_abort_msg("%s under %s: %s", s->name, model_names[model], what);
}

static struct runner_options options_around(const struct trio *t, const struct script *s,
					    enum engine_model model,
					    enum engine_equivalence equivalence, size_t k)
{
	return (struct runner_options){ .model = model,
					.equivalence = equivalence,
					.rule = s->loops,
					.replay = t->drawn.step,
					.replay_len = k };
}

/* The same classes, as often. */
static void compare(struct trio *t, const struct script *s, enum engine_model model,
		    enum engine_equivalence equivalence, size_t k)
{
	struct runner_options opt = { .model = model, .equivalence = equivalence };
	uint64_t others;

	if (!collect(t, &t->all, s, &opt, k, &others))
		return;
	opt = options_around(t, s, model, equivalence, k);
	if (!collect(t, &t->around, s, &opt, k, &others))
		say(t, s, model, k, NULL, t->around.error[0] ? t->around.error : "goes on");
	if (others)
		say(t, s, model, k, NULL, "one is visited that begins in another way");
	for (int i = 0; i < t->all.classes.n; i++)
		if (!class_set_find(&t->around.classes, &t->all.classes.v[i].key))
			say(t, s, model, k, &t->all.classes.v[i].key, "not visited");
	for (int i = 0; i < t->around.classes.n; i++) {
		const struct class *c = &t->around.classes.v[i];
		const struct class *is = class_set_find(&t->all.classes, &c->key);

		if (!is || is->visits != c->visits)
			say(t, s, model, k, &c->key, is ? "visited too often" : "there is no such");
	}
	t->beginnings++;
	t->executions += t->around.executions;
	t->empty += !t->around.executions;
}

START_TEST(those_that_begin_like_it)
{
	uint64_t n = long_run ? long_run : suite_times(25), random = from_seed * 91 + (uint64_t)_i;
	const enum engine_model model = models[_i];
	static struct script s;
	static struct trio t;

	trio_init(&t);
	for (uint64_t seed = from_seed; seed < from_seed + n; seed++)
		for (int style = 0; style < STYLE_COUNT; style++) {
			random_script(&s, seed, (enum random_style)style);
			if (s.loops || !draw(&t, &s, model, seed))
				continue;
			for (int i = 0; i < BEGINNINGS; i++) {
				size_t k = prng_below(&random, (uint32_t)t.drawn.n + 1);

				compare(&t, &s, model, EQUIV_RF, k);
				if (i == 0 && model != MODEL_WRA)
					compare(&t, &s, model, EQUIV_MO, k);
			}
		}
	printf("# %s: %llu beginnings, %llu executions, %llu with none\n", model_names[model],
	       (unsigned long long)t.beginnings, (unsigned long long)t.executions,
	       (unsigned long long)t.empty);
	fflush(stdout);
	ck_assert_uint_eq(t.empty, 0);
	trio_release(&t);
}
END_TEST

/* ---- Loops ---------------------------------------------------------------------------------- */

static bool is_complete(const struct class *c)
{
	return key_kind(&c->key) == CLASS_COMPLETE;
}

/* Is there one that is stuck for good in that state? */
static bool is_stuck_in(const struct class_set *set, uint64_t state)
{
	for (int i = 0; i < set->n; i++)
		if (set->v[i].state == state && set->v[i].stuck)
			return true;
	return false;
}

/* What is visited begins like it, and once; nobody waits for good who does not without awaits that wait, or the other way round. */
static void compare_awaits(struct trio *t, const struct script *s, enum engine_model model,
			   size_t k)
{
	struct runner_options opt = options_around(t, s, model, EQUIV_RF, k);
	uint64_t others;

	opt.plain_awaits = true;
	if (!collect(t, &t->plain, s, &opt, k, &others))
		say(t, s, model, k, NULL, t->plain.error[0] ? t->plain.error : "goes on");
	opt.plain_awaits = false;
	if (!collect(t, &t->around, s, &opt, k, &others))
		say(t, s, model, k, NULL, t->around.error[0] ? t->around.error : "goes on");
	if (others)
		say(t, s, model, k, NULL, "one is visited that begins in another way");
	for (int i = 0; i < t->around.classes.n; i++) {
		const struct class *c = &t->around.classes.v[i];

		if (is_complete(c) && c->visits != 1)
			say(t, s, model, k, &c->key, "visited too often");
		if (is_complete(c) && !class_set_find(&t->plain.classes, &c->key))
			say(t, s, model, k, &c->key, "not visited where awaits do not wait");
		if (c->stuck && !is_stuck_in(&t->plain.classes, c->state))
			say(t, s, model, k, &c->key, "is stuck, and was not");
	}
	for (int i = 0; i < t->plain.classes.n; i++) {
		const struct class *c = &t->plain.classes.v[i];

		if (is_complete(c) && !class_set_find(&t->around.classes, &c->key))
			say(t, s, model, k, &c->key, "not visited where awaits wait");
		if (c->stuck && !is_stuck_in(&t->around.classes, c->state))
			say(t, s, model, k, &c->key, "was stuck, and is not");
	}
}

/* No final state is lost that an execution ends in which begins like it. */
static void compare_states(struct trio *t, const struct script *s, enum engine_model model,
			   size_t k)
{
	const struct runner_options opt = { .model = model, .max_reads = BOUND };
	uint64_t others;

	if (!collect(t, &t->all, s, &opt, k, &others))
		return;
	compare_awaits(t, s, model, k);
	t->looped++;
	for (int i = 0; i < t->expected.n; i++)
		if (!class_set_find(&t->reached, &t->expected.v[i].key))
			say(t, s, model, k, NULL, "a final state is lost");
	t->executions += t->around.executions;
}

static void make_loops(struct script *s, uint64_t seed, int style)
{
	if (style < STYLE_COUNT)
		random_script(s, seed, (enum random_style)style);
	else
		waits_script(s, seed, (enum waits_shape)(style - STYLE_COUNT));
}

START_TEST(in_loops_that_wait)
{
	uint64_t n = long_run ? long_run : suite_times(20), random = from_seed * 93 + (uint64_t)_i;
	const enum engine_model model = models[_i];
	static struct script s;
	static struct trio t;

	if (model == MODEL_WRA)
		return; /* no write is silent there, and loops that write have no end */
	trio_init(&t);
	for (uint64_t seed = from_seed; seed < from_seed + n; seed++)
		for (int style = 0; style < STYLE_COUNT + WAITS_SHAPES; style++) {
			make_loops(&s, seed, style);
			if (!s.loops)
				continue;
			for (int i = 0; i < BEGINNINGS; i++)
				if (draw(&t, &s, model, seed * BEGINNINGS + (uint64_t)i))
					compare_states(
						&t, &s, model,
						prng_below(&random, (uint32_t)t.drawn.n + 1));
		}
	printf("# %s: loops, %llu beginnings, %llu executions\n", model_names[model],
	       (unsigned long long)t.looped, (unsigned long long)t.executions);
	fflush(stdout);
	ck_assert_uint_gt(t.looped, 0);
	trio_release(&t);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("around");
	TCase *tc = tcase_create("beginnings");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, those_that_begin_like_it, 0, MODELS);
	tcase_add_loop_test(tc, in_loops_that_wait, 0, MODELS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
