/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.c - the strategy of random testing
 *
 * Forward only: the next thread is uniform among those that can move, and a read's write
 * uniform among those it may observe and go on from. Execution i of a session draws from a
 * generator seeded by the session's seed and i, so each can be repeated alone.
 */
#include "base/prng.h"
#include "engine/state.h"

static void online_begin(struct engine *e)
{
	uint64_t mix = e->config.seed ^ e->run * 0x9e3779b97f4a7c15u;

	graph_truncate(&e->graph, 0);
	e->nthreads = 1;
	e->seed = e->config.seed;
	e->random = prng_next(&mix);
}

static int online_pick(struct engine *e)
{
	uint32_t able[HEDDLE_MAX_THREADS], n = 0;

	for (uint32_t t = 0; t < e->nthreads; t++)
		if (run_enabled(e, t) && run_can_pass(e, t))
			able[n++] = t;
	if (n)
		return (int)able[n == 1 ? 0 : prng_below(&e->random, n)];
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && e->thread[t].pending.kind == OP_EXIT)
			return (int)t;
	return ENGINE_OVER;
}

/*
 * A write drawn uniformly from those that the read may observe and go on from: drawn from
 * all of the location, and again as long as it is none of them. To ask about all of them
 * first would make long executions slow.
 */
static uint32_t draw_write(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t *write = arena_take(&g->scratch, (g->n + 1) * sizeof(*write)), n = 0, i, drawn;
	struct question q;

	for (uint32_t w = g->locs[g->ev[pos].loc].last; w != NO_POS; w = g->ev[w].prev_at_loc)
		if (g->ev[w].flags & EV_WRITE)
			write[n++] = w;
	write[n++] = RF_INIT;
	model_ask(&q, e->model, g, g->count, pos);
	for (;;) {
		must(n > 0);
		i = n == 1 ? 0 : prng_below(&e->random, n);
		drawn = write[i];
		if (run_may_go_on(e, &q, pos, drawn))
			break;
		write[i] = write[--n];
	}
	model_asked(&q);
	arena_reset(&g->scratch, mark);
	return drawn;
}

static enum step_status add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos = run_add_read(e, tid, op), write = draw_write(e, pos), choices;

	choices = guard_choices(op->kind, graph_value(&e->graph, e->graph.ev[pos].loc, write));
	if (run_set_read(e, pos, write, choices == 1 ? 0 : prng_below(&e->random, choices)) ==
	    GUARD_WRITES)
		run_add_write_part(e, pos);
	return STEP_DONE;
}

static enum step_status online_add(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos;

	if (op_reads(op))
		return add_read(e, tid, op);
	pos = run_add_simple(e, tid, op);
	if (op->kind == OP_CHOOSE) {
		e->graph.ev[pos].choice = op->peer > 1 ? prng_below(&e->random, op->peer) : 0;
		e->graph.ev[pos].read = value_of(e->graph.ev[pos].choice);
	}
	return STEP_DONE;
}

static bool online_again(struct engine *e, const struct engine_outcome *outcome)
{
	(void)e;
	(void)outcome;
	return true; /* until max_executions, or the caller has enough */
}

const struct strategy strategy_online = {
	.begin = online_begin,
	.pick = online_pick,
	.add = online_add,
	.again = online_again,
};
