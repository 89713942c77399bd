/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.c - the strategy of random testing
 *
 * Forward only: the next thread is uniform among those that can move, and a read's write
 * uniform among those it may observe and go on from. Execution i of a session draws from a
 * generator seeded by the session's seed and i, so each can be repeated alone.
 *
 * Under sc and rc11 a read of a long execution is not offered writes that would need another
 * modification order than the one at hand (witness.h): to search for one takes more than
 * linear time. What is left out are executions whose modification order runs against the
 * order in which the writes were executed.
 */
#include "base/prng.h"
#include "engine/explore/explore.h"
#include "engine/explore/strategy.h"

/* So often a write is drawn blindly before the writes in question are listed. */
enum {
	TRIES = 8
};

static void online_begin(struct engine *e)
{
	uint64_t mix = e->config.seed ^ (e->run - e->first_run) * 0x9e3779b97f4a7c15u;

	graph_truncate(&e->graph, 0);
	e->nthreads = 1;
	e->picked = NO_POS;
	e->seed = e->config.seed;
	e->random = prng_next(&mix);
}

static int online_pick(struct engine *e)
{
	uint32_t able[HEDDLE_MAX_THREADS], n = 0;

	if (e->picked != NO_POS && run_enabled(e, e->picked) && run_can_pass(e, e->picked))
		return (int)e->picked;
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (run_enabled(e, t) && !is_aside(e, t) && run_can_pass(e, t))
			able[n++] = t;
	if (n)
		return (int)able[n == 1 ? 0 : prng_below(&e->random, n)];
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && e->thread[t].pending.kind == OP_EXIT)
			return (int)t;
	return ENGINE_OVER;
}

/* The writes that coherence lets a read observe: of each thread the latest ones. */
struct choice {
	uint32_t count[HEDDLE_MAX_THREADS], all;
	bool init;
};

static void count_choices(struct question *q, struct choice *c)
{
	c->init = model_is_coherent(q, RF_INIT);
	c->all = c->init;
	for (uint32_t t = 0; t < q->g->nthreads; t++)
		c->all += c->count[t] = model_count(q, t);
}

static uint32_t nth_choice(const struct question *q, const struct choice *c, uint32_t n)
{
	for (uint32_t t = 0; t < q->g->nthreads; n -= c->count[t++])
		if (n < c->count[t])
			return hbmo_nth(q->g, q->g->ev[q->read].loc, t, n);
	return RF_INIT;
}

/* Draws from all of them, and again as long as it is none that the read can go on from. */
static uint32_t draw_from_all(struct engine *e, struct question *q, uint32_t pos)
{
	struct graph *g = &e->graph;
	uint32_t *write = arena_take(&g->scratch, (g->n + 1) * sizeof(*write));
	uint32_t n = model_coherent(q, write);

	for (;;) {
		uint32_t i, drawn;

		must(n > 0);
		i = n == 1 ? 0 : prng_below(&e->random, n);
		drawn = write[i];
		if (run_may_go_on(e, q, pos, drawn))
			return drawn;
		write[i] = write[--n];
	}
}

/*
 * A write drawn uniformly from those that the read may observe and go on from. The first
 * tries draw by number, since to list all of them would make long executions slow.
 */
static uint32_t draw_write(struct engine *e, uint32_t pos)
{
	struct question q;
	struct choice c;
	uint32_t drawn = RF_NONE;

	model_ask(&q, e->model, &e->graph, e->graph.count, pos);
	count_choices(&q, &c);
	for (int i = 0; drawn == RF_NONE && i < TRIES; i++) {
		uint32_t n = c.all == 1 ? 0 : prng_below(&e->random, c.all);

		drawn = nth_choice(&q, &c, n);
		if (!run_may_go_on(e, &q, pos, drawn))
			drawn = RF_NONE;
	}
	if (drawn == RF_NONE)
		drawn = draw_from_all(e, &q, pos);
	model_asked(&q);
	return drawn;
}

/* The one that was inserted last. */
static uint32_t latest_write(const struct graph *g, uint32_t loc)
{
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (g->ev[p].flags & EV_WRITE)
			return p;
	return RF_INIT;
}

/* Does the read go by how things stand? (see draw_choice()) */
static bool reads_latest(struct engine *e, const struct op *op)
{
	if (op->kind != OP_LOAD)
		return false;
	return op->fn == LOAD_LATEST || (op->fn == LOAD_LATELY && prng_below(&e->random, 8));
}

static enum step_status add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos = run_add_read(e, tid, op), choices;
	uint32_t write = reads_latest(e, op) ? latest_write(&e->graph, e->graph.ev[pos].loc)
					     : draw_write(e, pos);

	choices = graph_choices(&e->graph, &e->graph.ev[pos], write);
	if (run_set_read(e, pos, write, choices == 1 ? 0 : prng_below(&e->random, choices)) ==
	    GUARD_WRITES)
		run_add_write_part(e, pos);
	return STEP_DONE;
}

static uint32_t draw_choice(struct engine *e, const struct op *op)
{
	if (op->peer < 2)
		return 0;
	/* How a wait ends: rather as things stand, or most executions came to nothing. */
	if (op->fn && op->arg.lo < op->peer && prng_below(&e->random, 8))
		return (uint32_t)op->arg.lo;
	return prng_below(&e->random, op->peer);
}

static enum step_status online_add(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos;

	/* Whoever came between would make it an execution that is none. */
	e->picked = op->kind == OP_FUTEX_LOOK || (op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX)
			    ? tid
			    : NO_POS;
	witness_settle(&e->graph, e->model);
	if (op_reads(op))
		return add_read(e, tid, op);
	pos = run_add_simple(e, tid, op);
	if (op->kind == OP_CHOOSE) {
		e->graph.ev[pos].choice = draw_choice(e, op);
		e->graph.ev[pos].read = value_of(e->graph.ev[pos].choice);
	}
	return STEP_DONE;
}

static bool online_again(struct engine *e, struct engine_outcome *outcome)
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
