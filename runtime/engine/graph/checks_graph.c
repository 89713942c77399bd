/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks_graph.c - is the graph well-formed? (checks.h)
 *
 * Every list and count is compared with what the events say, taken one by one.
 */
#include "engine/graph/checks.h"

#ifdef HEDDLE_CHECKS

static void check_threads(const struct graph *g)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		for (uint32_t i = 0; i < g->count[t]; i++) {
			uint32_t p = g->at[t][i];

			check_that(g, p, p < g->n);
			check_that(g, p, g->ev[p].tid == t && g->ev[p].index == i);
			check_that(g, p, !i || g->at[t][i - 1] < p);
		}
		n += g->count[t];
	}
	check_that(g, NO_POS, n == g->n);
}

static bool is_fence_of_sc(const struct event *ev)
{
	return (ev->flags & EV_FENCE) && ev->order == ORDER_SC;
}

static bool counts_as_sc(const struct event *ev)
{
	return ev->order == ORDER_SC &&
	       (ev->flags & (EV_WRITE | EV_EXCLUSIVE)) != (EV_WRITE | EV_EXCLUSIVE);
}

static void check_counts(const struct graph *g)
{
	uint32_t nsc = 0, nfences = 0, nblocked = 0;

	for (uint32_t p = 0; p < g->n; p++) {
		nsc += counts_as_sc(&g->ev[p]);
		nfences += is_fence_of_sc(&g->ev[p]);
		nblocked += !!(g->ev[p].flags & EV_BLOCKED);
	}
	check_that(g, NO_POS, nsc == g->nsc);
	check_that(g, NO_POS, nfences == g->nfences);
	check_that(g, NO_POS, nblocked == g->nblocked);
}

/* The events of each location, newest first. */
/* A message, where the model has any, is looked for only at locations that have had one. */
static void check_speaks(const struct graph *g)
{
	for (uint32_t p = 0; g->sync != SYNC_PORF && p < g->n; p++)
		if (g->ev[p].flags & EV_WRITE)
			check_that(g, p,
				   !event_begins_message(&g->ev[p]) ||
					   g->locs[g->ev[p].loc].speaks);
}

static void check_locations(const struct graph *g)
{
	for (uint32_t l = 0; l < g->nlocs; l++) {
		uint32_t at = g->locs[l].last, nsc = 0;

		for (uint32_t p = g->n; p-- > 0;) {
			if (g->ev[p].loc != l)
				continue;
			check_that(g, p, at == p);
			at = g->ev[p].prev_at_loc;
			nsc += counts_as_sc(&g->ev[p]);
		}
		check_that(g, NO_POS, at == NO_POS);
		check_that(g, NO_POS, nsc == g->locs[l].nsc);
	}
}

/* What the event waits for, where it is an edge between threads. */
static void check_edge(const struct graph *g, uint32_t p)
{
	const struct event *ev = &g->ev[p], *from;

	check_that(g, p, ev->rf < g->n);
	from = &g->ev[ev->rf];
	switch (ev->kind) {
	case OP_START:
		check_that(g, p, from->kind == OP_CREATE && from->peer == ev->tid);
		break;
	case OP_JOIN:
		check_that(g, p, from->kind == OP_END && from->tid == ev->peer);
		break;
	default:
		check_that(g, p, from->flags & EV_WRITE);
	}
}

static bool is_edge(const struct event *ev)
{
	return ev->kind == OP_START || ev->kind == OP_JOIN || ev->kind == OP_COND_WOKEN ||
	       ev->kind == OP_BARRIER_PASS;
}

static void check_read(const struct graph *g, uint32_t p)
{
	const struct event *ev = &g->ev[p];

	check_that(g, p, ev->loc < g->nlocs);
	check_that(g, p, (ev->rf == RF_NONE) == !!(ev->flags & EV_BLOCKED));
	if (ev->rf >= RF_NONE)
		return;
	check_that(g, p, ev->rf < g->n && ev->rf != p);
	check_that(g, p, g->ev[ev->rf].flags & EV_WRITE);
	check_that(g, p, g->ev[ev->rf].loc == ev->loc);
	check_that(g, p, value_eq(g->ev[ev->rf].written, ev->read));
}

/* Both parts of a read-modify-write stand behind each other in their thread. */
static void check_pair(const struct graph *g, uint32_t p)
{
	const struct event *ev = &g->ev[p], *other;
	bool reads = ev->flags & EV_READ;

	check_that(g, p, reads ? ev->index + 1 < g->count[ev->tid] : ev->index > 0);
	other = &g->ev[g->at[ev->tid][reads ? ev->index + 1 : ev->index - 1]];
	check_that(g, p, other->flags & EV_EXCLUSIVE);
	check_that(g, p, other->flags & (reads ? EV_WRITE : EV_READ));
	check_that(g, p, other->kind == ev->kind && other->loc == ev->loc);
}

