/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * go_on.c - behind the last recorded step, an execution is brought to its end at random
 *
 * What the recorded reads leave open of the modification order is open here too, so each read asks the model
 * about every write of its location.
 */
#include "engine/explore/explore.h"

#include "base/prng.h"

int go_on_pick(struct engine *e)
{
	uint32_t able[HEDDLE_MAX_THREADS], n = 0;

	if (e->picked != NO_POS && run_enabled(e, e->picked) && run_can_pass(e, e->picked))
		return (int)e->picked;
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (run_enabled(e, t) && run_can_pass(e, t))
			able[n++] = t;
	if (n)
		return (int)able[n == 1 ? 0 : prng_below(&e->random, n)];
	return run_exit(e);
}

/* A write drawn from those that the read may observe and go on from; there is one. */
static uint32_t draw_write(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t n, *write = arena_take(&g->scratch, (g->n + 1) * sizeof(*write)), drawn;
	struct question q;

	model_ask(&q, e->model, g, g->count, pos);
	n = model_coherent(&q, write);
	do {
		uint32_t i;

		must(n > 0);
		i = prng_below(&e->random, n);
		drawn = write[i];
		write[i] = write[--n];
	} while (!run_may_go_on(e, &q, pos, drawn));
	model_asked(&q);
	arena_reset(&g->scratch, mark);
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

static void add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos = run_add_read(e, tid, op), choices;
	uint32_t write = run_reads_latest(e, op->kind, op->fn)
				 ? latest_write(&e->graph, e->graph.ev[pos].loc)
				 : draw_write(e, pos);

	choices = graph_choices(&e->graph, &e->graph.ev[pos], write);
	if (run_set_read(e, pos, write, choices == 1 ? 0 : prng_below(&e->random, choices)) ==
	    GUARD_WRITES)
		run_add_write_part(e, pos);
}

void go_on_add(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos;

	/* Whoever came between would make it an execution that is none. */
	e->picked = op->kind == OP_FUTEX_LOOK || (op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX)
			    ? tid
			    : NO_POS;
	if (op_reads(op)) {
		add_read(e, tid, op);
		return;
	}
	pos = run_add_simple(e, tid, op);
	if (op->kind == OP_CHOOSE)
		run_choose(e, pos, run_draw_choice(e, op));
}
