/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness_ask.c - what the witness, or all modification orders together, say of the next read: see witness.h
 *
 * The edges of a new read lead to what overwrites what it observes. Whether a search from there (witness_reach.c) comes back says whether there is a cycle.
 * A yes is exact; a no of witness_extends() or witness_moves() says only that this witness does not do.
 *
 * Where it does not stay one, another order is tried, in which the write that is observed comes last (witness_moves()). The read leads nowhere
 * then, so it is on no cycle. What else is new are edges to that write, by mo from the writes that it came before and by fr from who reads them; edges go as well.
 * So there is a cycle only if the write leads to one of those. That is so without sc fences: with them, an edge to what is no sc access counts, too.
 * What is asked with the order before (witness.extends) is not known of the new one: its version is another (witness.version).
 *
 * Under sra the witness stands for one order of all writes, which contains hb. A read that comes last in its thread changes hb of no two
 * writes, so that order stays one if it goes with what the read's thread has seen of the location. A read-modify-write's write would have to stand right behind
 * what it reads and behind all that its thread has seen: that is only certain of the last one.
 *
 * Caller: model.c.
 */
#include <string.h>

#include "engine/model/witness_reach.h"

/* What the read has seen may not come after what it observes, in this order. */
static bool fits_order(struct graph *g, uint32_t read)
{
	const struct event *ev = &g->ev[read];
	uint32_t before = graph_po_before(g, ev), w = mo_next(g, ev->loc, ev->rf);

	if (before == NO_POS || w == NO_POS)
		return true;
	g->gen++;
	for (; w != NO_POS; w = mo_next(g, ev->loc, w))
		g->notes[w].gen = g->gen;
	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *seen = &g->ev[p];

		if (seen->index >= graph_hb(g, before)[seen->tid] || !is_access(seen))
			continue;
		w = event_write(seen, p);
		if (w != RF_INIT && g->notes[w].gen == g->gen)
			return false;
	}
	return true;
}

/* Does the search come back to the read, or to an sc fence before it? */
static bool comes_back(const struct reach *r, const uint32_t *fence)
{
	const struct event *ev = &r->g->ev[r->read];

	if (is_sc(r, ev) && r->from[ev->tid] <= ev->index)
		return true;
	for (uint32_t t = 0; r->fences && t < r->g->nthreads; t++)
		if (r->fence[t] < fence[t])
			return true;
	return false;
}

/* The last sc fences before the read, by thread; is there one? */
static bool fences_before(const struct reach *r, uint32_t *fence)
{
	const struct graph *g = r->g;
	bool fenced = false;

	for (uint32_t t = 0; r->fences && t < g->nthreads; t++) {
		fence[t] = up_to_fence(g, t, graph_hb(g, r->read)[t]);
		fenced |= fence[t] > 0;
	}
	return fenced;
}

/* From what overwrites what the read observes: does that lead back to it? */
static bool leads_back(struct reach *r)
{
	const struct event *ev = &r->g->ev[r->read];
	uint32_t fence[HEDDLE_MAX_THREADS];
	bool fenced = fences_before(r, fence);

	if (!fenced && !is_sc(r, ev))
		return false;
	r->g->gen++;
	if (is_sc(r, ev))
		witness_arrive_by_mo(r, ev->loc, ev->rf);
	if (fenced)
		witness_leave_by_eco(r, ev->loc, ev->rf);
	do
		if (comes_back(r, fence))
			return true;
	while (witness_look(r));
	return false;
}

/* Is the read that of a read-modify-write, as far as that is known? */
static bool may_write(const struct graph *g, uint32_t read)
{
	return read == g->rmw || (g->ev[read].flags & EV_EXCLUSIVE);
}

bool witness_extends(struct graph *g, const uint32_t *cut, uint32_t read, const struct model *model)
{
	struct reach r;

	if (!g->witness.kept || g->witness.doubt != NO_POS || model->witness == WITNESS_OF_TSO ||
	    !fits_order(g, read))
		return false;
	if (model->witness == WITNESS_OF_SRA)
		return !may_write(g, read);
	witness_follow(&r, g, cut, read, model);
	return !leads_back(&r);
}

/*
 * May the write come last at its location? That of a read-modify-write stands right behind what this read. Else, of two events in hb the one behind makes, or
 * reads, no earlier write. So nothing may come behind it, or who reads it, but those: also no read-modify-write that reads it.
 */
