/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coherence.c - write coherence, read coherence and atomicity: ra, rc20, rc11 without sc,
 * and relaxed
 *
 * Algorithms 3 and 4 of the PLDI 2023 paper, in one form. Every access of a location knows
 * one place in mo: that of the write it makes or observes. The three axioms say: when a
 * happens before e on a location, a's place is not behind e's; and chains (chains.h) are
 * unbroken. So each pair gives an order of two chains, and only the last access of each
 * thread before e matters, since the earlier ones are ordered before that one. Chains that
 * can be sorted give mo, and mo gives nothing else to check.
 *
 * Where hb is po (relaxed without thread and lock edges), the only such access is the
 * thread's own last one, and no clock is needed.
 *
 * Cost: O(n k); O(n) for relaxed. A pair is looked at only when a thread's last access is
 * another one than it was for the event before.
 */
#include "offline/coherence.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "offline/scan.h"

enum {
	AHEAD = 8
}; /* clocks are fetched so many events before they are used */

struct work {
	const struct execution *x;
	const struct clocks *clocks; /* NULL: hb is po */
	struct chains c;
	struct by_location at;
	/* Of the events of one location: copies that lie together. */
	const uint32_t *events;
	uint32_t *chain, *rank, *tid, events_room;
	struct scan scan;
	struct chain_edge *edges;
	uint32_t nedges, room;
	/* of the chains of one location */
	uint32_t *in, *start, *out, *queue;
	uint32_t chains_room, out_room;
	struct verdict *v;
	struct chain_order *keep; /* or NULL */
};

/* a happens before e, but its place in mo is behind e's, with the reasons in v so far. */
static void step_cycle(struct work *w, uint32_t a, uint32_t e)
{
	const struct execution *x = w->x;
	bool writes = x->kind[e] & EX_WRITE;

	w->v->axiom = writes ? "write coherence" : "read coherence";
	verdict_step(w->v, write_of(x, a), x->kind[a] & EX_WRITE ? "hb" : "rf");
	if (!(x->kind[a] & EX_WRITE))
		verdict_step(w->v, a, "hb");
	verdict_step(w->v, e, writes ? "mo" : "fr");
}

static void add_edge(struct work *w, uint32_t from, uint32_t to)
{
	if (w->nedges == w->room) {
		w->room = w->room ? w->room * 2 : 1024;
		w->edges = offline_grow(w->edges, w->room, sizeof(*w->edges));
	}
	must(w->nedges < UINT32_MAX / 2);
	w->edges[w->nedges++] = (struct chain_edge){ from, to };
}

/* The a-th event of the location happens before the e-th. False: that is impossible whatever
 * the other places. */
static inline bool relate(struct work *w, uint32_t a, uint32_t e)
{
	uint32_t from = w->chain[a], to = w->chain[e];

	if (from == to) {
		if (w->rank[a] <= w->rank[e])
			return true;
	} else if (to) {
		if (from)
			add_edge(w, from, to);
		return true;
	}
	verdict_fails(w->v, "", w->x->loc[w->events[e]]);
	step_cycle(w, w->events[a], w->events[e]);
	return false;
}

static bool relate_hb(struct work *w, const uint32_t *events, uint32_t n)
{
	struct scan *s = &w->scan;

	scan_split_tids(s, w->x, w->tid, n);
	for (uint32_t own = 0; own < s->n; own++) {
		scan_rewind(s);
		for (uint32_t i = s->start[own]; i < s->start[own + 1]; i++) {
			uint32_t e = events[i];
			const uint32_t *row = clock_row(w->clocks, e);

			if (i + AHEAD < n)
				__builtin_prefetch(clock_row(w->clocks, events[i + AHEAD]));

			for (uint32_t g = 0; g < s->n; g++)
				if (scan_move(s, events, g, e, s->tid[own], row) &&
				    !relate(w, s->cursor[g] - 1, i))
					return false;
		}
	}
	return true;
}

static bool relate_po(struct work *w, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (w->tid[i - 1] == w->tid[i] && !relate(w, i - 1, i))
			return false;
	return true;
}