static void check_events(const struct graph *g)
{
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		check_that(g, p, ev->kind < OP_KINDS && ev->tid < g->nthreads);
		check_that(g, p, ev->order <= ORDER_SC);
		check_that(g, p, (ev->flags & EV_READ) == 0 || (ev->flags & EV_WRITE) == 0);
		check_that(g, p, ev->loc < g->nlocs || ev->loc == NO_LOC);
		if (is_edge(ev))
			check_edge(g, p);
		else if (ev->flags & EV_READ)
			check_read(g, p);
		else
			check_that(g, p, ev->rf == RF_NONE);
		if (ev->flags & EV_EXCLUSIVE)
			check_pair(g, p);
		if (ev->flags & EV_BLOCKED)
			check_that(g, p, ev->index + 1 == g->count[ev->tid]);
	}
}

/* The read-modify-writes that read one write, newest first; one at most in what is executed. */
static void check_taken(const struct graph *g, uint32_t loc, uint32_t write, bool executed)
{
	uint32_t at = write == RF_INIT ? g->locs[loc].taker : g->ev[write].taker, n = 0;

	for (uint32_t p = g->n; p-- > 0;) {
		if (!is_rmw_write(&g->ev[p]) || g->ev[p].loc != loc ||
		    graph_rmw_source(g, &g->ev[p]) != write)
			continue;
		check_that(g, p, at == p);
		at = g->ev[p].next_taker;
		n++;
	}
	check_that(g, write, at == NO_POS);
	check_that(g, write, n <= 1 || !executed);
}

static void check_takers(const struct graph *g, bool executed)
{
	for (uint32_t l = 0; l < g->nlocs; l++)
		check_taken(g, l, RF_INIT, executed);
	for (uint32_t p = 0; p < g->n; p++)
		if (g->ev[p].flags & EV_WRITE)
			check_taken(g, g->ev[p].loc, p, executed);
}

/* Locks in slots that were inserted at one place have an order there. */
static void check_ranks(const struct graph *g)
{
	for (uint32_t i = 0; i < g->nlate_locks; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct event *a = &g->ev[g->late_locks[i]];
			const struct event *b = &g->ev[g->late_locks[k]];

			check_that(g, g->late_locks[i],
				   a->slot != b->slot || a->slot_rank != b->slot_rank);
		}
}

static void check_late(const struct graph *g, bool slots)
{
	uint32_t n = 0, nlocks = 0;

	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if ((ev->flags & EV_READ) && ev->rf < RF_NONE && ev->rf > p)
			check_that(g, p, n < g->nlate && g->late[n++] == p);
		if ((ev->flags & EV_READ) && ev->slot_rank != UINT32_MAX) {
			check_that(g, p, slots && ev->kind == OP_LOCK && ev->slot <= p);
			check_that(g, p, nlocks < g->nlate_locks && g->late_locks[nlocks++] == p);
		}
		/* When a thread came to an await counts for nothing, and may be long ago. */
		if (ev->asks != NO_LOC)
			check_that(g, p, ev->asked <= g->n || ev->asked == NO_POS);
	}
	check_that(g, NO_POS, n == g->nlate);
	check_that(g, NO_POS, nlocks == g->nlate_locks);
	check_ranks(g);
}

/* A mutex with slots goes from a write that frees it to a lock and back, in one order. */
static void check_handovers(const struct graph *g)
{
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if (ev->kind != OP_LOCK || !(ev->flags & EV_READ))
			continue;
		check_that(g, p, ev->flags & EV_EXCLUSIVE);
		check_that(g, p, ev->rf == RF_INIT || !g->ev[ev->rf].written.lo);
	}
}

/* The lists of mo have each write of their location once, or, in a graph that is left, no other ones. */
static void check_mo(const struct graph *g, bool executed)
{
	for (uint32_t l = 0; l < g->nlocs; l++) {
		uint32_t before = RF_INIT, n = 0;

		for (uint32_t w = g->locs[l].mo_first; w != NO_POS; w = g->ev[w].mo_after) {
			check_that(g, w, w < g->n && (g->ev[w].flags & EV_PLACED));
			check_that(g, w, (g->ev[w].flags & EV_WRITE) && g->ev[w].loc == l);
			check_that(g, w, g->ev[w].mo_before == before);
			before = w;
			check_that(g, w, ++n <= g->n);
		}
		check_that(g, NO_POS, g->locs[l].mo_last == before);
		for (uint32_t p = 0; p < g->n; p++) {
			if (g->ev[p].loc != l || !(g->ev[p].flags & EV_WRITE))
				continue;
			check_that(g, p, !executed || (g->ev[p].flags & EV_PLACED));
			n -= !!(g->ev[p].flags & EV_PLACED);
		}
		check_that(g, NO_POS, !n);
	}
}

void checks_graph(const struct graph *g, bool slots, bool executed)
{
	check_threads(g);
	check_events(g);
	check_counts(g);
	check_locations(g);
	check_speaks(g);
	check_takers(g, executed);
	check_late(g, slots);
	if (slots)
		check_handovers(g);
	if (g->mo || g->witness.kept)
		check_mo(g, executed);
}

#endif
