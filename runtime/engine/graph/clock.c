/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.c - the vector clocks of an event
 *
 * porf joins po and rf. hb follows the model (models.txt): everything that porf has
 * (sc, tso, sra, ra, wra), program order alone (relaxed), or program order and
 * synchronises-with (rc20, rc11). The edges of threads (create to start, end to join) are in
 * hb of every model, so is the one from a signal to the waiter it wakes (and from the last to
 * arrive at a barrier to the others), and so are those from
 * unlock to lock: library operations carry
 * release and acquire orders and are counted as such under relaxed too.
 *
 * synchronises-with, as in the axioms: a release write, or a release fence before a write,
 * heads a release sequence; an acquire read, or an acquire fence behind a read, that reads
 * from it learns the hb clock of its head. msg is that knowledge, kept with each write:
 *	rc20	the head itself, carried on by the read-modify-writes that read from it
 *	rc11	also by later writes of the head's thread to the location
 * Plain (na) writes carry nothing.
 */
#include <string.h>

#include "engine/graph/append.h"

/* What the relaxed reads before an acquire fence have seen, back to the fence before it. */
static void join_pending(struct graph *g, const struct event *fence, uint32_t *hb)
{
	for (uint32_t i = fence->index; i-- > g->folded_to[fence->tid];) {
		const struct event *ev = &g->ev[g->at[fence->tid][i]];

		if ((ev->flags & EV_FENCE) && order_acquires(ev->order))
			return;
		if (graph_hears(g, ev))
			row_join(hb, graph_msg(g, ev->rf), g->stride);
	}
	if (g->folded_to[fence->tid])
		row_join(hb, graph_folded(g, fence->tid), g->stride);
}

/* The latest release write of w's thread to w's location up to w, or NO_POS. */
static inline uint32_t release_head(const struct graph *g, const struct event *w, uint32_t pos)
{
	if (order_releases(w->order))
		return pos;
	if (!g->locs[w->loc].speaks)
		return NO_POS;
	for (uint32_t p = w->prev_at_loc; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (g->ev[p].tid == w->tid && (g->ev[p].flags & EV_WRITE))
			return g->ev[p].head;
	return NO_POS;
}

void graph_message(struct graph *g, uint32_t pos)
{
	struct event *ev = &g->ev[pos];
	uint32_t *msg = graph_msg(g, pos);

	ev->head = release_head(g, ev, pos);
	graph_speaks(g, ev);
	if (!g->locs[ev->loc].speaks) { /* nor has what it replaces a message */
		row_clear(msg, g->stride);
		return;
	}
	if (order_releases(ev->order))
		row_copy(msg, graph_hb(g, pos), g->stride);
	else
		row_clear(msg, g->stride);
	if (ev->order == ORDER_NA)
		return;
	if (!order_releases(ev->order) && g->sync != SYNC_PO) {
		if (ev->last_release)
			row_join(msg, graph_hb(g, graph_at(g, ev->tid, ev->last_release - 1)),
				 g->stride);
		if (g->sync == SYNC_RC11 && ev->head != NO_POS)
			row_join(msg, graph_hb(g, ev->head), g->stride);
	}
	if (ev->flags & EV_EXCLUSIVE) {
		uint32_t source = graph_rmw_source(g, ev);

		if (source < RF_NONE)
			row_join(msg, graph_msg(g, source), g->stride);
	}
}

void graph_learn(struct graph *g, uint32_t pos)
{
	if (g->ev[pos].rf < RF_NONE)
		clock_learn(g, &g->ev[pos], graph_porf(g, pos), graph_hb(g, pos));
}

static void fence_clocks(struct graph *g, uint32_t pos)
{
	struct event *ev = &g->ev[pos];

	if (is_sc_fence(ev))
		ev->last_fence = ev->index + 1;
	if (g->sync == SYNC_PORF || g->sync == SYNC_PO)
		return;
	if (order_acquires(ev->order))
		join_pending(g, ev, graph_hb(g, pos));
	if (order_releases(ev->order))
		ev->last_release = ev->index + 1;
}

void graph_clocks(struct graph *g, uint32_t pos)
{
	struct event *ev = &g->ev[pos];
	uint32_t *porf = graph_porf(g, pos), *hb = graph_hb(g, pos);
	uint32_t before = graph_po_before(g, ev);

	ev->last_release = ev->last_fence = 0;
	if (before == NO_POS) {
		row_clear(porf, g->stride);
		row_clear(hb, g->stride);
	} else {
		row_copy(porf, graph_porf(g, before), g->stride);
		row_copy(hb, graph_hb(g, before), g->stride);
		ev->last_release = g->ev[before].last_release;
		ev->last_fence = g->ev[before].last_fence;
	}
	porf[ev->tid] = hb[ev->tid] = ev->index + 1;
	if (ev->rf < RF_NONE)
		clock_learn(g, ev, porf, hb);
	if (ev->flags & EV_FENCE)
		fence_clocks(g, pos);
	if ((ev->flags & EV_WRITE) && g->sync != SYNC_PORF)
		graph_message(g, pos);
}
