/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_padded.c - a long execution is explored as a short one
 *
 *	check_padded			what `make check` runs
 *	check_padded --long N --from SEED	N random programs of each style and model
 *
 * Where graphs are long the engine answers by other means (psc_order.c, witness.c) than where
 * they are short, and short ones are all that brute force can judge. So random programs are explored as
 * they are, and with one more thread, which has nothing to do with the others and makes their
 * executions long: the classes have to be the same, each visited once.
 */
#include <check.h>
#include <string.h>

#include "engine/random.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
static const enum random_style styles[] = { STYLE_SC, STYLE_MIXED, STYLE_RMW, STYLE_MUTEX };
static const enum mem_order orders[] = { ORDER_RLX, ORDER_SC };

enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	STYLES = sizeof(styles) / sizeof(styles[0]),
	ORDERS = sizeof(orders) / sizeof(orders[0]),
	MORE = 70, /* operations: more than psc.c takes for a short execution */
	MANY = 400 /* classes of a program that is left out */
};

static uint64_t from_seed = 1, long_run;

/* A thread that writes MORE times to a location of its own, before the others. */
static bool pad(struct script *s, enum mem_order order)
{
	static struct script_thread last;
	int t, own, i;

	if (s->nthreads == SCRIPT_THREADS || s->nlocs == SCRIPT_LOCS || s->loops)
		return false;
	own = script_loc(s, LOC_MEM, "pad", 0);
	t = script_thread(s);
	i = script_reg(s, t, "i");
	script_set(s, t, i, expr_const(0));
	script_add(s, t, I_LOOP);
	script_write(s, t, own, expr_reg(i, 1), order);
	script_set(s, t, i, expr_reg(i, 1));
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(i, 0), expr_const(MORE));
	script_add(s, t, I_ENDLOOP);
	last = s->thread[t];
	memmove(&s->thread[1], &s->thread[0], (size_t)t * sizeof(last));
	s->thread[0] = last;
	return script_link(s);
}

/* The class without the first thread, which only ends; the others have the numbers before. */
static struct class_key without_pad(const struct class_key *key)
{
	struct class_key k = { .len = (uint8_t)(key->len - 2) };

	ck_assert_int_gt(key->len, 2);
	ck_assert_int_eq(key->b[0], 0xff);
	memcpy(k.b, key->b + 2, k.len);
	for (int i = 0; i < k.len; i += 2)
		if (k.b[i] && k.b[i] <= SCRIPT_THREADS)
			k.b[i]--;
	return k;
}

/* False when the program is left out. */
static bool same(struct runner *a, struct runner *b, enum engine_model model,
		 enum random_style style, uint64_t seed, enum mem_order order)
{
	const struct runner_options opt = { .model = model };
	static struct script s, padded;

	random_script(&s, seed, style);
	padded = s;
	if (!pad(&padded, order))
		return false;
	ck_assert_msg(runner_run(a, &s, &opt), "%s: %s", s.name, a->error);
	if (a->raced || a->classes.n > MANY)
		return false;
	ck_assert_msg(runner_run(b, &padded, &opt), "%s, padded: %s", s.name, b->error);
	ck_assert_msg(a->classes.n == b->classes.n, "%s under %s: %d classes, padded %d", s.name,
		      model_names[model], a->classes.n, b->classes.n);
	for (int i = 0; i < b->classes.n; i++) {
		const struct class_key key = without_pad(&b->classes.v[i].key);
		const struct class *c = class_set_find(&a->classes, &key);

		ck_assert_msg(c && c->visits == 1 && b->classes.v[i].visits == 1,
			      "%s under %s: class %d", s.name, model_names[model], i);
	}
	return true;
}

START_TEST(padded_programs_have_the_same_executions)
{
	enum engine_model model = models[_i / STYLES];
	enum random_style style = styles[_i % STYLES];
	uint64_t want = long_run ? long_run : suite_times(60), done = 0, seed = from_seed;
	struct runner a, b;

	runner_init(&a);
	runner_init(&b);
	for (; done < want && seed < from_seed + 100 * want; seed++)
		done += same(&a, &b, model, style, seed, orders[seed % ORDERS]);
	printf("# %s, %s: %llu programs\n", model_names[model], style_names[style],
	       (unsigned long long)done);
	fflush(stdout);
	ck_assert_uint_eq(done, want);
	runner_release(&a);
	runner_release(&b);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("padded");
	TCase *tc = tcase_create("long");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, padded_programs_have_the_same_executions, 0, MODELS * STYLES);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
