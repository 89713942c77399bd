/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_engine.c - what the engine refuses, and where it ends
 *
 * The engine is asked by hand, as the target asks it: threads are lists of operations here, and one that
 * does something else the second time is told so.
 */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/engine.h"
#include "suite.h"

enum {
	MEM = 256 << 20,
	THREADS = 2,
	OPS = 8, /* of a thread, at most */
	X = 0x1000,
	Y = 0x2000
};

static void *mem;

static struct value zero(void *ctx, uint64_t addr, unsigned size, enum op_kind kind)
{
	(void)ctx, (void)addr, (void)size, (void)kind;
	return value_of(0);
}

static int init(struct engine **e, size_t size, struct engine_config c)
{
	c.initial = zero;
	return engine_init(e, mem, size, &c);
}

static void setup(void)
{
	mem = mmap(NULL, MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	ck_assert_ptr_ne(mem, MAP_FAILED);
}

static void teardown(void)
{
	munmap(mem, MEM);
}

START_TEST(what_is_not_there_is_refused)
{
	struct engine *e;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = 99 }), -ENOTSUP);
	ck_assert_int_eq(
		init(&e, MEM,
		     (struct engine_config){ .model = MODEL_WRA, .equivalence = EQUIV_MO }),
		-ENOTSUP);
	ck_assert_int_eq(init(&e, MEM,
			      (struct engine_config){ .mode = ENGINE_ONLINE,
						      .model = MODEL_SC,
						      .equivalence = EQUIV_VALUE }),
			 -ENOTSUP);
	ck_assert_int_eq(init(&e, 1 << 16, (struct engine_config){ .model = MODEL_SC }), -ENOMEM);
	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_SC }), 0);
}
END_TEST

START_TEST(kinds_have_names)
{
	for (int kind = 0; kind < OP_KINDS; kind++)
		ck_assert_str_ne(op_kind_name((enum op_kind)kind), "unknown");
	ck_assert_str_eq(op_kind_name(OP_KINDS), "unknown");
}
END_TEST

/* ---- Threads that are lists -------------------------------------------------------------------------- */

struct list {
	struct op first; /* of main, before it creates the others; nothing: OP_EXIT */
	struct op then;  /* and behind that */
	struct op op[THREADS][OPS];
	int n[THREADS];
};

static void add(struct list *l, int t, struct op op)
{
	op.size = 4;
	op.order = ORDER_RLX;
	l->op[t][l->n[t]++] = op;
}

/* x = 1; r = y || y = 1; r = x: four executions under rc11. */
static struct list store_buffering(void)
{
	struct list l = { .first = { .kind = OP_EXIT }, .then = { .kind = OP_EXIT } };

	for (int t = 0; t < THREADS; t++) {
		add(&l, t, (struct op){ .kind = OP_STORE, .addr = t ? Y : X, .arg = value_of(1) });
		add(&l, t, (struct op){ .kind = OP_LOAD, .addr = t ? X : Y });
	}
	return l;
}

/* The next operation of a thread: main creates all, joins them, and exits. */
static struct op next_op(const struct list *l, int t, const int *at)
{
	struct op op = { .kind = OP_EXIT };
	int i = at[t];

	if (t) {
		if (!i || i > l->n[t - 1])
			return (struct op){ .kind = i ? OP_END : OP_START };
		return l->op[t - 1][i - 1];
	}
	if (l->first.kind != OP_EXIT && !i--)
		return l->first;
	if (l->then.kind != OP_EXIT && i >= THREADS && i-- == THREADS)
		return l->then;
	if (i < 2 * THREADS)
		op.kind = i < THREADS ? OP_CREATE : OP_JOIN;
	if (op.kind == OP_JOIN)
		op.peer = (uint32_t)(i - THREADS + 1);
	return op;
}

/* What was done in the last execution, by thread and number, and as it is recorded. */
static struct {
	int n;
	struct {
		int thread, op;
	} at[64];
	size_t nsteps;
	struct engine_step_record step[64];
} done;

/* Behind so many operations engine_bound() is called, unless that is 0. */
static int bound_behind;

/* One execution of it; STEP_WRONG when the engine says so, and STEP_DONE otherwise. */
static enum step_status execute(struct engine *e, const struct list *l, struct engine_outcome *out)
{
	int at[THREADS + 1] = { 0 }, t;

