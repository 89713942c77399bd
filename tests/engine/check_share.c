/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_share.c - engines that share an exploration visit what one would, each execution once
 *
 *	check_share			what `make check` runs
 *	check_share --long N --from SEED	N random programs per model, from that seed
 *
 * Two or three engines run random programs in turn. At random moments one gives a subtree to
 * another that has nothing to do; at others one dies: what it visited since it took its subtree
 * is forgotten, and the subtree goes to another, without what the dead one had given away.
 * When one starts the exploration again (explore_lock.c), all do.
 * By values none dies (steal.c: then all start again).
 * The executions visited are compared with those of an engine alone, one by one; and the books of the
 * engines (ledger.h), added up, have to balance. In every second division each engine has a memo of its own (run/memo.h), and makes most
 * executions by itself; then the sum over all graphs is compared. So it is by values, by chance.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "engine/compare.h"
#include "engine/random.h"
#include "engine/random_conds.h"
#include "engine/random_plain.h"
#include "engine/run/repeat.h"
#include "engine/script_json.h"
#include "suite.h"
#include "wire/board.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	WORKERS = 3,
	PACKET = 1 << 16,
	MAX_GIVEN = 4096,
	MAX_VISITS = 1 << 14,
	TOO_LARGE = 2000, /* executions of a program that is left out */
	DIVISIONS = 100,  /* of one program among the engines */
};

static uint64_t from_seed = 1, long_run;

/* How many where there are n by default: of all that is counted at the end there is some in a twentieth. */
static uint64_t times(uint64_t n)
{
	return suite_times_least(n, 20);
}

struct subtree {
	size_t len, nskip, ngiven;
	struct engine_id skip[MAX_GIVEN]; /* not to be visited: given away from it before */
	struct engine_id given[MAX_GIVEN];
	_Alignas(16) char packet[PACKET];
};

struct worker {
	struct engine *e;
	bool busy, more;
	struct subtree now;
	struct visit visit[MAX_VISITS]; /* since it took the subtree */
	size_t nvisits;
	uint64_t graphs, ngraphs; /* likewise */
	struct ledger books;      /* when it was through with a subtree last */
};

struct sharing {
	struct runner runner, alone;
	struct engine_names names;
	struct value_board *board;
	struct worker worker[WORKERS];
	struct subtree lost[WORKERS];
	size_t nlost;
	int workers;
	unsigned restarted;  /* enum restart_reason */
	struct ledger books; /* of engines that died, then of all */
	uint64_t random, given, died;
	uint64_t made; /* executions, without the program */
	uint64_t programs, all_given, all_died, restarts;
};

static void take(struct sharing *s, struct worker *w, const struct subtree *t)
{
	const uint64_t graphs = s->runner.graphs, ngraphs = s->runner.ngraphs;

	if (&w->now != t)
		w->now = *t;
	w->now.ngiven = 0;
	w->nvisits = 0;
	w->busy = true;
	w->more = engine_take(w->e, w->now.packet, w->now.len, w->now.skip, w->now.nskip);
	if (w->more && w->now.len)
		w->more = runner_make(w->e, &s->restarted);
	w->graphs = s->runner.graphs - graphs;
	w->ngraphs = s->runner.ngraphs - ngraphs;
}

static void done(struct sharing *s, struct worker *w)
{
	for (size_t i = 0; i < w->nvisits; i++)
		runner_note(&s->runner, &w->visit[i]);
	w->busy = false;
	w->books = engine_stats(w->e)->ledger;
}

/* The busy worker gives what it can to an idle one. */
static void give(struct sharing *s, struct worker *from, struct worker *to)
{
	struct subtree *t = &to->now;

	if (from->now.ngiven == MAX_GIVEN)
		return;
	t->len = engine_give(from->e, t->packet, PACKET, &from->now.given[from->now.ngiven]);
	if (!t->len)
		return;
	from->now.ngiven++;
	s->given++;
	t->nskip = from->now.nskip;
	memcpy(t->skip, from->now.skip, t->nskip * sizeof(t->skip[0]));
	take(s, to, t);
}

