/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_guide.c - random executions that follow another one (engine/online/guide.h)
 *
 * Executions of random programs are drawn, and then are guides: as they are, their first half, and changed in some way.
 * Whatever the guide says, what comes of it must be an execution that the model has, by brute force. One that
 * has followed all of its guide (engine_followed()) must have the same steps.
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many programs.
 */
#include <check.h>
#include <string.h>

#include "base/prng.h"
#include "engine/oracle.h"
#include "engine/random.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	MAX_STEPS = 1024,
	GUIDES = 6, /* executions of one program */
	WAYS = 32   /* that follow one guide */
};

struct trial {
	struct oracle oracle;
	struct runner drawn, guided;
	struct engine_step_record steps[MAX_STEPS], again[MAX_STEPS], guide[MAX_STEPS];
	const struct script *s;
	enum engine_model model;
	uint64_t seed, guides, followed, calm; /* calm: by the first way already */
};

static struct trial t;

static void setup(void)
{
	memset(&t, 0, sizeof(t));
	oracle_init(&t.oracle);
	runner_init(&t.drawn);
	runner_init(&t.guided);
	t.drawn.steps = t.steps;
	t.guided.steps = t.again;
	t.drawn.max_steps = t.guided.max_steps = MAX_STEPS;
}

static void teardown(void)
{
	oracle_release(&t.oracle);
	runner_release(&t.drawn);
	runner_release(&t.guided);
}

static bool ask(void)
{
	struct oracle_options oo = { .models = 1u << t.model, .max_states = 30000 };

	oracle_run(&t.oracle, t.s, &oo);
	return !t.oracle.gave_up && !(t.oracle.racy >> t.model & 1);
}

static void is_of_the_model(const struct visit *v)
{
	const struct class *c = class_set_find(&t.oracle.classes, &v->key);

	if (!v->counts || (c && c->models >> t.model & 1))
		return;
	script_print(t.s, stderr);
	key_print(&v->key, t.s, stderr);
	ck_abort_msg("%s under %s: an execution the model does not have", t.s->name,
		     model_names[t.model]);
}

static bool same_step(const struct engine_step_record *a, const struct engine_step_record *b)
{
	return a->tid == b->tid && a->index == b->index && a->kind == b->kind &&
	       a->rf_tid == b->rf_tid && a->rf_index == b->rf_index && a->choice == b->choice &&
	       a->flags == b->flags && a->value.lo == b->value.lo && a->stored.lo == b->stored.lo;
}

/* The steps that a guide has are those of the execution; at its end threads may stop. */
static void has_the_steps(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (t.guide[i].kind == OP_EXIT || t.guide[i].kind == OP_BLOCK ||
		    t.guide[i].kind == OP_STUCK)
			return;
		ck_assert_uint_lt(i, t.guided.nsteps);
		ck_assert(same_step(&t.guide[i], &t.again[i]));
	}
}

/* Ways that follow n steps of t.guide (real: of an execution); returns the first that has all of them, from 1, or 0. */
static unsigned follow(size_t n, unsigned ways, bool real)
{
	const struct runner_options opt = { .mode = ENGINE_ONLINE,
					    .model = t.model,
					    .seed = t.seed,
					    .replay = t.guide,
					    .replay_len = n };
	unsigned first = 0;
	bool more = true;
	struct engine *e;
	struct visit v;

	runner_start(&t.guided, t.s, &opt);
	e = runner_engine(&t.guided, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	for (unsigned i = 1; more && i <= ways; i++) {
		more = runner_execute(&t.guided, e, &v);
		ck_assert_msg(!t.guided.error[0], "%s under %s: %s", t.s->name,
			      model_names[t.model], t.guided.error);
		is_of_the_model(&v);
		if (!engine_followed(e))
			continue;
		if (real)
			has_the_steps(n);
		first = first ? first : i;
	}
	return first;
}

/* In one of many ways. What creates threads stays: there the runner has a pattern of its own. */
static void change(struct engine_step_record *step, uint64_t *random)
{
	if (step->kind == OP_CREATE)
		return;
	switch (prng_below(random, 6)) {
	case 0:
		step->tid = prng_below(random, 70);
		break;
	case 1:
		step->rf_tid = (int32_t)prng_below(random, 80) - 2;
		break;
	case 2:
		step->rf_index = prng_below(random, 2) ? 1000 : prng_below(random, 6);
		break;
	case 3:
		step->choice += 1 + prng_below(random, 3);
		break;
	case 4:
		step->flags |= STEP_NEWEST;
		break;
	default:
		step->index = prng_below(random, 12);
		break;
	}
}

static void change_some(size_t n, uint64_t *random)
{
	for (size_t i = 0; i < n; i++) {
		if (!prng_below(random, 4))
			change(&t.guide[i], random);
		if (i && !prng_below(random, 4) && t.guide[i].kind != OP_CREATE &&
		    t.guide[i - 1].kind != OP_CREATE) {
			struct engine_step_record before = t.guide[i - 1];

			t.guide[i - 1] = t.guide[i];
			t.guide[i] = before;
		}
	}
}

static void copy(size_t n)
{
	memcpy(t.guide, t.steps, n * sizeof(t.guide[0]));
}

static void guides_of(uint64_t *random)
{
	const struct runner_options opt = { .mode = ENGINE_ONLINE,
					    .model = t.model,
					    .seed = prng_next(random) };
	struct engine *e;
	struct visit v;
	unsigned first;
	size_t n;

	runner_start(&t.drawn, t.s, &opt);
	e = runner_engine(&t.drawn, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	runner_execute(&t.drawn, e, &v);
	n = t.drawn.nsteps;
	if (t.drawn.error[0] || !n || n >= MAX_STEPS)
		return;
	t.seed = prng_next(random);
	copy(n);
	first = follow(n, WAYS, true);
	t.guides++;
	t.followed += first != 0;
	t.calm += first == 1;
	follow(n / 2 + 1, WAYS / 4, true);
	change_some(n, random);
	follow(n, WAYS / 4, false);
}

START_TEST(what_follows_a_guide_is_an_execution_of_the_model)
{
	static struct script s;
	uint64_t random = (uint64_t)_i;

	t.s = &s;
	t.model = models[_i];
	for (uint64_t seed = 0; seed < suite_times(150); seed++) {
		enum random_style style = (enum random_style)(seed % STYLE_COUNT);

		/* Of futexes there are classes in which a thread looks and what it saw is no more: no executions. */
		random_script(&s, seed, style);
		if (s.loops || style == STYLE_FUTEX || !ask())
			continue;
		for (int i = 0; i < GUIDES; i++)
			guides_of(&random);
	}
	printf("# %s: of %llu executions %llu were followed, %llu of them at once\n",
	       model_names[t.model], (unsigned long long)t.guides, (unsigned long long)t.followed,
	       (unsigned long long)t.calm);
	fflush(stdout);
	ck_assert_uint_gt(t.guides, 0);
	ck_assert_uint_ge(100 * t.followed, 90 * t.guides);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("guide");
	TCase *tc = tcase_create("brute-force");

	tcase_set_timeout(tc, 600);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_follows_a_guide_is_an_execution_of_the_model, 0, MODELS);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
