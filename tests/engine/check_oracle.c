/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_oracle.c - brute force agrees with the counts of the conformance suite
 *
 * The counts come from an oracle in another language; where both say the same about 215
 * programs under eight models, differences found later are the engine's.
 */
#include <check.h>
#include <stdlib.h>

#include "engine/oracle.h"
#include "engine/script_json.h"
#include "suite.h"

static void judge(const struct litmus *l, struct oracle *o)
{
	struct oracle_options opt = { .models = 0xff, .count_mo = true };

	oracle_run(o, &l->script, &opt);
	ck_assert_msg(!o->gave_up, "%s: too large", l->script.name);
	for (int m = 0; m < MODEL_COUNT; m++) {
		const struct litmus_expect *e = &l->expect[m];
		uint64_t values = 0, rf = o->count[CLASS_COMPLETE][m];
		for (int i = 0; i < o->values.n; i++)
			values += o->values.v[i].models >> m & 1;
		ck_assert_msg(e->race == (o->racy >> m & 1), "%s %s: race", l->script.name,
			      model_names[m]);
		ck_assert_msg(e->assertion == (o->count[CLASS_ERROR][m] > 0), "%s %s: assertion",
			      l->script.name, model_names[m]);
		if (e->race)
			continue;
		ck_assert_msg(rf == e->rf, "%s %s: %llu executions, expected %llu", l->script.name,
			      model_names[m], (unsigned long long)rf, (unsigned long long)e->rf);
		ck_assert_msg(o->count[CLASS_BLOCKED][m] == e->blocked, "%s %s: blocked",
			      l->script.name, model_names[m]);
		ck_assert_msg(!e->has_mo || o->mos[m] == e->mo, "%s %s: %llu by mo, expected %llu",
			      l->script.name, model_names[m], (unsigned long long)o->mos[m],
			      (unsigned long long)e->mo);
		ck_assert_msg(values == e->values, "%s %s: values", l->script.name, model_names[m]);
	}
}

static void judge_file(const char *file)
{
	struct litmus *l;
	struct oracle o;
	int n;

	ck_assert_msg(litmus_load(litmus_path(file), &l, &n), "%s cannot be read", file);
	oracle_init(&o);
	for (int i = 0; i < n; i++)
		judge(&l[i], &o);
	oracle_release(&o);
	free(l);
}

START_TEST(oracle_counts_named_litmus_programs)
{
	judge_file("litmus-named.json");
}
END_TEST

START_TEST(oracle_counts_random_litmus_programs)
{
	judge_file("litmus-random.json");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("oracle");
	TCase *tc = tcase_create("litmus");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, oracle_counts_named_litmus_programs);
	tcase_add_test(tc, oracle_counts_random_litmus_programs);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