/* The worker is gone, and another process with an empty engine comes in its place. */
static void die(struct sharing *s, struct worker *w, int which)
{
	struct subtree *t = &s->lost[s->nlost];

	if (w->now.nskip + w->now.ngiven > MAX_GIVEN)
		return;
	s->nlost++;
	s->died++;
	s->runner.graphs -= w->graphs;
	s->runner.ngraphs -= w->ngraphs;
	*t = w->now;
	memcpy(t->skip + t->nskip, t->given, t->ngiven * sizeof(t->skip[0]));
	t->nskip += t->ngiven;
	w->busy = false;
	ledger_add(&s->books, &w->books);
	w->books = (struct ledger){ 0 };
	w->e = runner_engine(&s->runner, which, WORKERS, &s->names);
}

static struct worker *some(struct sharing *s, bool busy)
{
	int start = (int)prng_below(&s->random, (uint32_t)s->workers);

	for (int i = 0; i < s->workers; i++) {
		struct worker *w = &s->worker[(start + i) % s->workers];

		if (w->busy == busy)
			return w;
	}
	return NULL;
}

/* Whoever asks whether anything is read without synchronising gets to know, also where another engine has seen that happen. */
static void check_beyond_hb(struct engine *e)
{
	const uint32_t *hb, *porf;

	for (uint32_t t = 0; t < engine_threads(e); t++) {
		engine_knew(e, t, engine_done(e, t), &hb, &porf);
		for (uint32_t u = 0; u < engine_threads(e); u++)
			ck_assert(porf[u] <= hb[u] || engine_beyond_hb(e, true));
	}
}

/* One execution of a worker, and those that it makes behind that; false when the run is over for a race, an error or a restart. */
static bool work(struct sharing *s, struct worker *w)
{
	const uint64_t graphs = s->runner.graphs, ngraphs = s->runner.ngraphs;

	if (w->more) {
		w->more = runner_execute(&s->runner, w->e, &w->visit[w->nvisits]);
		w->graphs += s->runner.graphs - graphs;
		w->ngraphs += s->runner.ngraphs - ngraphs;
		s->restarted = w->visit[w->nvisits].restarted;
		if (s->runner.raced || s->runner.error[0] || s->restarted)
			return false;
		check_beyond_hb(w->e);
		w->nvisits++;
		ck_assert_uint_lt(w->nvisits, MAX_VISITS);
	}
	if (!w->more)
		done(s, w);
	return true;
}

static void explore_together(struct sharing *s, const struct script *script,
			     const struct runner_options *opt)
{
	static struct subtree root;
	struct worker *w, *idle;

	runner_start(&s->runner, script, opt);
	memset(&s->names, 0, sizeof(s->names));
	s->nlost = 0;
	s->restarted = 0;
	for (int i = 0; i < s->workers; i++) {
		s->worker[i].e = runner_engine(&s->runner, i, WORKERS, &s->names);
		s->worker[i].busy = false;
		s->worker[i].books = (struct ledger){ 0 };
	}
	s->books = (struct ledger){ 0 };
	take(s, &s->worker[0], &root);
	for (;;) {
		idle = some(s, false);
		if (s->nlost && idle) {
			take(s, idle, &s->lost[--s->nlost]);
			continue;
		}
		w = some(s, true);
		if (!w)
			break;
		if (idle && w->more && !prng_below(&s->random, 3))
			give(s, w, idle);
		if (s->restarted)
			return;
		if (!s->runner.board && !prng_below(&s->random, 60)) {
			die(s, w, (int)(w - s->worker));
			continue;
		}
		if (!work(s, w))
			return;
	}
	for (int i = 0; i < s->workers; i++)
		ledger_add(&s->books, &s->worker[i].books);
	ck_assert_msg(!ledger_incomplete(&s->books), "%s under %s, memo %d: %s", script->name,
		      model_names[opt->model], opt->memo, ledger_incomplete(&s->books));
	ck_assert_uint_le(s->books.work[WORK_GIVEN], s->given);
}

/* Says what differs between the two sets; true if nothing does. */
static bool same_classes(const struct sharing *s)
{
	const struct class_set *a = &s->alone.classes, *b = &s->runner.classes;
	int bad = 0;

	for (int i = 0; i < a->n; i++) {
		const struct class *c = class_set_find(b, &a->v[i].key);

		bad += !c || c->visits != a->v[i].visits;
	}
	if (bad || a->n != b->n)
		printf("# %d classes, not %d; %d visited more or less often\n", b->n, a->n, bad);
	return !bad && a->n == b->n;
}

