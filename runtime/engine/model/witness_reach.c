/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness_reach.c - what a read that observes an older write leads to
 *
 * The question is about a cut in which the read is the last event of its thread, so with the
 * same modification orders the only edges that leave it lead to what overwrites the write it
 * observes (whatever it observed before). A cycle that was not there without the read
 * comes back from there. This follows psc forward from those overwriting writes: what
 * is reached of a thread is everything from some event on, so one number per thread says
 * it, and each sc access is looked at once. When writes are overwritten soon, that is little.
 *
 * What is followed (psc as in psc.c; "arrives at" an event: an edge of scb leads there):
 *	from an sc access: po, po_neq;hb;po_neq and hb|loc, mo, fr
 *	from an event arrived at, that is no sc access: hb?, to sc fences
 *	from an sc fence: hb?, then what leads from an sc access; or eco;hb to sc fences
 * With every access taken as sc, no fences, and hb = (po u rf)+ that is the order of
 * sequential consistency.
 *
 * A read-modify-write is judged by its read. Its write, put right behind what it read, is
 * reached from what reaches the next write there anyhow, and leads nowhere else than its read.
 *
 * Cost: O(r k log n) for r events reached, and the walks over locations that bring news. Caller: witness_ask.c.
 */
#include <string.h>

#include "engine/graph/hbmo_list.h"
#include "engine/model/witness_reach.h"

static void lower(uint32_t *bound, uint32_t index)
{
	if (index < *bound)
		*bound = index;
}

/*
 * The first of the first n events of a thread that has seen event `index` of thread t, or n.
 * Most have been looked at before, and then the last of the n has not seen it.
 */
static uint32_t first_to_see(const struct reach *r, uint32_t tid, uint32_t n, uint32_t t,
			     uint32_t index)
{
	const struct graph *g = r->g;
	uint32_t lo = 0, hi = n;

	if (!n || graph_hb(g, g->at[tid][n - 1])[t] <= index)
		return n;
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
static uint32_t first_elsewhere(const struct reach *r, uint32_t tid, uint32_t index, uint32_t loc)
{
	const struct graph *g = r->g;

	while (++index < r->cut[tid] && same_cell(g, loc, g->ev[g->at[tid][index]].loc))
		;
	return index;
}

/* po_neq;hb;po_neq */
static void arrive_by_hb(struct reach *r, const struct event *ev)
{
	const struct graph *g = r->g;
	uint32_t other = first_elsewhere(r, ev->tid, ev->index, ev->loc);

	if (other >= r->cut[ev->tid])
		return;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t n = r->from[t] ? r->from[t] - 1 : 0, z;

		if (t == ev->tid)
			continue;
		z = first_to_see(r, t, n, ev->tid, other);
		if (z < n)
			lower(&r->from[t], first_elsewhere(r, t, z, g->ev[g->at[t][z]].loc));
	}
}

/*
 * Where every access is sc, to all that happens after it: also to what a thread does that it
 * woke up, though to be woken up is no access. Covers later events of its thread as well.
 */
static void arrive_by_porf(struct reach *r, const struct event *ev)
{
	for (uint32_t t = 0; t < r->g->nthreads; t++)
		if (t != ev->tid)
			lower(&r->from[t], first_to_see(r, t, r->from[t], ev->tid, ev->index));
}

/* hb|loc: in each thread the first sc access; those behind it follow by po. */
static void arrive_at_place(struct reach *r, const struct event *ev)
{
	const struct graph *g = r->g;

	if (!r->all && !g->locs[ev->loc].nsc)
		return;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		if (t == ev->tid)
			continue;
		for (uint32_t i = first_to_see(r, t, r->from[t], ev->tid, ev->index);
		     i < r->from[t]; i++) {
			const struct event *to = &g->ev[g->at[t][i]];

			if (to->loc == ev->loc && is_sc(r, to))
				lower(&r->from[t], i);
		}
	}
}

/* hb?, to the sc fences of all threads. */
static void reach_fences(struct reach *r, const struct event *ev)
{
	for (uint32_t t = 0; r->fences && t < r->g->nthreads; t++)
		lower(&r->fence[t], t == ev->tid
					    ? ev->index
					    : first_to_see(r, t, r->fence[t], ev->tid, ev->index));
}

void witness_arrive(struct reach *r, uint32_t write)
{
	const struct event *ev = &r->g->ev[write];

	if (is_sc(r, ev))
		lower(&r->from[ev->tid], ev->index);
	else
		reach_fences(r, ev);
}

