/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_replay.c - what was recorded is repeated, and what was recorded wrong is refused
 *
 *	check_replay			what `make check` runs
 *	check_replay --long N --from SEED	N random programs of each style and model
 *
 * Executions of random programs are recorded as they are explored (engine_steps()) and repeated by
 * the strategy that heddle replay uses: same class, same ending. A recording of which one step
 * was changed is either told to be wrong, or what it says can be done, and then it was done.
 */
#include <check.h>
#include <string.h>

#include "base/prng.h"
#include "engine/random.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	MAX_STEPS = 1024,
	OF_EACH = 12, /* executions of one program */
};

static uint64_t from_seed = 1, long_run;

struct pair {
	struct runner explored, repeated;
	struct engine_step_record steps[MAX_STEPS], again[MAX_STEPS];
	uint64_t executions, refused, taken;
};

static void pair_init(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	runner_init(&p->explored);
	runner_init(&p->repeated);
	p->explored.steps = p->steps;
	p->repeated.steps = p->again;
	p->explored.max_steps = p->repeated.max_steps = MAX_STEPS;
}

static void pair_release(struct pair *p)
{
	runner_release(&p->explored);
	runner_release(&p->repeated);
}

/* Repeats n steps; false when the engine says that they are wrong (repeated.error). */
static bool repeat(struct pair *p, const struct script *s, enum engine_model model,
		   const struct engine_step_record *steps, size_t n, struct visit *v)
{
	const struct runner_options opt = {
		.mode = ENGINE_REPLAY, .model = model, .replay = steps, .replay_len = n
	};
	struct engine *e;

	runner_start(&p->repeated, s, &opt);
	e = runner_engine(&p->repeated, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	ck_assert(!runner_execute(&p->repeated, e, v));
	return !p->repeated.error[0] && v->ending != END_WRONG;
}

static bool same_step(const struct engine_step_record *a, const struct engine_step_record *b)
{
	return a->tid == b->tid && a->index == b->index && a->kind == b->kind &&
	       a->rf_tid == b->rf_tid && a->rf_index == b->rf_index && a->choice == b->choice &&
	       a->flags == b->flags && a->value.lo == b->value.lo && a->stored.lo == b->stored.lo;
}

static void same_execution(struct pair *p, const struct script *s, enum engine_model model,
			   const struct visit *v)
{
	struct visit w;

	ck_assert_msg(repeat(p, s, model, p->steps, p->explored.nsteps, &w), "%s: %s", s->name,
		      p->repeated.error);
	ck_assert_int_eq(w.ending, v->ending);
	ck_assert_int_eq(w.key.len, v->key.len);
	ck_assert(!memcmp(w.key.b, v->key.b, v->key.len));
	ck_assert_uint_eq(p->repeated.nsteps, p->explored.nsteps);
	for (size_t i = 0; i < p->explored.nsteps; i++)
		ck_assert(same_step(&p->steps[i], &p->again[i]));
}

/* One of the ways in which a recording may be wrong. */
static void change(struct engine_step_record *step, uint64_t *random)
{
	switch (prng_below(random, 9)) {
	case 0:
		step->tid = prng_below(random, 70);
		break;
	case 1:
		step->kind = (uint8_t)prng_below(random, OP_KINDS);
		break;
	case 2:
		step->size = (uint8_t)(step->size ? 0 : 4);
		break;
	case 3:
		step->rf_tid = (int32_t)prng_below(random, 8) - 2;
		break;
	case 4:
		step->rf_index = prng_below(random, 2) ? 1000 : prng_below(random, 6);
		break;
	case 5:
		step->flags ^= STEP_WROTE;
		break;
	case 6:
		step->choice += 1 + prng_below(random, 3);
		break;
	case 7:
		step->peer = 1 + prng_below(random, 100);
		break;
	default:
		step->rf_tid = -1;
		break;
	}
}

/* A recording that goes on when the program has come to its end. */
static void longer_execution(struct pair *p, const struct script *s, enum engine_model model)
{
	static struct engine_step_record longer[MAX_STEPS];
	size_t n = p->explored.nsteps;
	struct visit v;

	if (n == MAX_STEPS)
		return;
	memcpy(longer, p->steps, n * sizeof(longer[0]));
	longer[n] = longer[n - 1];
	ck_assert(!repeat(p, s, model, longer, n + 1, &v));
}

/* With a step changed, or with two in the other order: refused, or done as it says. */
static void wrong_execution(struct pair *p, const struct script *s, enum engine_model model,
			    uint64_t *random)
{
	static struct engine_step_record wrong[MAX_STEPS];
	size_t n = p->explored.nsteps, at = prng_below(random, (uint32_t)n);
	struct visit v;

	memcpy(wrong, p->steps, n * sizeof(wrong[0]));
	if (n > 1 && !prng_below(random, 4)) {
		at = prng_below(random, (uint32_t)n - 1);
		wrong[at] = p->steps[at + 1];
		wrong[at + 1] = p->steps[at];
	} else {
		change(&wrong[at], random);
	}
	if (!repeat(p, s, model, wrong, n, &v)) {
		ck_assert_str_ne(p->repeated.error, "");
		p->refused++;
		return;
	}
	p->taken++;
	ck_assert_uint_le(p->repeated.nsteps, n);
	for (size_t i = 0; i < p->repeated.nsteps; i++) {
		ck_assert_uint_eq(p->again[i].tid, wrong[i].tid);
		if (p->again[i].kind != OP_LOAD)
			continue;
		ck_assert_int_eq(p->again[i].rf_tid, wrong[i].rf_tid);
		ck_assert(wrong[i].rf_tid < 0 || p->again[i].rf_index == wrong[i].rf_index);
	}
}

static void program(struct pair *p, const struct script *s, enum engine_model model,
		    uint64_t *random)
{
	const struct runner_options opt = { .model = model };
	bool more = true;
	struct engine *e;
	struct visit v;

	runner_start(&p->explored, s, &opt);
	e = runner_engine(&p->explored, 0, 1, NULL);
	ck_assert_ptr_nonnull(e);
	for (int i = 0; more && i < OF_EACH; i++) {
		more = runner_execute(&p->explored, e, &v);
		if (p->explored.raced || p->explored.error[0])
			break;
		if (v.restarted || !v.counts)
			continue;
		/* The runner has one script at a time: the engine that explores is left for a moment. */
		same_execution(p, s, model, &v);
		wrong_execution(p, s, model, random);
		longer_execution(p, s, model);
		p->executions++;
		runner_start(&p->explored, s, &opt);
	}
	ck_assert_msg(!p->explored.error[0], "%s: %s", s->name, p->explored.error);
}

START_TEST(executions_are_repeated)
{
	static struct script s;
	static struct pair p;
	uint64_t n = long_run ? long_run : suite_times(40), random = from_seed * 77 + (uint64_t)_i;

	pair_init(&p);
	for (uint64_t seed = from_seed; seed < from_seed + n; seed++)
		for (int style = 0; style < STYLE_COUNT; style++) {
			random_script(&s, seed, (enum random_style)style);
			if (!s.loops)
				program(&p, &s, models[_i], &random);
		}
	printf("# %s: %llu executions; changed, %llu refused and %llu done\n",
	       model_names[models[_i]], (unsigned long long)p.executions,
	       (unsigned long long)p.refused, (unsigned long long)p.taken);
	fflush(stdout);
	ck_assert_uint_gt(p.refused, 0);
	pair_release(&p);
}
END_TEST

/* x = 1 || r = x, as recorded: 0.0 create, 0.1 create, 1.0 start, ... */
static size_t message(struct pair *p, struct script *s)
{
	const struct runner_options opt = { .model = MODEL_RC11 };
	struct engine *e;
	struct visit v;
	int x;

	script_init(s, "message");
	x = script_loc(s, LOC_MEM, "x", 0);
	script_thread(s);
	script_write(s, 0, x, expr_const(1), ORDER_RLX);
	script_thread(s);
	script_read(s, 1, script_reg(s, 1, "r0"), x, ORDER_RLX);
	ck_assert(script_link(s));
	runner_start(&p->explored, s, &opt);
	e = runner_engine(&p->explored, 0, 1, NULL);
	do
		ck_assert(runner_execute(&p->explored, e, &v));
	while (!v.counts);
	return p->explored.nsteps;
}

/* The place of the first step of that kind. */
static size_t step_of(const struct pair *p, enum op_kind kind)
{
	for (size_t i = 0; i < p->explored.nsteps; i++)
		if (p->steps[i].kind == kind)
			return i;
	ck_abort_msg("no step of kind %d", kind);
}

static void must_say(struct pair *p, struct script *s, const char *words)
{
	struct visit v;

	ck_assert(!repeat(p, s, MODEL_RC11, p->steps, p->explored.nsteps, &v));
	ck_assert_msg(strstr(p->repeated.error, words), "%s", p->repeated.error);
}

START_TEST(a_wrong_recording_is_told)
{
	static const char none[] = "reads from something that is no write of its location";
	static struct script s;
	static struct pair p;

	pair_init(&p);
	message(&p, &s);
	p.steps[step_of(&p, OP_LOAD)].rf_tid = 60;
	must_say(&p, &s, none);
	message(&p, &s);
	p.steps[step_of(&p, OP_LOAD)].rf_tid = 1;
	p.steps[step_of(&p, OP_LOAD)].rf_index = 0; /* its start */
	must_say(&p, &s, none);
	message(&p, &s);
	p.steps[step_of(&p, OP_LOAD)].flags |= STEP_WROTE;
	must_say(&p, &s, "reads a value other than the recorded one");
	message(&p, &s);
	p.steps[step_of(&p, OP_LOAD)].kind = OP_STORE;
	must_say(&p, &s, "does something else than recorded");
	message(&p, &s);
	p.steps[step_of(&p, OP_JOIN)] = p.steps[step_of(&p, OP_LOAD)];
	p.steps[step_of(&p, OP_JOIN)].tid = 0;
	must_say(&p, &s, "thread ");
	message(&p, &s);
	p.steps[0].tid = 2;
	must_say(&p, &s, "is not there to make its next step");
	pair_release(&p);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("replay");
	TCase *tc = tcase_create("recorded");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, a_wrong_recording_is_told);
	tcase_add_loop_test(tc, executions_are_repeated, 0, MODELS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
