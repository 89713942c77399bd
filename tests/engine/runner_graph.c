/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_graph.c - a number of all graphs that count, whoever made them
 */
#include "base/table.h"
#include "engine/run/state.h"
#include "engine/runner.h"

/* An execution that counts as a sum over its events, so that their order does not matter; by values what they have observed is not told apart. */
void runner_graph(struct runner *r, const struct engine *e)
{
	const struct graph *g = &e->graph;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];
		uint64_t h = table_mix(event_name(ev), (uint64_t)ev->kind << 8 | ev->flags);

		h = table_mix(h, ev->loc == NO_LOC ? 0 : g->locs[ev->loc].addr);
		h = table_mix(table_mix(h, ev->read.lo), ev->flags & EV_WRITE ? ev->written.lo : 0);
		if (!e->value || !(ev->flags & EV_READ))
			h = table_mix(h, ev->rf < RF_NONE ? event_name(&g->ev[ev->rf]) : ev->rf);
		/* By reads-from it is the order of a witness, one of several. */
		if (g->mo && (ev->flags & EV_PLACED))
			h = table_mix(h, ev->mo_before < RF_NONE ? event_name(&g->ev[ev->mo_before])
								 : ev->mo_before);
		sum += table_mix(h, ev->choice);
	}
	r->graphs += table_mix(sum, g->n);
	r->ngraphs++;
}