	done.n = 0;
	engine_begin(e);
	while ((t = engine_next(e)) != ENGINE_OVER) {
		struct op op = next_op(l, t, at);
		struct op_result res = { 0 };
		enum step_status st;

		if (bound_behind && done.n == bound_behind)
			engine_bound(e, 1);
		st = engine_step(e, (uint32_t)t, &op, &res);

		if (st == STEP_WRONG)
			return st;
		if (st == STEP_CUT)
			break;
		if (st != STEP_DONE)
			continue;
		ck_assert_int_lt(done.n, 64);
		done.at[done.n].thread = t;
		done.at[done.n++].op = at[t]++;
	}
	done.nsteps = engine_steps(e, done.step, 64);
	memset(out, 0, sizeof(*out));
	engine_end(e, out);
	out->more = engine_advance(e, out);
	return STEP_DONE;
}

START_TEST(four_executions)
{
	const struct list l = store_buffering();
	struct engine_outcome out = { .more = true };
	struct engine *e;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_RC11 }), 0);
	while (out.more) {
		ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
		ck_assert_int_eq(out.ending, END_COMPLETE);
	}
	ck_assert_uint_eq(engine_stats(e)->executions, 4);
}
END_TEST

/* It has twice as many events as there were, and one more; the next execution has all, or what the options say. */
START_TEST(a_bound_holds_for_one_execution)
{
	const struct list l = store_buffering();
	struct engine_config c = { .mode = ENGINE_ONLINE, .model = MODEL_RC11, .seed = 1 };
	struct engine_outcome out;
	struct engine *e;

	for (uint64_t most = 0; most < 5; most += 4) {
		c.max_events = most;
		teardown();
		setup();
		ck_assert_int_eq(init(&e, MEM, c), 0);
		bound_behind = 2;
		ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
		ck_assert_int_eq(out.ending, END_LIMIT);
		ck_assert_int_eq(done.n, most ? 4 : 5);
		bound_behind = 0;
		ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
		ck_assert_int_eq(out.ending, most ? END_LIMIT : END_COMPLETE);
	}
}
END_TEST

/* Where threads yield, a replay does all in the order in which it was done, whoever was stopped in which of them. */
START_TEST(yields_are_repeated)
{
	struct list l = store_buffering();
	struct engine_config c = { .mode = ENGINE_ONLINE,
				   .model = MODEL_RC11,
				   .seed = (uint64_t)_i };
	struct engine_step_record step[64];
	struct engine_outcome out;
	struct engine *e;
	int stops = 0;

	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t i = 1; i <= 5; i++)
			add(&l, (int)t, (struct op){ .kind = OP_YIELD, .peer = i });
	ck_assert_int_eq(init(&e, MEM, c), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	const typeof(done) was = done;

	for (size_t i = 0; i < was.nsteps; i++)
		stops += was.step[i].kind == OP_YIELD;
	ck_assert_int_le(stops, 10);
	memcpy(step, was.step, sizeof(step));
	teardown();
	setup();
	c.mode = ENGINE_REPLAY;
	c.replay = step;
	c.replay_len = was.nsteps;
	ck_assert_int_eq(init(&e, MEM, c), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	ck_assert_int_eq(out.ending, END_COMPLETE);
	ck_assert_int_eq(done.n, was.n);
	for (int i = 0; i < was.n; i++) {
		ck_assert_int_eq(done.at[i].thread, was.at[i].thread);
		ck_assert_int_eq(done.at[i].op, was.at[i].op);
	}
	ck_assert_uint_eq(done.nsteps, was.nsteps);
	for (size_t i = 0; i < was.nsteps; i++)
		ck_assert_int_eq(done.step[i].kind, was.step[i].kind);
}
END_TEST

/* Who is to be stopped in its last yield goes on in those before. */
START_TEST(yields_have_numbers)
{
	struct list l = { .first = { .kind = OP_EXIT }, .then = { .kind = OP_EXIT } };
	struct engine_step_record step[] = {
		{ .kind = OP_CREATE, .peer = 1, .rf_tid = -2 },
		{ .kind = OP_CREATE, .index = 1, .peer = 2, .rf_tid = -2 },
		{ .kind = OP_START, .tid = 1, .rf_tid = -2 },
		{ .kind = OP_START, .tid = 2, .rf_tid = -2 },
		{ .kind = OP_YIELD, .tid = 1, .index = 1, .peer = 3, .rf_tid = -2 },
		{ .kind = OP_END, .tid = 1, .index = 1, .rf_tid = -2 },
		{ .kind = OP_END, .tid = 2, .index = 1, .rf_tid = -2 },
	};
	struct engine_config c = { .mode = ENGINE_REPLAY,
				   .model = MODEL_RC11,
				   .replay = step,
				   .replay_len = sizeof(step) / sizeof(step[0]) };
	struct engine_outcome out;
	struct engine *e;
	int at = 0;

	for (uint32_t i = 1; i <= 3; i++)
		add(&l, 0, (struct op){ .kind = OP_YIELD, .peer = i });
	ck_assert_int_eq(init(&e, MEM, c), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	while (at < done.n && !(done.at[at].thread == 1 && done.at[at].op == 1))
		at++;
	ck_assert_int_eq(done.at[at + 1].thread, 1); /* its second yield */
	ck_assert_int_eq(done.at[at + 2].thread, 2); /* begins before the third */
	ck_assert_int_eq(done.at[at + 3].thread, 1);
}
END_TEST

static uint64_t all_of(const struct list *l, enum engine_model model)
{
	struct engine_outcome out = { .more = true };
	struct engine *e;

	teardown();
	setup(); /* an engine begins in memory that is 0 */
	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = model }), 0);
	while (out.more)
		ck_assert_int_eq(execute(e, l, &out), STEP_DONE);
	ck_assert_ptr_null(ledger_incomplete(&engine_stats(e)->ledger));
	return engine_stats(e)->executions;
}

