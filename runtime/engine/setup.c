/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setup.c - an engine in the memory that it is given, with nothing explored yet, and emptied again
 */
#include <errno.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/explore/around.h"
#include "engine/explore/estimate.h"
#include "engine/explore/strategy.h"
#include "engine/online/online.h"
#include "engine/run/memo.h"
#include "engine/run/state.h"
#include "engine/stops.h"
#include "engine/value/value.h"

/* Tables grow with the memory given: so many events fit, in all graphs of the stack. */
enum {
	MIN_CAPACITY = 1 << 12,
	MAX_CAPACITY = 1 << 22
};

/* How many threads the engine tells apart. */
static uint32_t most_threads(enum engine_mode mode)
{
	return mode == ENGINE_EXPLORE ? HEDDLE_EXPLORED_THREADS : HEDDLE_MAX_THREADS;
}

static bool by_values(const struct engine_config *config)
{
	return config->mode == ENGINE_EXPLORE && config->equivalence == EQUIV_VALUE;
}

static size_t bytes_for(uint32_t capacity, const struct engine_config *config)
{
	const enum engine_mode mode = config->mode;
	const uint32_t threads = most_threads(mode);

	return (mode == ENGINE_ONLINE ? online_bytes(capacity) : 0) +
	       (by_values(config) ? value_bytes(capacity) : 0) +
	       (config->memo && !by_values(config) ? memo_bytes(capacity) : 0) +
	       (config->estimate ? estimate_bytes() : 0) + sizeof(struct engine) +
	       graph_bytes(capacity, threads) +
	       (size_t)capacity *
		       (sizeof(struct work) + sizeof(struct frame) + 2 * sizeof(struct ran) +
			sizeof(struct stop) + threads * sizeof(uint32_t)) +
	       AWAIT_LOCATIONS * sizeof(struct await_values) + 4096 + (threads + 5) * ARENA_SKEW;
}

static void cut_tables(struct engine *e, struct arena *a, uint32_t capacity, uint32_t threads)
{
	e->work = arena_table(a, capacity * sizeof(struct work));
	e->frame = arena_table(a, capacity * sizeof(struct frame));
	e->ran = arena_table(a, (size_t)2 * capacity * sizeof(struct ran));
	e->stop = arena_table(a, capacity * sizeof(struct stop));
	e->await_values = arena_table(a, AWAIT_LOCATIONS * sizeof(struct await_values));
	for (uint32_t t = 0; t < threads; t++)
		e->step_at[t] = arena_table(a, capacity * sizeof(uint32_t));
}

static const struct strategy *const strategies[] = {
	[ENGINE_EXPLORE] = &strategy_explore,
	[ENGINE_ONLINE] = &strategy_online,
	[ENGINE_REPLAY] = &strategy_replay,
};

static bool has_equivalence(const struct engine_config *config)
{
	return config->equivalence == EQUIV_RF ||
	       (config->equivalence == EQUIV_VALUE && config->mode != ENGINE_ONLINE) ||
	       (config->equivalence == EQUIV_MO && config->model != MODEL_WRA);
}

int engine_init(struct engine **out, void *mem, size_t size, const struct engine_config *config)
{
	struct arena a = { .at = mem, .end = (char *)mem + size };
	uint32_t capacity = MAX_CAPACITY;
	const struct model *model = model_find(config->model);
	const bool online = config->mode == ENGINE_ONLINE;
	struct engine *e;

	if (!model || !has_equivalence(config))
		return -ENOTSUP;
	/* An eighth is left for scratch memory. */
	while (capacity > MIN_CAPACITY && bytes_for(capacity, config) > size / 8 * 7)
		capacity /= 2;
	if (bytes_for(capacity, config) > size / 8 * 7)
		return -ENOMEM;
	e = arena_take(&a, sizeof(*e));
	e->config = *config;
	e->model = model;
	e->strategy = by_values(config) ? &strategy_value : strategies[config->mode];
	e->nthreads = 1;
	stops_init(e);
	cut_tables(e, &a, capacity, most_threads(config->mode));
	e->graph.capacity = capacity;
	if (config->mode == ENGINE_EXPLORE)
		around_init(e, &a);
	if (config->mode == ENGINE_EXPLORE && !by_values(config))
		estimate_init(e, &a);
	if (online)
		online_init(e, &a, capacity);
	if (by_values(config))
		value_init(e, &a, capacity);
	else if (config->memo && config->mode == ENGINE_EXPLORE)
		memo_init(e, &a, capacity);
	/* Scratch memory is what is left. */
	graph_init(&e->graph, &a, model->sync, capacity, most_threads(config->mode));
	e->graph.hbmo.logging = config->mode == ENGINE_EXPLORE;
	e->graph.cell = config->cell;
	e->graph.ctx = config->ctx;
	e->graph.mo = config->equivalence == EQUIV_MO && config->mode == ENGINE_EXPLORE;
	e->slots = config->mode == ENGINE_EXPLORE && !config->waiting_locks && !by_values(config);
	e->awaits = config->mode == ENGINE_EXPLORE && config->equivalence == EQUIV_RF &&
		    !config->plain_awaits;
	e->graph.witness.kept = model->witness && !e->graph.mo && config->mode == ENGINE_EXPLORE;
	e->graph.hbmo.weak = config->model == MODEL_WRA || e->graph.mo;
	graph_widen(&e->graph, 1);
	engine_empty(e);
	*out = e;
	return 0;
}

void engine_restart(struct engine *e)
{
	engine_anew(e);
	estimate_forget(e);
}
