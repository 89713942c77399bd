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

#include "offline/scan.h"

struct work {
	const struct execution *x;
	const struct clocks *clocks; /* NULL: hb is po */
	struct chains c;
	struct by_location at;
	struct scan scan; /* unless hb is po */
	/* Of the events of one location: copies that lie together. */
	const uint32_t *events;
	uint32_t *chain, *rank, *tid, events_room;
	struct chain_edge *edges;
	struct chain_pair *pairs; /* if they are recorded */
	uint32_t nedges, room;
	bool record, backward; /* an edge to a chain that began before */
	/* of the chains of one location */
	uint32_t *in, *start, *out, *queue;
	uint32_t chains_room, out_room;
	struct verdict *v;
	struct chain_order *keep; /* or NULL */
};

static void add_edge(struct work *w, struct chain_edge edge, struct chain_pair why)
{
	if (w->nedges == w->room) {
		w->room = w->room ? w->room * 2 : 1024;
		w->edges = offline_grow(w->edges, w->room, sizeof(*w->edges));
		if (w->record)
			w->pairs = offline_grow(w->pairs, w->room, sizeof(*w->pairs));
	}
	if (w->nedges >= UINT32_MAX / 2)
		offline_too_large();
	if (w->record)
		w->pairs[w->nedges] = why;
	w->backward |= edge.from > edge.to;
	w->edges[w->nedges++] = edge;
}

/*
 * The i-th event of the location happens before e, whose place is in chain `to`. False: that is
 * impossible whatever the other places.
 */
static inline bool relate(struct work *w, uint32_t i, uint32_t e, uint32_t to, uint32_t rank)
{
	uint32_t from = w->chain[i], a = w->events[i];

	if (from == to) {
		if (w->rank[i] <= rank)
			return true;
	} else if (to) {
		if (from)
			add_edge(w, (struct chain_edge){ from, to }, (struct chain_pair){ a, e });
		return true;
	}
	verdict_fails(w->v, "", w->x->loc[e]);
	coherence_cycle(w->v, w->x, a, e);
	return false;
}

/*
 * What happens before the write that e observes has been related to that one, and needs no
 * other pair.
 */
static bool relate_hb(void *self, const struct look *l)
{
	struct work *w = self;
	const struct scan *s = &w->scan;
	uint32_t e = l->e, chain = w->c.chain[e], rank = w->c.rank[e], i;

	for (uint32_t g = 0; g < s->n; g++)
		if (scan_news(s, l, g, &i) && !relate(w, i, e, chain, rank))
			return false;
	return !l->moved || relate(w, l->cursors[l->own].pos - 1, e, chain, rank);
}

static bool relate_po(struct work *w, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (w->tid[i - 1] == w->tid[i] &&
		    !relate(w, i - 1, w->events[i], w->chain[i], w->rank[i]))
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

/*
 * Sorts the chains into queue; false if their order is cyclic. Chains are numbered as they began
 * in the order that the events were sorted into: mostly that will do, and it is the likeliest
 * to satisfy psc as well.
 */
static bool sort_chains(struct work *w, uint32_t chains)
{
	uint32_t done = 0, n = 0;

	room_for_chains(w, chains);
	if (!w->backward) {
		for (uint32_t c = 0; c < chains; c++)
			w->queue[c] = c;
		return true;
	}
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
	o->pairs = offline_grow(o->pairs, o->nedges + w->nedges, sizeof(*o->pairs));
	if (w->nedges)
		memcpy(o->pairs + o->nedges, w->pairs, w->nedges * sizeof(*o->pairs));
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

static bool relate_all(struct work *w, uint32_t loc, uint32_t n)
{
	w->nedges = 0;
	w->backward = false;
	return w->clocks ? scan_location(&w->scan, loc, relate_hb, w) : relate_po(w, n);
}

/* Once more, with a record of why. */
static void refuse(struct work *w, uint32_t loc, uint32_t n, uint32_t chains)
{
	if (!w->record) {
		w->record = true;
		w->pairs = offline_room(w->room, sizeof(*w->pairs));
		relate_all(w, loc, n);
	}
	verdict_fails(w->v, "", loc);
	chains_refuse(w->v, w->x, w->edges, w->pairs, w->nedges, w->in, chains);
}

static bool check_location(struct work *w, uint32_t loc, bool witness)
{
	const struct by_location *at = w->clocks ? &w->scan.seen : &w->at;
	const uint32_t *events = at->event + at->start[loc];
	uint32_t n = at->start[loc + 1] - at->start[loc], chains = w->c.count[loc];

	gather(w, events, n);
	if (!relate_all(w, loc, n))
		return false;
	if (!sort_chains(w, chains)) {
		refuse(w, loc, n, chains);
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
	struct work w = { .x = x, .clocks = clocks, .v = v, .keep = keep, .record = keep };

	memset(v, 0, sizeof(*v));
	if (keep) {
		memset(keep, 0, sizeof(*keep));
		keep->end = offline_zeroed(x->nlocs, sizeof(*keep->end));
	}
	if (chains_build(&w.c, x, sort, v)) {
		bool ok = true;

		if (clocks) {
			scan_init(&w.scan, x, clocks, sort, EX_RMW, EX_RMW);
			w.scan.also[0] = w.c.chain;
			w.scan.also[1] = w.c.rank;
		} else {
			by_location_build(&w.at, x, NULL, EX_RMW);
		}
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
	free(w.pairs);
	free(w.in);
	free(w.start);
	free(w.out);
	free(w.queue);
}

void chain_order_release(struct chain_order *o)
{
	chains_release(&o->c);
	free(o->edges);
	free(o->pairs);
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
	uint32_t *sort = verdict_begin(v, x);
	struct clocks c;

	if (!sort)
		return true;
	if (clocks) {
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