/* Whatever main does first is behind nothing. */
START_TEST(main_may_do_anything_first)
{
	const enum engine_model model = (enum engine_model)_i;
	struct list l = store_buffering();
	const uint64_t n = all_of(&l, model);

	l.first = (struct op){ .kind = OP_LOAD, .addr = X, .size = 4, .order = ORDER_ACQ };
	ck_assert_uint_eq(all_of(&l, model), n);
	l.first = (struct op){ .kind = OP_STORE, .addr = X, .size = 4, .order = ORDER_RLX };
	ck_assert_uint_eq(all_of(&l, model), n);
	l.first = (struct op){ .kind = OP_FENCE, .order = ORDER_SC };
	ck_assert_uint_eq(all_of(&l, model), n);
	/* Both threads wait for it then: one order of them is an execution, and the other one. */
	l = (struct list){ .first = { .kind = OP_LOCK, .addr = X },
			   .then = { .kind = OP_UNLOCK, .addr = X } };
	for (int t = 0; t < THREADS; t++) {
		l.op[t][0] = (struct op){ .kind = OP_LOCK, .addr = X };
		l.op[t][1] = (struct op){ .kind = OP_UNLOCK, .addr = X };
		l.n[t] = 2;
	}
	ck_assert_uint_eq(all_of(&l, model), 2);
}
END_TEST

/* Another operation than before, in the second execution: of the first thread, which is repeated. */
static const struct {
	struct op op;
	uint8_t size;
	const char *says;
} others[] = {
	{ { .kind = OP_STORE, .addr = X, .arg = { 2, 0 } }, 4, "stores another value" },
	{ { .kind = OP_STORE, .addr = Y, .arg = { 1, 0 } }, 4, "does something else" },
	{ { .kind = OP_STORE, .addr = X, .arg = { 1, 0 } }, 8, "does something else" },
	{ { .kind = OP_LOAD, .addr = X }, 4, "does something else" },
};

START_TEST(a_thread_that_changes_is_told)
{
	struct list l = store_buffering();
	struct engine_outcome out;
	struct engine *e;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_RC11 }), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	l.op[0][0] = others[_i].op;
	l.op[0][0].size = others[_i].size;
	ck_assert_int_eq(execute(e, &l, &out), STEP_WRONG);
	ck_assert_ptr_nonnull(strstr(engine_error(e), "thread 1, operation "));
	ck_assert_msg(strstr(engine_error(e), others[_i].says) != NULL, "%s", engine_error(e));
}
END_TEST