/* What the engines have made by themselves; none was mistaken. */
static uint64_t made(const struct sharing *s)
{
	struct engine_memory memory;
	uint64_t n = 0;

	for (int i = 0; i < s->workers; i++) {
		if (!engine_memory(s->worker[i].e, &memory))
			continue;
		ck_assert_msg(!memory.mistaken, "%s", memory.why);
		n += memory.made;
	}
	return n;
}

static void compare(struct sharing *s, const struct script *script, enum engine_model model,
		    enum engine_equivalence equivalence)
{
	struct runner_options opt = { .mode = ENGINE_EXPLORE,
				      .model = model,
				      .equivalence = equivalence,
				      .rule = script->loops,
				      .max_executions = TOO_LARGE };
	bool ok;

	ck_assert_msg(runner_run(&s->alone, script, &opt), "%s", s->alone.error);
	if (s->alone.executions >= TOO_LARGE || s->alone.raced)
		return;
	opt.max_executions = 0;
	/* In every other program random descents come between, from the second run on, which change nothing. */
	opt.estimate = s->programs % 2 ? ESTIMATE_BESIDE : ESTIMATE_NONE;
	opt.estimate_after = 1;
	opt.memo = s->programs / 2 % 2;
	opt.makes = 1 + (uint32_t)(s->programs % 5);
	s->given = s->died = 0;
	explore_together(s, script, &opt);
	for (unsigned reasons = 0; s->restarted; s->restarts++) {
		reasons |= s->restarted;
		opt.waiting_locks = reasons & RESTART_LOCKS;
		opt.plain_awaits = reasons & RESTART_AWAITS;
		explore_together(s, script, &opt);
	}
	s->made += made(s);
	ok = !s->runner.error[0] && !s->runner.raced && s->runner.graphs == s->alone.graphs &&
	     s->runner.ngraphs == s->alone.ngraphs;
	if (!opt.memo)
		ok = ok && same_classes(s) && s->runner.executions == s->alone.executions;
	if (!ok) {
		printf("# %s under %s, %s%s: %d workers, %d given, %d died; %d executions, not %d; %s\n",
		       script->name, model_names[model], equivalence == EQUIV_MO ? "mo" : "rf",
		       opt.memo ? ", with memos" : "", s->workers, (int)s->given, (int)s->died,
		       (int)s->runner.ngraphs, (int)s->alone.ngraphs, s->runner.error);
		fflush(stdout);
	}
	ck_assert_msg(ok, "%s under %s differs", script->name, model_names[model]);
	s->programs++;
	s->all_given += s->given;
	s->all_died += s->died;
}

static bool no_joins(const struct sharing *s)
{
	bool any = false;

	for (int k = 0; k < BOARD_JOINS; k++)
		any |= s->board->join[k].left != 0;
	return !any;
}

static bool same_vectors(const struct sharing *s)
{
	const struct class_set *a = &s->alone.values, *b = &s->runner.values;
	int bad = 0;

	for (int i = 0; i < a->n; i++) {
		const struct class *c = class_set_find(b, &a->v[i].key);

		bad += !c || (!s->board->most && c->visits != 1);
	}
	return !bad && a->n == b->n &&
	       !s->alone.endings[CLASS_DEADLOCK] == !s->runner.endings[CLASS_DEADLOCK];
}

/* Most of those that are made nobody sees: the sum over all vectors is compared. */
static bool same_by_values(const struct sharing *s, const struct runner_options *opt, uint32_t most)
{
	if (!no_joins(s))
		return false;
	if (opt->memo)
		return most ? s->runner.ngraphs >= (uint64_t)s->alone.values.n
			    : s->runner.graphs == s->alone.graphs &&
				       s->runner.ngraphs == s->alone.ngraphs;
	return same_vectors(s) && (most || s->runner.executions == s->alone.executions);
}

/* The same, by values; most: vectors that are remembered, or 0. */
static void compare_by_values(struct sharing *s, const struct script *script,
			      enum engine_model model, uint32_t most)
{
	struct runner_options opt = { .mode = ENGINE_EXPLORE,
				      .model = model,
				      .equivalence = EQUIV_VALUE,
				      .plain_events = true,
				      .max_executions = TOO_LARGE };
	bool ok;

