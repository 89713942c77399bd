/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_long.c - random executions too long for brute force, or of too many threads, judged by the offline checkers
 *
 * Threads that do random operations on a few locations, run online. Every execution must be
 * consistent by the algorithms of runtime/offline, which share nothing with the engine's
 * incremental ones.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/prng.h"
#include "engine/engine.h"
#include "offline/check.h"
#include "suite.h"

enum {
	MEMORY = 1 << 28,
	MAX_WORKERS = 5,
	CROWD = 256,
	LOCATIONS = 3,
	EXECUTIONS = 100, /* under each model, of each mix */
	CROWDS = 5        /* likewise */
};

/* What the workers do: a share of 100 for each kind, and which orders. */
struct mix {
	const char *name;
	unsigned loads, stores, adds, swaps; /* the rest: fences */
	enum {
		RELAXED,
		ACQUIRE_RELEASE,
		SEQ_CST,
		ALL
	} orders;
};

static const struct mix mixes[] = {
	{ "plain", 50, 50, 0, 0, RELAXED }, { "counters", 30, 20, 40, 10, ACQUIRE_RELEASE },
	{ "swaps", 30, 10, 10, 50, ALL },   { "seq_cst", 50, 40, 10, 0, SEQ_CST },
	{ "fences", 40, 35, 5, 5, ALL },    { "everything", 40, 30, 12, 12, ALL },
};
enum {
	MIXES = sizeof(mixes) / sizeof(mixes[0])
};

static const char *const model_names[MODEL_COUNT] = {
	[MODEL_SC] = "sc",     [MODEL_TSO] = "tso",   [MODEL_SRA] = "sra",
	[MODEL_RA] = "ra",     [MODEL_WRA] = "wra",   [MODEL_RELAXED] = "relaxed",
	[MODEL_RC20] = "rc20", [MODEL_RC11] = "rc11",
};

struct run {
	struct engine *e;
	const struct mix *mix;
	uint64_t seed;
	uint32_t workers, rounds;
	uint32_t at[CROWD + 1]; /* operations each thread has finished */
	bool over[CROWD + 1];
};

static struct value zero(void *ctx, uint64_t addr, unsigned size, enum op_kind kind)
{
	(void)ctx;
	(void)addr;
	(void)size;
	(void)kind;
	return value_of(0);
}

static unsigned load_order(const struct mix *mix, uint64_t *random)
{
	static const uint8_t orders[][3] = { { ORDER_RLX, ORDER_RLX, ORDER_RLX },
					     { ORDER_RLX, ORDER_ACQ, ORDER_ACQ },
					     { ORDER_SC, ORDER_SC, ORDER_SC },
					     { ORDER_RLX, ORDER_ACQ, ORDER_SC } };

	return orders[mix->orders][prng_below(random, 3)];
}

static unsigned store_order(const struct mix *mix, uint64_t *random)
{
	unsigned order = load_order(mix, random);

	return order == ORDER_ACQ ? ORDER_REL : order;
}

/* Operation number i of a worker: always the same one. */
static struct op nth_op(const struct run *r, uint32_t tid, uint32_t i)
{
	uint64_t random = r->seed ^ (uint64_t)tid << 40 ^ (uint64_t)i * 0x9e3779b97f4a7c15u;
	const struct mix *mix = r->mix;
	struct op op = { .size = 4 };
	uint32_t kind;

	prng_next(&random);
	op.addr = 0x1000 + 8 * prng_below(&random, LOCATIONS);
	kind = prng_below(&random, 100);
	if (kind < mix->loads) {
		op.kind = OP_LOAD;
		op.order = (uint8_t)load_order(mix, &random);
	} else if ((kind -= mix->loads) < mix->stores) {
		op.kind = OP_STORE;
		op.order = (uint8_t)store_order(mix, &random);
		op.arg = value_of(1 + prng_below(&random, 3));
	} else if ((kind -= mix->stores) < mix->adds) {
		op.kind = OP_RMW;
		op.fn = RMW_ADD;
		op.order = (uint8_t)load_order(mix, &random);
		op.arg = value_of(1);
	} else if ((kind -= mix->adds) < mix->swaps) {
		op.kind = OP_CAS;
		op.order = op.order_fail = (uint8_t)load_order(mix, &random);
		op.expected = value_of(1 + prng_below(&random, 3));
		op.arg = value_of(1 + prng_below(&random, 3));
	} else {
		op = (struct op){ .kind = OP_FENCE,
				  .order = mix->orders == ALL && prng_below(&random, 2)
						   ? ORDER_SC
						   : ORDER_ACQ_REL };
	}
	return op;
}

static struct op next_op(const struct run *r, uint32_t tid)
{
	uint32_t i = r->at[tid];

	if (!tid)
		return (struct op){ .kind = i < r->workers ? OP_CREATE : OP_END };
	if (!i)
		return (struct op){ .kind = OP_START };
	if (i <= r->rounds)
		return nth_op(r, tid, i);
	return (struct op){ .kind = OP_END };
}

/* Runs a thread until it has to wait. */
static void run_thread(struct run *r, uint32_t tid)
{
	while (!r->over[tid]) {
		struct op op = next_op(r, tid);
		struct op_result result;
		enum step_status status = engine_step(r->e, tid, &op, &result);

		if (status == STEP_WAIT)
			return;
		ck_assert_int_eq(status, STEP_DONE);
		r->at[tid]++;
		r->over[tid] = op.kind == OP_END;
	}
}

