/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness_reach.c - does the witness stay one when a read observes an older write?
 *
 * The read is new, the last event of its thread, so with the same modification orders the
 * only new edges that leave it lead to what overwrites the write it observes. A new cycle
 * of psc comes back from there. This follows psc forward from those overwriting writes: what
 * is reached of a thread is everything from some event on, so one number per thread says
 * it, and each sc access is looked at once. When writes are overwritten soon, that is little.
 *
 * Edges of psc without fences: [sc]; po u po_neq;hb;po_neq u hb|loc u mo u fr; [sc]. With
 * every access taken as sc and hb = (po u rf)+ they are those of sequential consistency.
 *
 * A yes is exact; a no says only that this witness does not do. Cost: O(r k log n) for r
 * accesses reached. Caller: model.c.
 */
#include "engine/witness.h"

struct reach {
	struct graph *g;
	uint32_t read;
	bool all;                          /* every access counts as sc */
	uint32_t from[HEDDLE_MAX_THREADS]; /* of each thread, events from this one on are reached */
	uint32_t looked[HEDDLE_MAX_THREADS]; /* and were looked at from this one on */
};

static bool counts(const struct reach *r, const struct event *ev)
{
	return ev->loc != NO_LOC && !(ev->flags & EV_BLOCKED) && (r->all || ev->order == ORDER_SC);
}

static void reached(struct reach *r, uint32_t tid, uint32_t index)
{
	if (index < r->from[tid])
		r->from[tid] = index;
}

/* The first event of a thread, from index lo on, that has seen event `index` of thread t. */
static uint32_t first_to_see(const struct graph *g, uint32_t tid, uint32_t t, uint32_t index)
{
	uint32_t lo = 0, hi = g->count[tid];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (graph_hb(g, g->at[tid][mid])[t] > index)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* The first event after `index` of the thread that is not at location loc. */
static uint32_t first_elsewhere(const struct graph *g, uint32_t tid, uint32_t index, uint32_t loc)
{
	while (++index < g->count[tid] && loc != NO_LOC && g->ev[g->at[tid][index]].loc == loc)
		;
	return index;
}

/* po_neq;hb;po_neq */
static void reach_by_hb(struct reach *r, const struct event *ev)
{
	const struct graph *g = r->g;
	uint32_t other = first_elsewhere(g, ev->tid, ev->index, ev->loc);

	if (other >= g->count[ev->tid])
		return;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t z;

		if (t == ev->tid)
			continue;
		z = first_to_see(g, t, ev->tid, other);
		if (z < g->count[t])
			reached(r, t, first_elsewhere(g, t, z, g->ev[g->at[t][z]].loc));
	}
}

/* hb|loc: in each thread the first access that counts; those behind it follow by po. */
static void reach_at_place(struct reach *r, const struct event *ev)
{
	const struct graph *g = r->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		if (t == ev->tid)
			continue;
		for (uint32_t i = first_to_see(g, t, ev->tid, ev->index);
		     i < g->count[t] && i < r->from[t]; i++) {
			const struct event *to = &g->ev[g->at[t][i]];

			if (to->loc == ev->loc && counts(r, to))
				reached(r, t, i);
		}
	}
}

/* mo and fr: to the next write that counts. */
static void reach_by_mo(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;

	do
		write = mo_next(g, loc, write);
	while (write != NO_POS && !counts(r, &g->ev[write]));
	if (write != NO_POS)
		reached(r, g->ev[write].tid, g->ev[write].index);
}

/* Looks at what was newly reached of a thread. */
static void look(struct reach *r, uint32_t t)
{
	const struct graph *g = r->g;
	uint32_t from = r->from[t], to = r->looked[t];
	bool first = true;

	r->looked[t] = from;
	for (uint32_t i = from; i < to; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];

		if (!counts(r, ev) || pos == r->read)
			continue;
		if (first)
			reach_by_hb(r, ev);
		first = false;
		reach_at_place(r, ev);
		reach_by_mo(r, ev->loc, ev->flags & EV_WRITE ? pos : ev->rf);
	}
}

/* The write may not come before what the read has seen, in this order. */
static bool fits_order(const struct graph *g, const struct hbmo_view *v, uint32_t write)
{
	uint32_t w = write;

	for (w = mo_next(g, v->loc, w); w != NO_POS; w = mo_next(g, v->loc, w))
		for (uint32_t i = 0; i < v->nseen; i++) {
			const struct event *ev = &g->ev[v->seen[i].pos];

			if ((ev->flags & EV_WRITE ? v->seen[i].pos : ev->rf) == w)
				return false;
		}
	return true;
}

bool witness_extends(struct graph *g, const struct hbmo_view *v, bool all)
{
	const struct event *ev = &g->ev[v->read];
	struct reach r = { .g = g, .read = v->read, .all = all };
	bool again = true;

	if (!g->witness.kept || g->witness.doubt != NO_POS || (ev->flags & EV_EXCLUSIVE) ||
	    (g->nfences && !all) || !fits_order(g, v, ev->rf))
		return false;
	if (!counts(&r, ev))
		return true;
	for (uint32_t t = 0; t < g->nthreads; t++)
		r.from[t] = r.looked[t] = g->count[t];
	reach_by_mo(&r, ev->loc, ev->rf);
	while (again) {
		again = false;
		for (uint32_t t = 0; t < g->nthreads; t++) {
			if (r.from[t] == r.looked[t])
				continue;
			if (t == ev->tid)
				return false;
			look(&r, t);
			again = true;
		}
	}
	return true;
}