/* Where threads act on what no operation tells, that is a dead end, and counted. */
START_TEST(a_thread_that_strays_is_counted)
{
	struct list l = store_buffering();
	struct engine_outcome out = { .more = true };
	struct engine *e;
	int n = 0;

	ck_assert_int_eq(
		init(&e, MEM, (struct engine_config){ .model = MODEL_RC11, .strays = true }), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	l.op[0][0] = others[_i].op;
	l.op[0][0].size = others[_i].size;
	while (out.more && n++ < 100)
		ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	ck_assert_int_lt(n, 100);
	ck_assert_uint_ge(engine_stats(e)->strayed, 1);
}
END_TEST

START_TEST(executions_are_limited)
{
	const struct list l = store_buffering();
	struct engine_outcome out;
	struct engine *e;

	ck_assert_int_eq(
		init(&e, MEM, (struct engine_config){ .model = MODEL_RC11, .max_executions = 2 }),
		0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	ck_assert(out.more && !out.limit);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	ck_assert(!out.more && out.limit);
	ck_assert_int_eq(
		init(&e, MEM, (struct engine_config){ .model = MODEL_RC11, .max_events = 6 }), 0);
	ck_assert_int_eq(execute(e, &l, &out), STEP_DONE);
	ck_assert(out.ending == END_LIMIT && !out.full);
}
END_TEST

/* ---- One thread alone -------------------------------------------------------------------------------- */

static enum step_status step(struct engine *e, uint32_t t, struct op op, struct op_result *res)
{
	ck_assert_int_eq(engine_next(e), (int)t);
	return engine_step(e, t, &op, res);
}

START_TEST(memory_ends)
{
	const struct op store = { .kind = OP_STORE, .addr = X, .size = 4 };
	enum engine_mode mode = _i ? ENGINE_ONLINE : ENGINE_EXPLORE;
	struct engine_outcome out = { 0 };
	struct op_result res;
	struct engine *e;
	size_t size = 1 << 20;

	while (init(&e, size, (struct engine_config){ .model = MODEL_SC, .mode = mode }))
		size *= 2;
	engine_begin(e);
	for (int i = 0; step(e, 0, store, &res) == STEP_DONE; i++)
		ck_assert_int_lt(i, 1 << 24);
	engine_end(e, &out);
	ck_assert(out.ending == END_LIMIT && out.full);
}
END_TEST

/* Main creates and joins threads one by one: the first sixteen have ids of their own. */
START_TEST(ids_are_used_again)
{
	struct engine_outcome out = { 0 };
	struct op_result res;
	struct engine *e;
	uint32_t last = 0;

	ck_assert_int_eq(
		init(&e, MEM, (struct engine_config){ .model = MODEL_SC, .reuse_threads = true }),
		0);
	engine_begin(e);
	for (uint32_t i = 1; i <= 40; i++) {
		ck_assert(engine_may_create(e, 0));
		ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_CREATE }, &res), STEP_DONE);
		last = res.tid;
		ck_assert_uint_eq(last, i <= 16 ? i : 16);
		/* Main goes on until it has to wait. */
		ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_JOIN, .peer = last }, &res),
				 STEP_WAIT);
		ck_assert_int_eq(step(e, last, (struct op){ .kind = OP_START }, &res), STEP_DONE);
		ck_assert_int_eq(step(e, last, (struct op){ .kind = OP_END }, &res), STEP_DONE);
		ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_JOIN, .peer = last }, &res),
				 STEP_DONE);
	}
	/* Two at once: the second cannot have the id of the first. */
	ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_CREATE }, &res), STEP_DONE);
	ck_assert_uint_eq(res.tid, 16);
	ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_CREATE }, &res), STEP_DONE);
	ck_assert_uint_eq(res.tid, 15);
	ck_assert_int_eq(step(e, 0, (struct op){ .kind = OP_EXIT }, &res), STEP_WAIT);
	engine_fail(e);
	engine_end(e, &out);
	ck_assert_int_eq(out.ending, END_FAILED);
}
END_TEST

/* As many threads as there are ids. */
START_TEST(ids_end)
{
	const struct op create = { .kind = OP_CREATE };
	struct op_result res;
	struct engine *e;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_SC }), 0);
	engine_begin(e);
	for (uint32_t i = 1; i < HEDDLE_EXPLORED_THREADS; i++) {
		ck_assert(engine_may_create(e, 0));
		ck_assert_int_eq(step(e, 0, create, &res), STEP_DONE);
		ck_assert_uint_eq(res.tid, i);
	}
	ck_assert(!engine_may_create(e, 0));
}
END_TEST

