/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_await.c - awaits by the redundant-round rule (await.txt)
 *
 * The table of tests/reference/awaits.py through the engine, and random programs with
 * loops: each class once, and every final state that bounded exploration without the rule
 * reaches.
 */
#include <check.h>

#include "engine/compare.h"
#include "engine/random.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	COUNTED = 2, /* of them: those that all is said of */
	PROGRAMS = 400,
	BOUND = 5
};

static int mem(struct script *s, const char *name)
{
	return script_loc(s, LOC_MEM, name, 0);
}

static void spin(struct script *s, int t, int loc, int reg, enum cmp cmp, struct expr until,
		 enum mem_order order)
{
	script_add(s, t, I_LOOP);
	script_read(s, t, reg, loc, order);
	script_cond(s, t, I_BREAK_IF, cmp, expr_reg(reg, 0), until);
	script_add(s, t, I_ENDLOOP);
}

static void ticket_lock(struct script *s, int t, int n)
{
	int next = mem(s, "n"), serving = mem(s, "s");
	int mine = script_reg(s, t, "t"), a = script_reg(s, t, "a");

	(void)n;
	script_rmw(s, t, I_FAI, mine, next, expr_const(1), ORDER_RLX);
	spin(s, t, serving, a, CMP_EQ, expr_reg(mine, 0), ORDER_ACQ);
	script_write(s, t, serving, expr_reg(mine, 1), ORDER_REL);
}

static void test_and_set(struct script *s, int t, int n)
{
	int l = mem(s, "l"), a = script_reg(s, t, "a"), b = script_reg(s, t, "b");

	(void)n;
	script_add(s, t, I_LOOP);
	spin(s, t, l, a, CMP_EQ, expr_const(0), ORDER_RLX);
	script_rmw(s, t, I_XCHG, b, l, expr_const(1), ORDER_ACQ);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(b, 0), expr_const(0));
	script_add(s, t, I_ENDLOOP);
	script_write(s, t, l, expr_const(0), ORDER_REL);
}

static void peterson(struct script *s, int t, int n)
{
	int flag[] = { mem(s, "f0"), mem(s, "f1") }, turn = mem(s, "turn"), other = 1 - t;
	int a = script_reg(s, t, "a"), b = script_reg(s, t, "b");

	(void)n;
	script_write(s, t, flag[t], expr_const(1), ORDER_SC);
	script_write(s, t, turn, expr_const(other), ORDER_SC);
	script_add(s, t, I_LOOP);
	script_read(s, t, a, flag[other], ORDER_SC);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(0));
	script_read(s, t, b, turn, ORDER_SC);
	script_cond(s, t, I_BREAK_IF, CMP_NE, expr_reg(b, 0), expr_const(other));
	script_add(s, t, I_ENDLOOP);
	script_write(s, t, flag[t], expr_const(0), ORDER_SC);
}

static void barrier(struct script *s, int t, int n)
{
	int w = mem(s, "w"), go = mem(s, "s");
	int k = script_reg(s, t, "k"), a = script_reg(s, t, "a");

	script_rmw(s, t, I_FAI, k, w, expr_const(1), ORDER_ACQ_REL);
	script_cond(s, t, I_IF, CMP_EQ, expr_reg(k, 0), expr_const(n - 1));
	script_write(s, t, go, expr_const(1), ORDER_REL);
	script_add(s, t, I_ELSE);
	spin(s, t, go, a, CMP_NE, expr_const(0), ORDER_ACQ);
	script_add(s, t, I_ENDIF);
}

static void cas_increment(struct script *s, int t, int n)
{
	int c = mem(s, "c"), old = script_reg(s, t, "r"), exp = script_reg(s, t, "e");

	(void)n;
	script_read(s, t, old, c, ORDER_RLX);
	script_add(s, t, I_LOOP);
	script_set(s, t, exp, expr_reg(old, 0));
	script_cas(s, t, old, c, expr_reg(exp, 0), expr_reg(exp, 1), ORDER_ACQ_REL, ORDER_RLX);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_reg(exp, 0));
	script_add(s, t, I_ENDLOOP);
}

/* Complete executions under rc11, as an independent model checker counts them. */
static const struct known {
	const char *name;
	void (*thread)(struct script *s, int t, int n);
	int threads;
	uint64_t complete;
} table[] = {
	{ "ticket lock", ticket_lock, 2, 2 },
	{ "ticket lock", ticket_lock, 3, 6 },
	{ "test and test-and-set", test_and_set, 2, 4 },
	{ "test and test-and-set", test_and_set, 3, 36 },
	{ "peterson", peterson, 2, 4 },
	{ "barrier", barrier, 2, 2 },
	{ "barrier", barrier, 3, 6 },
	{ "compare-and-swap increments", cas_increment, 2, 2 }, /* N! by the rule */
	{ "compare-and-swap increments", cas_increment, 3, 6 },
	{ "compare-and-swap increments", cas_increment, 4, 24 },
};
enum {
	KNOWN = sizeof(table) / sizeof(table[0])
};

