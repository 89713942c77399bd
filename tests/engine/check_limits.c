/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_limits.c - random executions that are too long: which writes they lose when memory would be full, and where they are cut
 *
 * Nothing runs here: what each thread does next is a function of how much it has done.
 */
#include <check.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/engine.h"
#include "suite.h"

enum {
	MEM_BITS = 32, /* of its addresses */
	WINDOW = 16,   /* of the writes of a location that stay when memory would be full */
	X = 0x1000,
	FULL = 1 << 17 /* writes that may be read: memory is full of more */
};

static void *mem;

static struct value zero(void *ctx, uint64_t addr, unsigned size, enum op_kind kind)
{
	(void)ctx, (void)addr, (void)size, (void)kind;
	return value_of(0);
}

/* What a thread does, after `i` operations of its own; OP_END: nothing more. */
typedef struct op does(uint32_t tid, uint32_t i);

static const enum engine_model models[] = { MODEL_SC, MODEL_TSO, MODEL_WRA, MODEL_RC11 };
enum {
	MODELS = sizeof(models) / sizeof(models[0])
};

static struct engine *engine;

/* In memory that nobody has used. */
static void begin(struct engine_config c)
{
	const size_t size = (size_t)1 << MEM_BITS;

	if (mem)
		munmap(mem, size);
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	ck_assert_ptr_ne(mem, MAP_FAILED);
	c.mode = ENGINE_ONLINE;
	c.initial = zero;
	c.seed = 1;
	ck_assert_int_eq(engine_init(&engine, mem, size, &c), 0);
}

/* Main creates two threads, and joins them. */
static struct op main_does(uint32_t i)
{
	if (i < 2)
		return (struct op){ .kind = OP_CREATE };
	if (i < 4)
		return (struct op){ .kind = OP_JOIN, .peer = i - 1 };
	return (struct op){ .kind = OP_END };
}

/* Behind so many events and yields engine_bound() is called, unless that is 0. */
static uint32_t bound_behind;

/* One execution. Returns how many events and yields it had. The last of `most` that it may have, if it is a yield, is not done. */
static uint32_t execute(does *next, uint32_t most, struct engine_outcome *out)
{
	uint32_t at[3] = { 0 }, n = 0; /* each is one, here, but for additions */
	int t;

	engine_begin(engine);
	while ((t = engine_next(engine)) != ENGINE_OVER) {
		const uint32_t i = at[t];
		struct op op = !t  ? main_does(i)
			       : i ? next((uint32_t)t, i - 1)
				   : (struct op){ .kind = OP_START };
		struct op_result res = { 0 };
		enum step_status status;

		if (bound_behind && n == bound_behind)
			engine_bound(engine, 10);
		status = engine_step(engine, (uint32_t)t, &op, &res);
		ck_assert_int_ne(status, STEP_WRONG);
		at[t] += status == STEP_DONE;
		n += status == STEP_DONE || (status == STEP_CUT && n < most && op.kind == OP_YIELD);
		if (status == STEP_CUT)
			break;
	}
	memset(out, 0, sizeof(*out));
	engine_end(engine, out);
	return n;
}

static struct op access(enum op_kind kind, uint64_t addr)
{
	return (struct op){ .kind = (uint8_t)kind,
			    .fn = RMW_ADD,
			    .size = 8,
			    .order = ORDER_RLX,
			    .addr = addr,
			    .arg = value_of(1) };
}

/* ---- Memory that is full ------------------------------------------------------------------------------------- */

static uint32_t alone, together;

/* Stores to a location of its own, of which nobody hears; then adds to the same as the other. */
static struct op stores_then_adds(uint32_t tid, uint32_t i)
{
	if (i < alone)
		return access(OP_STORE, X + 64 * tid);
	return i < alone + together ? access(OP_RMW, X) : (struct op){ .kind = OP_END };
}

static bool loses(enum engine_model model, uint32_t stores, uint32_t adds)
{
	struct engine_outcome out;

	alone = stores;
	together = adds;
	begin((struct engine_config){ .model = model, .window_of_full = WINDOW });
	execute(stores_then_adds, 0, &out);
	ck_assert_int_eq(out.ending, END_COMPLETE);
	return engine_gave_up_writes(engine);
}

/* Under sc a thread that has stored reads nothing from before that. */
START_TEST(writes_are_lost_when_memory_is_full_of_them)
{
	ck_assert_int_eq(loses(models[_i], FULL * 3 / 2, 0), models[_i] != MODEL_SC);
}
END_TEST

/* Where it is full of other events, none is: nobody can read what they have added to, but for the last. */
START_TEST(no_write_is_lost_while_it_is_not)
{
	ck_assert(!loses(models[_i], FULL / 6, models[_i] == MODEL_WRA ? 0 : FULL / 2));
}
END_TEST

/* ---- Where it is cut ----------------------------------------------------------------------------------------- */

static struct op stores(uint32_t tid, uint32_t i)
{
	(void)tid, (void)i;
	return access(OP_STORE, X);
}

static struct op stores_and_yields(uint32_t tid, uint32_t i)
{
	(void)tid;
	return i % 2 ? (struct op){ .kind = OP_YIELD } : access(OP_STORE, X);
}

static void is_cut_at(does *next, uint32_t most, uint32_t give_back_after)
{
	struct engine_outcome out;

	begin((struct engine_config){
		.model = MODEL_RC11, .max_events = most, .give_back_after = give_back_after });
	for (int run = 0; run < 3; run++) {
		ck_assert_uint_eq(execute(next, most, &out), most);
		ck_assert_int_eq(out.ending, END_LIMIT);
		engine_advance(engine, &out);
	}
}

START_TEST(an_execution_is_as_long_as_it_may_be)
{
	for (uint32_t most = 100; most < 120; most++) {
		is_cut_at(stores, most, 0);
		is_cut_at(stores, most, 16);
		is_cut_at(stores_and_yields, most, 0);
	}
}
END_TEST

START_TEST(a_bound_holds_in_the_midst_of_accesses)
{
	struct engine_outcome out;

	begin((struct engine_config){ .model = MODEL_RC11 });
	bound_behind = 50;
	ck_assert_uint_eq(execute(stores, 0, &out), 2 * bound_behind + 10);
	ck_assert_int_eq(out.ending, END_LIMIT);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("limits");
	TCase *tc = tcase_create("by hand");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, writes_are_lost_when_memory_is_full_of_them, 0, MODELS);
	tcase_add_loop_test(tc, no_write_is_lost_while_it_is_not, 0, MODELS);
	tcase_add_test(tc, an_execution_is_as_long_as_it_may_be);
	tcase_add_test(tc, a_bound_holds_in_the_midst_of_accesses);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