static void room_for_chains(struct work *w, uint32_t chains)
{
	if (chains > w->chains_room) {
		w->chains_room = chains;
		w->in = offline_grow(w->in, chains, sizeof(*w->in));
		w->start = offline_grow(w->start, chains + 2, sizeof(*w->start));
		w->queue = offline_grow(w->queue, chains, sizeof(*w->queue));
	}
	if (w->nedges > w->out_room) {
		w->out_room = w->nedges;
		w->out = offline_grow(w->out, w->nedges, sizeof(*w->out));
	}
}

/* Sorts the chains into queue; false if their order is cyclic. */
static bool sort_chains(struct work *w, uint32_t chains)
{
	uint32_t done = 0, n = 0;

	room_for_chains(w, chains);
	memset(w->in, 0, chains * sizeof(*w->in));
	memset(w->start, 0, (chains + 2) * sizeof(*w->start));
	for (uint32_t i = 0; i < w->nedges; i++) {
		w->in[w->edges[i].to]++;
		w->start[w->edges[i].from + 2]++;
	}
	for (uint32_t c = 0; c < chains; c++)
		w->start[c + 2] += w->start[c + 1];
	for (uint32_t i = 0; i < w->nedges; i++)
		w->out[w->start[w->edges[i].from + 1]++] = w->edges[i].to;
	for (uint32_t c = 0; c < chains; c++)
		if (!w->in[c])
			w->queue[n++] = c;
	while (done < n) {
		uint32_t c = w->queue[done++];

		for (uint32_t i = w->start[c]; i < w->start[c + 1]; i++)
			if (!--w->in[w->out[i]])
				w->queue[n++] = w->out[i];
	}
	return n == chains;
}

/* ---- Why not -------------------------------------------------------------------------------- */

/* A pair of events that orders chain `from` before chain `to`. */
static void find_pair(struct work *w, const uint32_t *events, uint32_t n, uint32_t from,
		      uint32_t to, uint32_t *a, uint32_t *e)
{
	const struct execution *x = w->x;

	for (uint32_t i = 0; i < n; i++) {
		if (w->c.chain[events[i]] != to)
			continue;
		*e = events[i];
		for (uint32_t j = 0; j < n; j++) {
			*a = events[j];
			if (w->c.chain[*a] != from || *a == *e)
				continue;
			if (w->clocks ? clock_before(w->clocks, *a, *e)
				      : x->tid[*a] == x->tid[*e] && *a < *e)
				return;
		}
	}
}

/* Chains whose `in` is not 0 all have a predecessor of that kind: walk back to a cycle. */
static void chain_cycle(struct work *w, const uint32_t *events, uint32_t n, uint32_t chains)
{
	uint32_t *before = offline_zeroed(chains, sizeof(*before)), c = 0, first, a, e;
	uint8_t *seen = offline_zeroed(chains, 1);

	for (uint32_t i = 0; i < w->nedges; i++)
		if (w->in[w->edges[i].from])
			before[w->edges[i].to] = w->edges[i].from;
	while (!w->in[c])
		c++;
	for (; !seen[c]; c = before[c])
		seen[c] = 1;
	first = c;
	verdict_fails(w->v, "", w->x->loc[events[0]]);
	for (c = before[first]; c != first; c = before[c]) {
		find_pair(w, events, n, before[c], c, &a, &e);
		verdict_reason(w->v, (struct verdict_reason){ write_of(w->x, a), write_of(w->x, e),
							      a, e });
	}
	find_pair(w, events, n, before[first], first, &a, &e);
	step_cycle(w, a, e);
	free(before);
	free(seen);
}

/* ---- The whole -------------------------------------------------------------------------------- */