/* Creation is the first thing that happens to a worker: nothing hangs on its edge. */
static void add_step(struct execution *x, const struct engine_step_record *s)
{
	struct execution_event ev = { .tid = s->tid, .order = s->order, .loc = EX_NONE };
	char name[32];

	if (s->kind == OP_FENCE || !s->addr) {
		ev.kind = EX_FENCE;
		ev.order = s->kind == OP_FENCE ? s->order : ORDER_RLX;
	} else {
		ev.kind = (s->flags & STEP_READ ? EX_READ : 0) |
			  (s->flags & STEP_WROTE ? EX_WRITE : 0);
		snprintf(name, sizeof(name), "x%llu", (unsigned long long)s->addr);
		ev.loc = execution_location(x, name, strlen(name));
		ev.rf_tid = s->rf_tid < 0 ? EX_INIT : (uint32_t)s->rf_tid;
		ev.rf_index = s->rf_index;
	}
	execution_add(x, &ev);
}

static void must_be_consistent(const struct run *r, enum engine_model model)
{
	size_t n = engine_steps(r->e, NULL, 0);
	struct engine_step_record *step = calloc(n, sizeof(*step));
	struct execution_error error;
	struct execution x;
	struct verdict v;

	ck_assert_uint_ge(n, (size_t)r->workers * r->rounds);
	engine_steps(r->e, step, n);
	execution_init(&x);
	for (size_t i = 0; i < n; i++)
		add_step(&x, &step[i]);
	ck_assert_msg(execution_finish(&x, &error), "%s", error.text);
	ck_assert(checker_best(&x, model)->check(&x, model, false, &v));
	ck_assert_msg(v.consistent, "%s, %s, seed %llu: %s", model_names[model], r->mix->name,
		      (unsigned long long)r->seed, v.axiom);
	verdict_release(&v);
	execution_release(&x);
	free(step);
}

/* `give_back_after`: as in struct engine_config, but that all events stay for the checkers (online.txt, G). */
static void run_online(void *memory, enum engine_model model, const struct mix *mix, uint64_t seed,
		       uint32_t workers, uint32_t rounds, uint32_t give_back_after)
{
	struct engine_config config = { .mode = ENGINE_ONLINE,
					.model = model,
					.seed = seed,
					.initial = zero,
					.give_back_after = give_back_after,
					.everything = give_back_after != 0 };
	struct run r = { .mix = mix, .seed = seed, .workers = workers, .rounds = rounds };
	struct engine_outcome outcome;
	int tid;

	ck_assert_int_eq(engine_init(&r.e, memory, MEMORY, &config), 0);
	engine_begin(r.e);
	while ((tid = engine_next(r.e)) != ENGINE_OVER)
		run_thread(&r, (uint32_t)tid);
	engine_end(r.e, &outcome);
	ck_assert_int_eq(outcome.ending, END_COMPLETE);
	must_be_consistent(&r, model);
}

/* How long an execution the offline searches can judge: they are exact for hard models. */
static uint32_t rounds_for(enum engine_model model)
{
	switch (model) {
	case MODEL_SRA:
		return 12;
	case MODEL_TSO:
	case MODEL_SC:
	case MODEL_RC11:
		return 60;
	default:
		return 400;
	}
}

static void *new_memory(void)
{
	void *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ck_assert(memory != MAP_FAILED);
	return memory;
}

/* More threads than a word has bits, which do little each. */
START_TEST(executions_of_crowds_are_consistent)
{
	static const uint32_t workers[] = { 64, 65, 100, 200, CROWD };
	enum engine_model model = (enum engine_model)(_i / MIXES);
	void *memory = new_memory();

	for (uint64_t seed = 1; seed <= suite_times(CROWDS); seed++) {
		madvise(memory, MEMORY, MADV_DONTNEED);
		run_online(memory, model, &mixes[_i % MIXES], seed, workers[seed % 5],
			   model == MODEL_SRA ? 1 : 3, 0);
	}
	munmap(memory, MEMORY);
}
END_TEST

START_TEST(long_random_executions_are_consistent)
{
	enum engine_model model = (enum engine_model)(_i / MIXES);
	void *memory = new_memory();

	for (uint64_t seed = 1; seed <= suite_times(EXECUTIONS); seed++) {
		madvise(memory, MEMORY, MADV_DONTNEED);
		run_online(memory, model, &mixes[_i % MIXES], seed, 2 + seed % (MAX_WORKERS - 1),
			   rounds_for(model), 0);
	}
	munmap(memory, MEMORY);
}
END_TEST

/* The lists that searches go by lose what nobody can ask about: then too, what is found is right. */
START_TEST(those_that_forget_are_consistent)
{
	enum engine_model model = (enum engine_model)(_i / MIXES);
	void *memory = new_memory();

	for (uint64_t seed = 1; seed <= suite_times(EXECUTIONS); seed++) {
		madvise(memory, MEMORY, MADV_DONTNEED);
		run_online(memory, model, &mixes[_i % MIXES], seed, 2 + seed % (MAX_WORKERS - 1),
			   rounds_for(model), 1 + seed % 9);
	}
	munmap(memory, MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("long");
	TCase *c = tcase_create("online");

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, long_random_executions_are_consistent, 0, MODEL_COUNT * MIXES);
	tcase_add_loop_test(c, those_that_forget_are_consistent, 0, MODEL_COUNT * MIXES);
	tcase_add_loop_test(c, executions_of_crowds_are_consistent, 0, MODEL_COUNT * MIXES);
	suite_add_tcase(suite, c);
	return suite_run(suite);
}
