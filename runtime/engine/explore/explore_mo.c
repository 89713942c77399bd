/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_mo.c - what exploration by modification order adds to explore.c
 *
 * With `mo` equivalence two executions are the same only if every location's modification
 * order is, too. So a new write branches over its places in it, and maximally added means
 * latest in mo (TruSt, POPL 2022, as published; tests/reference/explore_mo.py).
 * The graph keeps mo as a list per location (graph_place()). Coherence then means that a write
 * stands behind all that it, and the read it revisits, have seen; the searches of sc and tso
 * and psc follow the lists, with nothing left open.
 *
 * Callers: explore.c and revisit.c.
 */
#include "engine/explore/explore.h"

/* Does the rest of the model agree with mo as it is? */
static bool model_agrees_to_mo(struct engine *e)
{
	return !e->model->consistent || e->model->consistent(&e->graph, e->graph.count, NULL, 0);
}

static uint32_t floor_of(struct graph *g, uint32_t pos)
{
	struct hbmo_view view;

	hbmo_ask_within(&view, g, pos);
	return hbmo_floor(&view, g);
}

/*
 * Walks mo back from the end to the floor of what the new write, and the read that is to
 * observe it, have seen: behind all of those coherence lets it be placed.
 */
struct places {
	uint32_t write_floor, read_floor; /* NO_POS: no such read */
	uint32_t at;
	bool over;
};

static struct places places_for(struct graph *g, uint32_t write, uint32_t read)
{
	return (struct places){ .write_floor = floor_of(g, write),
				.read_floor = read == NO_POS ? RF_NONE : floor_of(g, read),
				.at = g->locs[g->ev[write].loc].mo_last };
}

/* The next place, latest first; RF_NONE: no more. */
static uint32_t next_place(const struct graph *g, struct places *p)
{
	uint32_t at = p->at;

	if (p->over)
		return RF_NONE;
	p->over = at == p->write_floor || at == p->read_floor;
	if (!p->over)
		p->at = g->ev[at].mo_before;
	return at;
}

/* A read-modify-write stands right behind what it read; nothing goes in between. */
static bool splits_rmw(const struct graph *g, uint32_t loc, uint32_t behind)
{
	uint32_t next = mo_next(g, loc, behind);

	return next != NO_POS && is_rmw_write(&g->ev[next]) &&
	       graph_rmw_source(g, &g->ev[next]) == behind;
}

/* The graph with the write behind another one; coherence does not mind. */
static bool fits_behind(struct engine *e, uint32_t write, uint32_t behind)
{
	bool ok;

	graph_place(&e->graph, write, behind);
	ok = model_agrees_to_mo(e);
	graph_unplace(&e->graph, write);
	return ok;
}

/* Places it behind what it read in any case; is the graph consistent then? */
static bool place_rmw(struct engine *e, uint32_t write, uint32_t read)
{
	struct graph *g = &e->graph;
	uint32_t source = graph_rmw_source(g, &g->ev[write]), at;
	struct places p = places_for(g, write, read);
	bool coherent = false, split = splits_rmw(g, g->ev[write].loc, source);

	while (!coherent && (at = next_place(g, &p)) != RF_NONE)
		coherent = at == source;
	graph_place(g, write, source);
	return coherent && !split && model_agrees_to_mo(e);
}

bool mo_place_rmw(struct engine *e, uint32_t write)
{
	return place_rmw(e, write, NO_POS);
}

bool mo_place(struct engine *e, uint32_t write, uint32_t read)
{
	struct graph *g = &e->graph;
	uint32_t chosen = RF_NONE, at;
	struct places p;

	if (is_rmw_write(&g->ev[write]))
		return place_rmw(e, write, read);
	p = places_for(g, write, read);
	while ((at = next_place(g, &p)) != RF_NONE) {
		if (splits_rmw(g, g->ev[write].loc, at) || !fits_behind(e, write, at))
			continue;
		if (chosen == RF_NONE)
			chosen = at;
		else
			note_work(e, (struct work){ .kind = WORK_PLACE,
						    .stamp = write,
						    .read = read,
						    .rf = at });
	}
	if (chosen == RF_NONE)
		return false;
	graph_place(g, write, chosen);
	return true;
}

bool mo_latest(const struct graph *g, const uint32_t *cut, uint32_t loc, uint32_t write)
{
	uint32_t w = mo_next(g, loc, write);

	while (w != NO_POS && !in_cut(&g->ev[w], cut))
		w = g->ev[w].mo_after;
	return w == NO_POS;
}
