/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks.c - see checks.h; when to check what
 *
 * Making everything anew takes O(n^2) steps and more, so long graphs are looked at now and then, and
 * very long ones not at all.
 */
#include "engine/run/checks.h"

#include "engine/graph/checks.h"

enum {
	SMALL = 48,   /* events of a graph that is judged after each step */
	MEDIUM = 128, /* ... that is made anew after each step */
	LARGE = 256,  /* ... that is looked at at all, every so often */
	OFTEN = 32
};

const char *(*checks_judge)(enum engine_model model, const struct graph *g, const uint32_t *cut,
			    bool given);

static void judge(struct engine *e, const uint32_t *cut, bool given)
{
	const char *wrong =
		checks_judge ? checks_judge(e->config.model, &e->graph, cut, given) : NULL;

	if (wrong)
		checks_failed(&e->graph, NO_POS, wrong);
}

/* The events before this place, if they are a cut. */
static bool cut_before(const struct graph *g, uint32_t end, uint32_t *cut)
{
	for (uint32_t t = 0; t < g->nthreads; t++)
		cut[t] = 0;
	for (uint32_t p = 0; p < end; p++) {
		const struct event *ev = &g->ev[p];

		if (ev->rf < RF_NONE && ev->rf >= end)
			return false;
		/* Of a read-modify-write both parts, or the lists have one that is not there. */
		if ((ev->flags & EV_READ) && (ev->flags & EV_EXCLUSIVE) &&
		    g->at[ev->tid][ev->index + 1] >= end)
			return false;
		cut[ev->tid]++;
	}
	return true;
}

/* The witness, as far as it is not in doubt. */
static void check_witness(struct engine *e)
{
	const struct graph *g = &e->graph;
	uint32_t cut[HEDDLE_MAX_THREADS];

	if (g->witness.kept &&
	    cut_before(g, g->witness.doubt < g->n ? g->witness.doubt : g->n, cut))
		judge(e, cut, true);
}

static bool is_turn(const struct graph *g)
{
	return g->n <= MEDIUM || (g->n <= LARGE && g->n % OFTEN == 0);
}

static void check_all(struct engine *e, bool judged)
{
	struct graph *g = &e->graph;

	/* The newest write may be waiting for its revisits; then the graph is not whole. */
	if (e->restart || e->wrong || e->limited || e->late != NO_POS)
		return;
	checks_graph(g, e->slots, true);
	checks_clocks(g);
	checks_hbmo(g);
	if (!judged)
		return;
	judge(e, g->count, g->mo);
	check_witness(e);
}

void checks_step(struct engine *e)
{
	if (!e->graph.given_back && is_turn(&e->graph))
		check_all(e, e->graph.n <= SMALL);
}

void checks_end(struct engine *e)
{
	/* What a bug or a limit cut short has been looked at before. */
	if (!e->failed && !e->dead_end && !e->rerun && e->graph.n <= LARGE && !e->graph.given_back)
		check_all(e, e->graph.n <= MEDIUM);
}

void checks_popped(struct engine *e)
{
	struct graph *g = &e->graph;

	if (g->n > MEDIUM)
		return;
	checks_graph(g, e->slots, false);
	checks_clocks(g);
	checks_hbmo(g);
}