	ck_assert_msg(runner_run(&s->alone, script, &opt), "%s", s->alone.error);
	if (s->alone.executions >= TOO_LARGE || s->alone.by_reads_from)
		return;
	opt.max_executions = 0;
	memset(s->board, 0, sizeof(*s->board));
	s->board->most = most;
	s->runner.board = s->board;
	s->given = 0;
	opt.memo = s->programs % 2;
	opt.makes = 1 + (uint32_t)(s->programs % 5);
	explore_together(s, script, &opt);
	s->made += made(s);
	ok = !s->runner.error[0] && !s->restarted && same_by_values(s, &opt, most);
	if (!ok)
		printf("# %s under %s: %d workers, %d given; %d executions, %d vectors, not %d and %d; %s\n",
		       script->name, model_names[model], s->workers, (int)s->given,
		       (int)s->runner.executions, s->runner.values.n, (int)s->alone.executions,
		       s->alone.values.n, s->runner.error);
	fflush(stdout);
	ck_assert_msg(ok, "%s under %s differs", script->name, model_names[model]);
	s->programs++;
	s->all_given += s->given;
}

static struct sharing *sharing_new(void)
{
	struct sharing *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	runner_init(&s->runner);
	runner_init(&s->alone);
	s->board = aligned_alloc(64, sizeof(*s->board));
	ck_assert_ptr_nonnull(s->board);
	s->random = from_seed;
	return s;
}

static void sharing_free(struct sharing *s, const char *what)
{
	printf("# %s: %d programs, %d subtrees given, %d engines died, %d restarts, %d executions made\n",
	       what, (int)s->programs, (int)s->all_given, (int)s->all_died, (int)s->restarts,
	       (int)s->made);
	fflush(stdout);
	runner_release(&s->runner);
	runner_release(&s->alone);
	free(s->board);
	free(s);
}

static void random_programs(enum engine_model model, enum engine_equivalence equivalence)
{
	static struct script script;
	struct sharing *s = sharing_new();
	uint64_t want = long_run ? long_run : times(400);

	for (uint64_t i = 0; i < want; i++) {
		random_script(&script, from_seed + i / STYLE_COUNT,
			      (enum random_style)(i % STYLE_COUNT));
		s->workers = 2 + (int)(i / STYLE_COUNT % 2);
		compare(s, &script, model, equivalence);
		if (i % 2)
			continue;
		plain_script(&script, from_seed + i);
		compare(s, &script, model, equivalence);
	}
	ck_assert_uint_gt(s->programs, want / 2);
	ck_assert_uint_gt(s->made, s->programs);
	ck_assert_uint_gt(s->all_given, s->programs / 2);
	ck_assert_uint_gt(s->all_died, s->programs / 20);
	sharing_free(s, model_names[model]);
}

START_TEST(engines_together_visit_each_class_once)
{
	random_programs(models[_i], EQUIV_RF);
}
END_TEST

START_TEST(engines_together_visit_each_modification_order_once)
{
	if (models[_i] != MODEL_WRA)
		random_programs(models[_i], EQUIV_MO);
}
END_TEST

START_TEST(engines_together_visit_each_vector_of_values_once)
{
	static const enum random_style styles[] = { STYLE_PLAIN, STYLE_RMW,    STYLE_SC,
						    STYLE_MIXED, STYLE_NA,     STYLE_LOCKS,
						    STYLE_SYNC,  STYLE_OBJECTS };
	static const uint64_t conds = sizeof(styles) / sizeof(styles[0]), n = conds + 1;
	static struct script script;
	struct sharing *s = sharing_new();
	uint64_t want = long_run ? long_run : times(200);

	for (uint64_t i = 0; i < want; i++) {
		if (i % n == conds)
			conds_script(&script, from_seed + i / n);
		else
			random_script(&script, from_seed + i / n, styles[i % n]);
		s->workers = 2 + (int)(i / n % 2);
		if (!script.loops)
			compare_by_values(s, &script, models[_i],
					  i / n % 3 ? 0 : (uint32_t)(1 + i / n % 20));
	}
	ck_assert_uint_gt(s->programs, want / 2);
	ck_assert_uint_gt(s->all_given, s->programs / 4);
	if (s->programs >= 100) /* the first ones have few vectors */
		ck_assert_uint_gt(s->made, s->programs);
	sharing_free(s, model_names[models[_i]]);
}
END_TEST

