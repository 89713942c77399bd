/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness_reach.c - does the witness stay one when a read observes an older write?
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
 * Where it does not stay one, another order is tried, in which the write that is observed comes last (witness_moves()). The read leads nowhere
 * then, so it is on no cycle. What else is new are edges to that write, by mo from the writes that it came before and by fr from who reads them; edges go as well.
 * So there is a cycle only if the write leads to one of those. That is so without sc fences: with them, an edge to what is no sc access counts, too.
 * What is asked with the order before (witness.extends) is not known of the new one: its version is another (witness.version).
 *
 * A yes is exact; a no says only that this witness does not do. Cost: O(r k log n) for r
 * events reached. Caller: model.c.
 */
#include <string.h>

#include "engine/graph/hbmo_list.h"
#include "engine/model/witness.h"

struct reach {
	struct graph *g;
	const uint32_t *cut;
	uint32_t read;
	bool all, fences; /* every access counts as sc; there are sc fences */
	bool certain;     /* by what comes before what in every modification order; */
	bool of_cut;      /* of the cut, as far as hb says so */
	/* Of each thread: events from this one on are arrived at; sc fences from this one on are
	 * reached; events from this one on happen after one. And how far they were looked at. */
	uint32_t from[HEDDLE_MAX_THREADS], fence[HEDDLE_MAX_THREADS], open[HEDDLE_MAX_THREADS];
	uint32_t looked_from[HEDDLE_MAX_THREADS], looked_fence[HEDDLE_MAX_THREADS],
		looked_open[HEDDLE_MAX_THREADS];
};

static bool is_access(const struct event *ev)
{
	return ev->loc != NO_LOC && !(ev->flags & EV_BLOCKED);
}

static bool is_sc(const struct reach *r, const struct event *ev)
{
	return is_access(ev) && (r->all || ev->order == ORDER_SC);
}

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

static void arrive(struct reach *r, uint32_t write)
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
			arrive(r, w);
	}
}

/* Arrives at the writes that come after this one in every modification order. */
static void arrive_for_certain(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;

	if (r->of_cut) {
		arrive_by_order(r, loc, write);
		return;
	}
	for (uint32_t t = 0; t < g->nthreads; t++)
		for (uint32_t w = hbmo_latest(g, loc, t); w != NO_POS; w = hbmo_earlier(g, w)) {
			if (!hbmo_precedes(g, write, w))
				break;
			arrive(r, w);
		}
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
static void arrive_by_mo(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;

	if (r->certain) {
		arrive_for_certain(r, loc, write);
		return;
	}
	do {
		write = next_in_cut(r, loc, write);
		if (write != NO_POS)
			arrive(r, write);
	} while (write != NO_POS && !is_sc(r, &g->ev[write]));
}

/* The readers of a write, and what happens after them. */
static void reach_from_readers(struct reach *r, const struct event *ev, uint32_t write)
{
	const struct graph *g = r->g;

	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_READ) && is_access(&g->ev[p]) && g->ev[p].rf == write &&
		    in_cut(&g->ev[p], r->cut))
			reach_fences(r, &g->ev[p]);
}

/*
 * An access behind an sc fence, to the writes that come later and their readers: scb as from an sc
 * access, and eco;hb. Those marked were reached before, with all later ones.
 */
static void leave_by_eco(struct reach *r, uint32_t loc, uint32_t write)
{
	const struct graph *g = r->g;
	bool some = false;

	if (r->certain) {
		arrive_for_certain(r, loc, write);
		return;
	}
	while ((write = next_in_cut(r, loc, write)) != NO_POS && g->notes[write].gen != g->gen) {
		g->notes[write].gen = g->gen;
		arrive(r, write);
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
		arrive_by_mo(r, ev->loc, event_write(ev, pos));
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
	for (uint32_t i = from; i < to; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];

		if (!is_access(ev) || pos == r->read)
			continue;
		arrive_at_place(r, ev);
		if (ev->flags & EV_WRITE)
			reach_from_readers(r, ev, pos);
		leave_by_eco(r, ev->loc, event_write(ev, pos));
	}
}

/* How many of the first n events of a thread there are up to its last sc fence; 0: none. */
static uint32_t up_to_fence(const struct graph *g, uint32_t t, uint32_t n)
{
	return n ? g->ev[g->at[t][n - 1]].last_fence : 0;
}

/* What the read has seen may not come after what it observes, in this order. */
static bool fits_order(const struct reach *r)
{
	struct graph *g = r->g;
	const struct event *ev = &g->ev[r->read];
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

static bool look(struct reach *r)
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

static void begin(struct reach *r, struct graph *g, const uint32_t *cut, uint32_t read,
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
		arrive_by_mo(r, ev->loc, ev->rf);
	if (fenced)
		leave_by_eco(r, ev->loc, ev->rf);
	do
		if (comes_back(r, fence))
			return true;
	while (look(r));
	return false;
}

bool witness_extends(struct graph *g, const uint32_t *cut, uint32_t read, const struct model *model)
{
	struct reach r;

	if (!g->witness.kept || g->witness.doubt != NO_POS || model->witness == WITNESS_OF_TSO)
		return false;
	begin(&r, g, cut, read, model);
	return fits_order(&r) && !leads_back(&r);
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
	arrive(r, write);
	while (look(r))
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
	    write == RF_INIT)
		return false;
	begin(&r, g, g->count, read, model);
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
	arrive(r, ev->rf);
	do
		if (has_seen(r))
			return true;
	while (look(r));
	return false;
}

static void begin_certain(struct reach *r, struct graph *g, const uint32_t *cut, uint32_t read,
			  bool whole, const struct model *model)
{
	begin(r, g, cut, read, model);
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
