/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness.c - see witness.h
 *
 * Invariant: with `doubt` NO_POS, some order of all locations' writes that the model accepts
 * for the graph is in the lists; else for the graph without the events from `doubt` on.
 * Cost: O(1) per event but for witness_settle(), which is one search.
 */
#include "engine/model/witness.h"

#include <string.h>

bool witness_is_idle(const struct graph *g, const struct model *model)
{
	/* Long executions want one from the beginning: no search finds it later. */
	return model->witness == WITNESS_OF_PSC && !g->nsc;
}

void witness_add(struct graph *g, uint32_t write)
{
	const struct event *ev = &g->ev[write];

	if (g->witness.kept)
		graph_place(g, write,
			    is_rmw_write(ev) ? graph_rmw_source(g, ev) : g->locs[ev->loc].mo_last);
}

static bool still_holds(struct graph *g, const struct model *model, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];

	if ((ev->flags & EV_BLOCKED) || ev->rf == g->locs[ev->loc].mo_last)
		return true;
	return pos + 1 == g->n && !witness_is_idle(g, model) &&
	       (witness_extends(g, g->count, pos, model) || witness_moves(g, pos, model, true));
}

void witness_observed(struct graph *g, const struct model *model, uint32_t pos)
{
	bool promised = g->witness.promised == g->witness.version + 1;

	/* What was promised of a read does not hold of a read-modify-write. */
	if (model->rmw_differs && (g->ev[pos].flags & EV_EXCLUSIVE))
		promised = false;
	g->witness.promised = 0;
	if (g->witness.kept && pos < g->witness.doubt &&
	    !(g->witness.doubt == NO_POS && (promised || still_holds(g, model, pos))))
		g->witness.doubt = pos;
}

void witness_search(struct graph *g, const struct model *model)
{
	if (witness_is_idle(g, model))
		return;
	g->witness.wanted = true;
	must(model->consistent(g, g->count, NULL, 0));
	/* It was not found where no search was needed. */
	if (!g->witness.wanted)
		g->witness.doubt = NO_POS;
	g->witness.wanted = false;
}

bool witness_shows(const struct graph *g, const uint32_t *cut, uint32_t read, uint32_t write)
{
	uint32_t last;

	if (!g->witness.kept || g->witness.doubt != NO_POS)
		return false;
	last = g->locs[g->ev[read].loc].mo_last;
	while (last != RF_INIT && !in_cut(&g->ev[last], cut))
		last = g->ev[last].mo_before;
	return last == write;
}

void witness_begin(struct graph *g)
{
	for (uint32_t p = 0; p < g->n; p++)
		graph_unplace(g, p);
	g->witness.version++;
	g->witness.wanted = false;
}

void witness_append(struct graph *g, uint32_t write)
{
	graph_place(g, write, g->locs[g->ev[write].loc].mo_last);
}

void witness_append_chains(struct graph *g, const struct coherence *o, const uint32_t *sorted)
{
	char *mark = arena_mark(&g->scratch);
	uint32_t *start = arena_take(&g->scratch, o->nchains * sizeof(*start)), n = 0, *write;

	for (uint32_t i = 0; i < o->nchains; i++) {
		start[sorted[i]] = n;
		n += o->length[sorted[i]];
	}
	write = arena_take(&g->scratch, n * sizeof(*write));
	memset(write, 0xff, n * sizeof(*write));
	for (uint32_t i = 0; i < o->nevents; i++) {
		const struct event *ev = &g->ev[o->events[i]];

		if (ev->flags & EV_WRITE)
			write[start[coherence_chain(g, o->events[i])] +
			      coherence_rank(g, o->events[i])] = o->events[i];
	}
	for (uint32_t i = 0; i < n; i++)
		if (write[i] != NO_POS)
			witness_append(g, write[i]);
	arena_reset(&g->scratch, mark);
}