/*
 * The same of the cut: at writes that it, or one who reads it, happens before. To arrive at what is not of the cut changes nothing, since all that comes behind it
 * in hb is not, either; to leave that out saves the search for who reads it.
 */
static void arrive_by_order(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;
	const uint32_t last = g->locs[loc].last;

	for (uint32_t w = last; w != NO_POS; w = g->ev[w].prev_at_loc) {
		bool behind = write == RF_INIT;

		if (!(g->ev[w].flags & EV_WRITE) || w == write || !in_cut(&g->ev[w], r->cut))
			continue;
		for (uint32_t p = last; !behind && p != NO_POS; p = g->ev[p].prev_at_loc)
			behind = p != r->read && event_write(&g->ev[p], p) == write &&
				 is_access(&g->ev[p]) && in_cut(&g->ev[p], r->cut) &&
				 happens_before(g, p, w);
		if (behind)
			witness_arrive(r, w);
	}
}

/*
 * The same where every access is sc: who reads the write, happens after it, and to arrive at an event is to arrive at all behind it in its thread. So nothing is
 * looked for in a thread that has seen the write only where it was arrived at before.
 */
static void arrive_by_porf_order(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;
	const struct event *from = write == RF_INIT ? NULL : &g->ev[write];
	uint32_t lo[HEDDLE_MAX_THREADS];
	bool any = false;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		if (!from)
			lo[t] = 0;
		else if (t == from->tid)
			lo[t] = from->index + 1;
		else
			lo[t] = first_to_see(r, t, r->from[t], from->tid, from->index);
		any |= lo[t] < r->from[t];
	}
	for (uint32_t w = any ? g->locs[loc].last : NO_POS; w != NO_POS; w = g->ev[w].prev_at_loc)
		if ((g->ev[w].flags & EV_WRITE) && g->ev[w].index >= lo[g->ev[w].tid])
			lower(&r->from[g->ev[w].tid], g->ev[w].index);
}

/* As hbmo has it: of each thread the last ones. Where every access is sc, what was arrived at before is no news. */
static void arrive_by_hbmo(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t w = !r->all ? hbmo_latest(g, loc, t)
				     : hbmo_write_up_to(g, hbmo_last_before(g, loc, t, r->from[t]));

		for (; w != NO_POS && hbmo_precedes(g, write, w); w = hbmo_earlier(g, w))
			witness_arrive(r, w);
	}
}

/* Arrives at the writes that come after this one in every modification order: once in a search, since nothing else comes of it later. */
static void arrive_for_certain(struct reach *r, uint32_t loc, uint32_t write)
{
	struct graph *g = r->g;
	uint32_t *gen = write == RF_INIT ? &g->locs[loc].gen : &g->notes[write].gen;

	if (*gen == g->gen)
		return;
	*gen = g->gen;
	if (!r->of_cut)
		arrive_by_hbmo(r, loc, write);
	else if (r->all)
		arrive_by_porf_order(r, loc, write);
	else
		arrive_by_order(r, loc, write);
}

/* The write after this one in the witness, in the cut; or NO_POS. */
static uint32_t next_in_cut(const struct reach *r, uint32_t loc, uint32_t write)
{
	do
		write = mo_next(r->g, loc, write);
	while (write != NO_POS && !in_cut(&r->g->ev[write], r->cut));
	return write;
}

/* mo and fr: to all later writes; an sc one leads on itself. */
void witness_arrive_by_mo(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;

	if (r->certain) {
		arrive_for_certain(r, loc, write);
		return;
	}
	do {
		write = next_in_cut(r, loc, write);
		if (write != NO_POS)
			witness_arrive(r, write);
	} while (write != NO_POS && !is_sc(r, &g->ev[write]));
}

/* Is the event number from .. to - 1 of thread t? */
static bool is_among(const struct event *ev, uint32_t t, uint32_t from, uint32_t to)
{
	return ev->tid == t && ev->index >= from && ev->index < to;
}