/* mo of a location: its chains in the order of the queue, each by rank. */
static void rank_writes(struct work *w, const uint32_t *events, uint32_t n, uint32_t chains)
{
	uint32_t *base = offline_zeroed(chains, sizeof(*base)), at = 1;

	for (uint32_t i = 0; i < n; i++)
		if (w->x->kind[events[i]] & EX_WRITE)
			base[w->c.chain[events[i]]]++;
	/* Nothing comes before chain 0, so it may be put first; the initial write has rank 0. */
	at += base[0];
	for (uint32_t i = 0; i < chains; i++) {
		uint32_t c = w->queue[i], count = base[c];

		if (!c)
			continue;
		base[c] = at;
		at += count;
	}
	base[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		if (w->x->kind[events[i]] & EX_WRITE)
			w->v->rank[events[i]] = base[w->c.chain[events[i]]] + w->c.rank[events[i]];
	free(base);
}

static void keep_order(struct work *w, uint32_t loc)
{
	struct chain_order *o = w->keep;

	o->edges = offline_grow(o->edges, o->nedges + w->nedges, sizeof(*o->edges));
	if (w->nedges)
		memcpy(o->edges + o->nedges, w->edges, w->nedges * sizeof(*o->edges));
	o->nedges += w->nedges;
	o->end[loc] = o->nedges;
}

static void gather(struct work *w, const uint32_t *events, uint32_t n)
{
	if (n > w->events_room) {
		w->events_room = n;
		w->chain = offline_grow(w->chain, n, sizeof(*w->chain));
		w->rank = offline_grow(w->rank, n, sizeof(*w->rank));
		w->tid = offline_grow(w->tid, n, sizeof(*w->tid));
	}
	w->events = events;
	for (uint32_t i = 0; i < n; i++) {
		w->chain[i] = w->c.chain[events[i]];
		w->rank[i] = w->c.rank[events[i]];
		w->tid[i] = w->x->tid[events[i]];
	}
}

static bool check_location(struct work *w, uint32_t loc, bool witness)
{
	const uint32_t *events = w->at.event + w->at.start[loc];
	uint32_t n = w->at.start[loc + 1] - w->at.start[loc], chains = w->c.count[loc];

	w->nedges = 0;
	gather(w, events, n);
	if (!(w->clocks ? relate_hb(w, events, n) : relate_po(w, n)))
		return false;
	if (!sort_chains(w, chains)) {
		chain_cycle(w, events, n, chains);
		return false;
	}
	if (witness)
		rank_writes(w, events, n, chains);
	if (w->keep)
		keep_order(w, loc);
	return true;
}

void coherence_decide(const struct execution *x, const struct clocks *clocks, const uint32_t *sort,
		      bool witness, struct chain_order *keep, struct verdict *v)
{
	struct work w = { .x = x, .clocks = clocks, .v = v, .keep = keep };

	memset(v, 0, sizeof(*v));
	if (keep) {
		memset(keep, 0, sizeof(*keep));
		keep->end = offline_zeroed(x->nlocs, sizeof(*keep->end));
	}
	if (chains_build(&w.c, x, sort, v)) {
		bool ok = true;

		by_location_build(&w.at, x, EX_RMW, false);
		scan_init(&w.scan, x->k);
		if (witness)
			v->rank = offline_zeroed(x->n, sizeof(*v->rank));
		for (uint32_t l = 0; l < x->nlocs && ok; l++)
			ok = check_location(&w, l, witness);
		v->consistent = ok;
		by_location_release(&w.at);
		scan_release(&w.scan);
	}
	if (keep)
		keep->c = w.c;
	else
		chains_release(&w.c);
	free(w.chain);
	free(w.rank);
	free(w.tid);
	free(w.edges);
	free(w.in);
	free(w.start);
	free(w.out);
	free(w.queue);
}

void chain_order_release(struct chain_order *o)
{
	chains_release(&o->c);
	free(o->edges);
	free(o->end);
}

static bool has_sync(const struct execution *x)
{
	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_SYNC)
			return true;
	return false;
}

static bool decide(const struct execution *x, enum engine_model m, bool clocks, bool witness,
		   struct verdict *v)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	uint32_t sorted = execution_sort(x, sort);
	struct clocks c;

	memset(v, 0, sizeof(*v));
	if (sorted < x->n) {
		verdict_porf(v, x, sort, sorted);
	} else if (clocks) {
		clocks_build(&c, x, m, sort);
		coherence_decide(x, &c, sort, witness, NULL, v);
		clocks_release(&c);
	} else {
		coherence_decide(x, NULL, sort, witness, NULL, v);
	}
	free(sort);
	return true;
}

bool check_coherence(const struct execution *x, enum engine_model m, bool witness,
		     struct verdict *v)
{
	return decide(x, m, true, witness, v);
}

bool check_relaxed(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	return decide(x, m, has_sync(x), witness, v);
}
