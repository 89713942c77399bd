/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model_wra.c - weak release-acquire: no modification order at all
 *
 * A read may observe any write that is not overwritten within its own past: no other write
 * of the location lies between the two in hb (weak read coherence; Algorithm 1 of the
 * PLDI 2023 paper asks the same of a whole execution). Weak atomicity is taken_in_cut().
 */
#include "engine/model/model.h"

bool wra_admits(struct question *q, uint32_t write)
{
	const struct graph *g = q->g;
	uint32_t before = graph_po_before(g, &g->ev[q->read]);
	const uint32_t *hb;

	if (q->whole)
		return !hbmo_overwritten(&q->view, g, write);
	if (before == NO_POS)
		return true;
	hb = graph_hb(g, before);
	for (uint32_t i = 0; i < q->order.nevents; i++) {
		uint32_t w = q->order.events[i];
		const struct event *ev = &g->ev[w];

		if (!(ev->flags & EV_WRITE) || ev->index >= hb[ev->tid] || w == write)
			continue;
		if (write == RF_INIT || happens_before(g, write, w))
			return false;
	}
	return true;
}