static void hearing_script(struct script *s)
{
	int x, z, r;

	script_init(s, "hearing");
	x = script_loc(s, LOC_MEM, "x", 0);
	z = script_loc(s, LOC_MEM, "z", 0);
	for (int t = 0; t < 3; t++)
		script_thread(s);
	script_read(s, 0, script_reg(s, 0, "r0"), x, ORDER_RLX);
	r = script_reg(s, 1, "r1");
	script_read(s, 1, r, z, ORDER_RLX);
	script_cond(s, 1, I_IF, CMP_EQ, expr_reg(r, 0), expr_const(1));
	script_write(s, 1, x, expr_const(2), ORDER_RLX);
	script_add(s, 1, I_ENDIF);
	for (int value = 1; value < 4; value++)
		script_write(s, 2, z, expr_const(value), ORDER_RLX);
	ck_assert(script_link(s));
}

/*
 * That x is written, which the first read may observe, is seen by one engine alone: the one that tries 1 for the second read. Whoever goes on
 * with the first read has to hear of it.
 */
START_TEST(engines_hear_of_each_others_writes)
{
	static struct script script;
	struct sharing *s = sharing_new();

	hearing_script(&script);
	for (uint64_t i = 0; i < times(DIVISIONS); i++) {
		s->workers = 2 + (int)(i % 2);
		compare_by_values(s, &script, models[_i], 0);
	}
	ck_assert_int_eq(s->alone.values.n, 5);
	sharing_free(s, model_names[models[_i]]);
}
END_TEST

/*
 * What five threads read each engine learns of some, in a few runs, and is given graphs in which the others have read what they never have in its own. The first
 * one mostly stays there, and main waits for it, whatever the others have come to; those end. (runner_ran.c)
 */
START_TEST(engines_make_what_they_have_run)
{
	static const char *const text =
		"{\"name\":\"five\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
		"[[\"R\",\"r0\",\"x\",\"rlx\"],[\"ASSUME\",[\"==\",\"r0\",0]]],"
		"[[\"R\",\"r0\",\"x\",\"rlx\"]],[[\"R\",\"r0\",\"y\",\"rlx\"]],[[\"R\",\"r0\",\"y\",\"rlx\"]],"
		"[[\"R\",\"r0\",\"x\",\"rlx\"]],"
		"[[\"W\",\"x\",1,\"rlx\"],[\"W\",\"x\",2,\"rlx\"],[\"W\",\"y\",1,\"rlx\"],"
		"[\"W\",\"y\",2,\"rlx\"]]]}";
	static struct script script;
	struct sharing *s = sharing_new();

	script_parse(&script, text);
	for (uint64_t i = 0; i < times(DIVISIONS); i++) {
		s->workers = WORKERS;
		compare_by_values(s, &script, models[_i], 0);
	}
	ck_assert_uint_gt(s->made, s->programs);
	sharing_free(s, model_names[models[_i]]);
}
END_TEST

/*
 * What an engine is given in place of a lock has no event for it: nothing may be read there, where an
 * earlier subtree may have left one.
 */
START_TEST(locks_are_shared)
{
	static struct script script;
	struct sharing *s = sharing_new();
	uint64_t want = times(200);

	for (uint64_t i = 0; i < want; i++) {
		random_script(&script, from_seed + i, STYLE_MUTEX);
		s->workers = 2 + (int)(i % 2);
		compare(s, &script, models[_i], EQUIV_RF);
	}
	sharing_free(s, model_names[models[_i]]);
}
END_TEST

START_TEST(litmus_files_are_shared)
{
	struct sharing *s;
	struct litmus *l;
	int n;

	ck_assert(litmus_load(litmus_path("litmus-named.json"), &l, &n));
	s = sharing_new();
	for (int i = 0; i < n; i++) {
		s->workers = 2 + i % 2;
		compare(s, &l[i].script, models[_i], EQUIV_RF);
	}
	sharing_free(s, model_names[models[_i]]);
	free(l);
}
END_TEST