/* The readers of the writes among events from .. to - 1 of a thread, and what happens after them: a walk for each location, not for each write. */
static void reach_from_readers(struct reach *r, uint32_t t, uint32_t from, uint32_t to)
{
	struct graph *g = r->g;

	g->visit++;
	for (uint32_t i = from; i < to; i++) {
		const struct event *ev = &g->ev[g->at[t][i]];

		if (!(ev->flags & EV_WRITE) || !is_access(ev) || g->locs[ev->loc].visit == g->visit)
			continue;
		g->locs[ev->loc].visit = g->visit;
		for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
			if ((g->ev[p].flags & EV_READ) && is_access(&g->ev[p]) &&
			    g->ev[p].rf < RF_NONE && is_among(&g->ev[g->ev[p].rf], t, from, to) &&
			    in_cut(&g->ev[p], r->cut))
				reach_fences(r, &g->ev[p]);
	}
}

/*
 * An access behind an sc fence, to the writes that come later and their readers: scb as from an sc
 * access, and eco;hb. Those marked were reached before, with all later ones.
 */
void witness_leave_by_eco(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;
	bool some = false;

	if (r->certain) {
		arrive_for_certain(r, loc, write);
		return;
	}
	while ((write = next_in_cut(r, loc, write)) != NO_POS && g->notes[write].gen != g->gen) {
		g->notes[write].gen = g->gen;
		witness_arrive(r, write);
		some = true;
	}
	if (!some)
		return;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if ((ev->flags & EV_READ) && ev->rf < RF_NONE && g->notes[ev->rf].gen == g->gen &&
		    is_access(ev) && in_cut(ev, r->cut))
			reach_fences(r, ev);
	}
}

/* Looks at what was newly arrived at in a thread. */
static void look_at_arrivals(struct reach *r, uint32_t t)
{
	const struct graph *g = r->g;
	uint32_t from = r->from[t], to = r->looked_from[t];
	bool first = true;

	r->looked_from[t] = from;
	if (from < to)
		reach_fences(r, &g->ev[g->at[t][from]]);
	for (uint32_t i = from; i < to; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];

		if (!is_sc(r, ev) || pos == r->read)
			continue;
		if (first && r->all)
			arrive_by_porf(r, ev);
		else if (first)
			arrive_by_hb(r, ev);
		first = false;
		if (!r->all)
			arrive_at_place(r, ev);
		witness_arrive_by_mo(r, ev->loc, event_write(ev, pos));
	}
}

static void look_at_fences(struct reach *r, uint32_t t)
{
	const struct graph *g = r->g;
	uint32_t from = r->fence[t], to = r->looked_fence[t];

	r->looked_fence[t] = from;
	while (from < to) {
		const struct event *ev = &g->ev[g->at[t][from++]];

		if (!is_sc_fence(ev))
			continue;
		/* Later fences of the thread happen after this one. */
		lower(&r->from[t], ev->index + 1);
		arrive_by_hb(r, ev);
		for (uint32_t u = 0; u < g->nthreads; u++)
			lower(&r->open[u], u == t ? ev->index + 1
						  : first_to_see(r, u, r->open[u], t, ev->index));
		return;
	}
}

static void look_behind_fences(struct reach *r, uint32_t t)
{
	const struct graph *g = r->g;
	uint32_t from = r->open[t], to = r->looked_open[t];

	r->looked_open[t] = from;
	if (from >= to)
		return;
	lower(&r->from[t], from + 1);
	lower(&r->fence[t], from);
	arrive_by_hb(r, &g->ev[g->at[t][from]]);
	reach_from_readers(r, t, from, to);
	for (uint32_t i = from; i < to; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];

		if (!is_access(ev) || pos == r->read)
			continue;
		arrive_at_place(r, ev);
		witness_leave_by_eco(r, ev->loc, event_write(ev, pos));
	}
}

bool witness_look(struct reach *r)
{
	bool again = false;

	for (uint32_t t = 0; t < r->g->nthreads; t++) {
		again |= r->from[t] < r->looked_from[t] || r->fence[t] < r->looked_fence[t] ||
			 r->open[t] < r->looked_open[t];
		look_at_arrivals(r, t);
		look_at_fences(r, t);
		look_behind_fences(r, t);
	}
	return again;
}

void witness_follow(struct reach *r, struct graph *g, const uint32_t *cut, uint32_t read,
		    const struct model *model)
{
	r->g = g;
	r->cut = cut;
	r->read = read;
	r->all = model->witness == WITNESS_OF_SC;
	r->fences = g->nfences && !r->all;
	r->certain = r->of_cut = false;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		r->from[t] = r->looked_from[t] = r->open[t] = r->looked_open[t] = cut[t];
		r->fence[t] = r->looked_fence[t] = r->fences ? up_to_fence(g, t, cut[t]) : 0;
	}
}