static void known_script(struct script *s, const struct known *k)
{
	script_init(s, k->name);
	for (int t = 0; t < k->threads; t++)
		k->thread(s, script_thread(s), k->threads);
	ck_assert(script_link(s));
}

START_TEST(known_programs_have_the_known_counts)
{
	static struct script s;
	struct runner_options opt = { .model = MODEL_RC11, .rule = true };
	struct runner r;

	known_script(&s, &table[_i]);
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s: %s", s.name, r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], table[_i].complete);
	ck_assert_uint_eq(r.classes.n, (unsigned)r.executions); /* no duplicate */
	ck_assert_uint_eq(r.stuck_bugs, 0);
	printf("# %s %d: %llu complete, %llu blocked, %llu wasted\n", s.name, table[_i].threads,
	       (unsigned long long)r.endings[CLASS_COMPLETE],
	       (unsigned long long)r.endings[CLASS_BLOCKED], (unsigned long long)r.wasted);
	fflush(stdout);
	runner_release(&r);
}
END_TEST

START_TEST(known_programs_agree_with_brute_force)
{
	static struct script s;
	struct compare c;

	compare_init(&c);
	for (int i = 0; i < KNOWN; i++) {
		known_script(&s, &table[i]);
		if (compare_script(&c, &s, models[_i], true) != COMPARE_DIFFERS)
			continue;
		compare_explain(&c, &s, stderr);
		ck_abort_msg("%s %d under %s differs", s.name, s.nthreads, model_names[models[_i]]);
	}
	compare_release(&c);
}
END_TEST

/* Every final state of bounded exploration without the rule is among those with it. */
START_TEST(no_final_state_is_lost)
{
	static struct script s;
	struct oracle_options oo = { .models = 1u << models[_i],
				     .max_reads = BOUND,
				     .max_states = 100000 };
	struct runner_options ro = { .model = models[_i], .rule = true };
	struct oracle o;
	struct runner r;
	uint64_t ran = 0;

	oracle_init(&o);
	runner_init(&r);
	for (uint64_t seed = 0; ran < suite_times(PROGRAMS); seed++) {
		random_script(&s, seed, STYLE_LOOPS);
		oracle_run(&o, &s, &oo);
		if (o.gave_up)
			continue;
		/* Under wra no write is silent, and a lock of exchanges is tried for ever. */
		if (!runner_run(&r, &s, &ro) && r.endless && models[_i] == MODEL_WRA)
			continue;
		ran++;
		ck_assert_msg(!r.error[0], "%s: %s", s.name, r.error);
		ck_assert_uint_eq(r.classes.n, (unsigned)r.executions);
		for (int i = 0; i < o.finals.n; i++) {
			if (!(o.finals.v[i].models >> models[_i] & 1) ||
			    class_set_find(&r.finals, &o.finals.v[i].key))
				continue;
			script_print(&s, stderr);
			ck_abort_msg("%s under %s: a final state is lost", s.name,
				     model_names[models[_i]]);
		}
	}
	oracle_release(&o);
	runner_release(&r);
}
END_TEST

/* A flag that nobody sets: the await can never end, and that is a bug. */
START_TEST(an_await_that_cannot_end_is_stuck)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;

	script_init(&s, "nobody sets it");
	script_thread(&s);
	script_thread(&s);
	spin(&s, 0, mem(&s, "flag"), script_reg(&s, 0, "a"), CMP_NE, expr_const(0), ORDER_ACQ);
	script_write(&s, 1, mem(&s, "other"), expr_const(1), ORDER_REL);
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_gt(r.stuck_bugs, 0);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 0);
	runner_release(&r);
}
END_TEST

/* A lock that is never given back: the exchange stores what it read, for ever. */
START_TEST(an_exchange_that_cannot_succeed_is_stuck)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;

	script_init(&s, "never unlocked");
	for (int t = 0; t < 2; t++) {
		int l = mem(&s, "l"), b = script_reg(&s, script_thread(&s), "b");
		script_add(&s, t, I_LOOP);
		script_rmw(&s, t, I_XCHG, b, l, expr_const(1), ORDER_ACQ);
		script_cond(&s, t, I_BREAK_IF, CMP_EQ, expr_reg(b, 0), expr_const(0));
		script_add(&s, t, I_ENDLOOP);
	}
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 0);
	ck_assert_uint_eq(r.stuck_bugs, 2); /* whoever comes second */
	runner_release(&r);
}
END_TEST

/* The same with a compare-and-swap. */
START_TEST(a_lock_that_nobody_gives_back_is_stuck)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;

	script_init(&s, "never unlocked");
	for (int t = 0; t < 3; t++) {
		int l = mem(&s, "l"), b = script_reg(&s, script_thread(&s), "b");
		script_add(&s, t, I_LOOP);
		script_cas(&s, t, b, l, expr_const(0), expr_const(1), ORDER_ACQ, ORDER_RLX);
		script_cond(&s, t, I_BREAK_IF, CMP_EQ, expr_reg(b, 0), expr_const(0));
		script_add(&s, t, I_ENDLOOP);
	}
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 0);
	ck_assert_uint_eq(r.stuck_bugs, 3); /* whoever is first */
	runner_release(&r);
}
END_TEST