/* Pushes and pops of a stack of which only the top counts: values come back, rounds are lost. */
static void stack_script(struct script *s, int pushers, int poppers)
{
	int top, old, exp;

	script_init(s, "stack");
	top = script_loc(s, LOC_MEM, "top", 0);
	for (int t = 0; t < pushers + poppers; t++) {
		script_thread(s);
		old = script_reg(s, t, "r");
		exp = script_reg(s, t, "e");
		script_read(s, t, old, top, t < pushers ? ORDER_RLX : ORDER_ACQ);
		script_add(s, t, I_LOOP);
		if (t >= pushers)
			script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_const(0));
		script_set(s, t, exp, expr_reg(old, 0));
		script_cas(s, t, old, top, expr_reg(exp, 0), expr_const(t < pushers ? t + 1 : 0),
			   t < pushers ? ORDER_REL : ORDER_ACQ,
			   t < pushers ? ORDER_RLX : ORDER_ACQ);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_reg(exp, 0));
		script_add(s, t, I_ENDLOOP);
	}
	ck_assert(script_link(s));
}

START_TEST(lost_rounds_are_shared)
{
	static struct script script;
	struct sharing *s = sharing_new();

	stack_script(&script, 2, 2);
	for (int i = 0; i < (int)times(DIVISIONS); i++) {
		s->workers = 2 + i % 2;
		compare(s, &script, models[_i], EQUIV_RF);
	}
	sharing_free(s, model_names[models[_i]]);
}
END_TEST

START_TEST(what_is_too_large_stays)
{
	static const char *const text = "{\"name\":\"sb\",\"init\":{\"x\":0,\"y\":0},\"threads\":["
					"[[\"W\",\"x\",1,\"rlx\"],[\"R\",\"r0\",\"y\",\"rlx\"]],"
					"[[\"W\",\"y\",1,\"rlx\"],[\"R\",\"r0\",\"x\",\"rlx\"]]]}";
	struct runner_options opt = { .mode = ENGINE_EXPLORE, .model = MODEL_RC11 };
	static struct script script;
	struct sharing *s = sharing_new();
	static _Alignas(16) char packet[PACKET];
	struct engine_id id;
	size_t size = 0;
	struct visit v;
	int n = 1;

	script_parse(&script, text);
	runner_start(&s->runner, &script, &opt);
	s->worker[0].e = runner_engine(&s->runner, 0, 1, &s->names);
	while (runner_execute(&s->runner, s->worker[0].e, &v)) {
		ck_assert_uint_eq(engine_give(s->worker[0].e, packet, 512, &id), 0);
		n++;
	}
	ck_assert_int_eq(n, 4);
	/* Whatever has no room any more: all of it stays. What is given is missing then, and is no more than fits. */
	runner_start(&s->runner, &script, &opt);
	s->worker[0].e = runner_engine(&s->runner, 0, 1, &s->names);
	ck_assert(runner_execute(&s->runner, s->worker[0].e, &v));
	while (!engine_give(s->worker[0].e, packet, size, &id)) {
		size += 16;
		ck_assert_uint_lt(size, PACKET);
		packet[size] = 77;
	}
	ck_assert_uint_gt(size, 512);
	ck_assert_int_eq(packet[size], 77);
	for (n = 2; runner_execute(&s->runner, s->worker[0].e, &v); n++)
		;
	ck_assert_int_lt(n, 4);
	sharing_free(s, "small buffer");
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("share");
	TCase *tc = tcase_create("engines"), *values = tcase_create("values");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, long_run ? 0 : 600);
	tcase_add_loop_test(tc, engines_together_visit_each_class_once, 0, MODELS);
	tcase_add_loop_test(tc, engines_together_visit_each_modification_order_once, 0, MODELS);
	tcase_add_loop_test(tc, locks_are_shared, 0, 2);
	tcase_add_loop_test(tc, litmus_files_are_shared, 0, MODELS);
	tcase_add_loop_test(tc, lost_rounds_are_shared, 0, MODELS);
	tcase_add_test(tc, what_is_too_large_stays);
	suite_add_tcase(s, tc);
	tcase_set_timeout(values, long_run ? 0 : 600);
	tcase_add_loop_test(values, engines_together_visit_each_vector_of_values_once, 0, MODELS);
	tcase_add_loop_test(values, engines_hear_of_each_others_writes, 0, MODELS);
	tcase_add_loop_test(values, engines_make_what_they_have_run, 0, MODELS);
	suite_add_tcase(s, values);
	return suite_run(s);
}