static bool is_seven(struct value v, void *ctx)
{
	++*(int *)ctx;
	return v.lo == 7;
}

/*
 * The values of the place that an event is about, by writes that do not come behind it: what is known of other places, or of no place, is
 * none of them.
 */
START_TEST(values_written_are_known)
{
	const struct op store = { .kind = OP_STORE, .addr = X, .size = 4, .arg = { 7, 0 } };
	const struct op load = { .kind = OP_LOAD, .addr = Y, .size = 4 };
	const struct op again = { .kind = OP_LOAD, .addr = X, .size = 4 };
	const struct op fence = { .kind = OP_FENCE, .order = ORDER_SC };
	struct op_result res;
	struct engine *e;
	int asked = 0;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_RC11 }), 0);
	engine_begin(e);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		ck_assert_uint_eq(engine_porf(e, 0)[t] + engine_clock(e, 0)[t], 0);
	ck_assert_int_eq(step(e, 0, fence, &res), STEP_DONE);
	ck_assert_int_eq(step(e, 0, load, &res), STEP_DONE);
	ck_assert_int_eq(step(e, 0, store, &res), STEP_DONE);
	ck_assert_int_eq(step(e, 0, load, &res), STEP_DONE);
	ck_assert_int_eq(step(e, 0, again, &res), STEP_DONE);
	ck_assert_uint_eq(engine_porf(e, 0)[0], 5);
	ck_assert(!engine_any_value(e, 0, 0, is_seven, &asked));
	ck_assert_int_eq(asked, 0);
	ck_assert(!engine_any_value(e, 0, 1, is_seven, &asked));
	ck_assert_int_eq(asked, 1);
	ck_assert(!engine_any_value(e, 0, 2, is_seven, &asked)); /* what it writes itself */
	ck_assert_int_eq(asked, 2);
	ck_assert(engine_any_value(e, 0, 4, is_seven, &asked));
	ck_assert_int_eq(asked, 4);
}
END_TEST

/* Was what a thread did last a read of the initial value? */
START_TEST(initial_values_are_read)
{
	const struct op load = { .kind = OP_LOAD, .addr = X, .size = 4 };
	const struct op add = { .kind = OP_RMW, .addr = X, .size = 4, .arg = { 1, 0 } };
	struct op_result res;
	struct engine *e;

	ck_assert_int_eq(init(&e, MEM, (struct engine_config){ .model = MODEL_SC }), 0);
	engine_begin(e);
	ck_assert(!engine_read_initial(e, 0));
	ck_assert_ptr_nonnull(engine_clock(e, 0));
	ck_assert_int_eq(step(e, 0, load, &res), STEP_DONE);
	ck_assert(engine_read_initial(e, 0));
	ck_assert_int_eq(step(e, 0, add, &res), STEP_DONE);
	ck_assert(engine_read_initial(e, 0));
	ck_assert_int_eq(step(e, 0, add, &res), STEP_DONE);
	ck_assert(!engine_read_initial(e, 0));
	ck_assert_int_eq(step(e, 0, load, &res), STEP_DONE);
	ck_assert(!engine_read_initial(e, 0));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine");
	TCase *tc = tcase_create("by hand");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_not_there_is_refused);
	tcase_add_test(tc, kinds_have_names);
	tcase_add_test(tc, four_executions);
	tcase_add_test(tc, a_bound_holds_for_one_execution);
	tcase_add_loop_test(tc, main_may_do_anything_first, 0, MODEL_COUNT);
	tcase_add_loop_test(tc, a_thread_that_changes_is_told, 0, 4);
	tcase_add_loop_test(tc, a_thread_that_strays_is_counted, 0, 4);
	tcase_add_test(tc, executions_are_limited);
	tcase_add_loop_test(tc, memory_ends, 0, 2);
	tcase_add_test(tc, ids_are_used_again);
	tcase_add_test(tc, ids_end);
	tcase_add_test(tc, values_written_are_known);
	tcase_add_test(tc, initial_values_are_read);
	tcase_add_loop_test(tc, yields_are_repeated, 1, 200);
	tcase_add_test(tc, yields_have_numbers);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