/*
 * A thread that lost a round waits: that is one execution, whichever later value told it so. Here
 * the compare-and-swap expects what the load before it read, 0, 1 or 2 of the 1, 2, 3 that are
 * stored; from 3 on it cannot lose.
 */
START_TEST(a_lost_round_is_one_execution)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;
	int x, old, exp;

	script_init(&s, "lost rounds");
	x = mem(&s, "x");
	script_thread(&s);
	for (int v = 1; v <= 3; v++)
		script_write(&s, 0, x, expr_const(v), ORDER_RLX);
	script_thread(&s);
	old = script_reg(&s, 1, "r");
	exp = script_reg(&s, 1, "e");
	script_read(&s, 1, old, x, ORDER_RLX);
	script_add(&s, 1, I_LOOP);
	script_set(&s, 1, exp, expr_reg(old, 0));
	script_cas(&s, 1, old, x, expr_reg(exp, 0), expr_const(9), ORDER_RLX, ORDER_RLX);
	script_cond(&s, 1, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_reg(exp, 0));
	script_add(&s, 1, I_ENDLOOP);
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 4);
	ck_assert_uint_eq(r.endings[CLASS_BLOCKED], 0);
	ck_assert_uint_le(r.waiting, 3);
	ck_assert_uint_eq(r.stuck_bugs, 0);
	runner_release(&r);
}
END_TEST

/* What a thread has read before it waits may be followed by exchanges that store the same. */
START_TEST(a_round_of_two_reads_is_stuck)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;
	int x, a, b;

	script_init(&s, "the same again");
	x = script_loc(&s, LOC_MEM, "x", 1);
	script_thread(&s);
	script_thread(&s);
	a = script_reg(&s, 0, "a");
	b = script_reg(&s, 0, "b");
	script_add(&s, 0, I_LOOP);
	script_read(&s, 0, a, x, ORDER_RLX);
	script_cond(&s, 0, I_BREAK_IF, CMP_NE, expr_reg(a, 0), expr_const(1));
	script_read(&s, 0, b, mem(&s, "y"), ORDER_RLX);
	script_cond(&s, 0, I_BREAK_IF, CMP_NE, expr_reg(b, 0), expr_const(0));
	script_add(&s, 0, I_ENDLOOP);
	script_rmw(&s, 1, I_XCHG, script_reg(&s, 1, "c"), x, expr_const(1), ORDER_RLX);
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 0);
	ck_assert_uint_eq(r.stuck_bugs, 2); /* before the exchange, and after it */
	runner_release(&r);
}
END_TEST

/* A thread that waits where nobody can be stuck for good need not be looked at once more. */
START_TEST(no_execution_is_repeated_for_a_round_that_is_over)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;

	script_init(&s, "peterson");
	for (int t = 0; t < 2; t++)
		peterson(&s, script_thread(&s), 2);
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 4);
	ck_assert_uint_le(r.wasted + r.waiting, 6); /* 9, with those that are looked at again */
	runner_release(&r);
}
END_TEST

/* One that another thread does set is only blocked where it read too early. */
START_TEST(an_await_that_can_end_is_not_stuck)
{
	static struct script s;
	struct runner_options opt = { .model = models[_i], .rule = true };
	struct runner r;

	script_init(&s, "set later");
	script_thread(&s);
	script_thread(&s);
	spin(&s, 0, mem(&s, "flag"), script_reg(&s, 0, "a"), CMP_NE, expr_const(0), ORDER_ACQ);
	script_write(&s, 1, mem(&s, "flag"), expr_const(1), ORDER_REL);
	ck_assert(script_link(&s));
	runner_init(&r);
	ck_assert_msg(runner_run(&r, &s, &opt), "%s", r.error);
	ck_assert_uint_eq(r.stuck_bugs, 0);
	ck_assert_uint_eq(r.endings[CLASS_COMPLETE], 1); /* the one without a failed round */
	runner_release(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("await");
	TCase *tc = tcase_create("rule");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, known_programs_have_the_known_counts, 0, KNOWN);
	tcase_add_loop_test(tc, known_programs_agree_with_brute_force, 0, MODELS);
	tcase_add_loop_test(tc, no_final_state_is_lost, 0, MODELS);
	tcase_add_loop_test(tc, an_await_that_cannot_end_is_stuck, 0, MODELS);
	tcase_add_loop_test(tc, an_exchange_that_cannot_succeed_is_stuck, 0, COUNTED);
	tcase_add_loop_test(tc, an_await_that_can_end_is_not_stuck, 0, MODELS);
	tcase_add_loop_test(tc, a_lock_that_nobody_gives_back_is_stuck, 0, MODELS);
	tcase_add_loop_test(tc, a_lost_round_is_one_execution, 0, MODELS);
	tcase_add_loop_test(tc, a_round_of_two_reads_is_stuck, 0, MODELS);
	tcase_add_loop_test(tc, no_execution_is_repeated_for_a_round_that_is_over, 0, COUNTED);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