static bool may_be_last(const struct reach *r, uint32_t write)
{
	const struct graph *g = r->g;
	const uint32_t last = g->locs[g->ev[write].loc].last;

	if (is_rmw_write(&g->ev[write]))
		return false;
	for (uint32_t a = last; a != NO_POS; a = g->ev[a].prev_at_loc) {
		if (a == r->read || !is_access(&g->ev[a]) || event_write(&g->ev[a], a) != write)
			continue;
		for (uint32_t b = last; b != NO_POS; b = g->ev[b].prev_at_loc)
			if (b != r->read && is_access(&g->ev[b]) &&
			    event_write(&g->ev[b], b) != write && happens_before(g, a, b))
				return false;
	}
	return true;
}

/*
 * The write comes last at its location now, where those from `next` on came behind it. Does that lead back to it? What is new leads to it: by mo from those, by
 * fr from who reads them.
 */
static bool leads_to_earlier_ones(struct reach *r, uint32_t write, uint32_t next)
{
	struct graph *g = r->g;
	const uint32_t loc = g->ev[write].loc;

	if (!is_sc(r, &g->ev[write]))
		return false;
	g->gen++;
	for (uint32_t w = next; w != write; w = mo_next(g, loc, w))
		g->notes[w].gen = g->gen;
	witness_arrive(r, write);
	while (witness_look(r))
		;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];
		const uint32_t w = event_write(ev, p);

		if (p != r->read && is_sc(r, ev) && w != RF_INIT && g->notes[w].gen == g->gen &&
		    r->from[ev->tid] <= ev->index)
			return true;
	}
	return false;
}

bool witness_moves(struct graph *g, uint32_t read, const struct model *model, bool keep)
{
	const uint32_t write = g->ev[read].rf;
	struct reach r;
	uint32_t next, before;
	bool ok;

	if (!g->witness.kept || g->witness.doubt != NO_POS || model->witness == WITNESS_OF_TSO ||
	    model->witness == WITNESS_OF_SRA || write == RF_INIT)
		return false;
	witness_follow(&r, g, g->count, read, model);
	next = g->ev[write].mo_after;
	before = g->ev[write].mo_before;
	if (r.fences || next == NO_POS || !may_be_last(&r, write))
		return false;
	graph_unplace(g, write);
	graph_place_last(g, write);
	ok = !leads_to_earlier_ones(&r, write, next);
	if (ok && keep) {
		g->witness.version++;
		return true;
	}
	graph_unplace(g, write);
	graph_place(g, write, before);
	return ok;
}

/* Was a write reached that the thread has seen, so that it comes before the one observed? */
static bool has_seen(const struct reach *r)
{
	const struct graph *g = r->g;
	const struct event *ev = &g->ev[r->read];
	const uint32_t *seen = graph_hb(g, graph_po_before(g, ev));

	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const uint32_t w = event_write(&g->ev[p], p);

		if (g->ev[p].index < seen[g->ev[p].tid] && is_access(&g->ev[p]) && w != RF_INIT &&
		    w != ev->rf && is_sc(r, &g->ev[w]) && r->from[g->ev[w].tid] <= g->ev[w].index)
			return true;
	}
	return false;
}

/* Does the observed write lead to one that, as the thread has seen it, comes before? */
static bool leads_to_earlier(struct reach *r)
{
	const struct event *ev = &r->g->ev[r->read];

	if (ev->rf == RF_INIT || !is_sc(r, &r->g->ev[ev->rf]) ||
	    graph_po_before(r->g, ev) == NO_POS)
		return false;
	r->g->gen++;
	witness_arrive(r, ev->rf);
	do
		if (has_seen(r))
			return true;
	while (witness_look(r));
	return false;
}

static void begin_certain(struct reach *r, struct graph *g, const uint32_t *cut, uint32_t read,
			  bool whole, const struct model *model)
{
	witness_follow(r, g, cut, read, model);
	r->certain = true;
	r->of_cut = !whole;
}

bool witness_refutes(struct graph *g, const uint32_t *cut, uint32_t read, bool whole,
		     const struct model *model)
{
	struct reach r;

	begin_certain(&r, g, cut, read, whole, model);
	if (leads_back(&r))
		return true;
	begin_certain(&r, g, cut, read, whole, model);
	return leads_to_earlier(&r);
}

void witness_behind(struct graph *g, const uint32_t *cut, uint32_t read, const struct model *model,
		    uint32_t *from)
{
	struct reach r;

	begin_certain(&r, g, cut, read, false, model);
	leads_back(&r);
	memcpy(from, r.from, g->nthreads * sizeof(*from));
}
