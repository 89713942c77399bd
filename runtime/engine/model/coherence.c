/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coherence.c - see coherence.h
 *
 * The constraints, for events a and b of the location with a happening before b: let s(a)
 * be a itself when it writes, else the write it reads from, and d(b) likewise. Then s(a) is
 * not later than d(b); if they lie in different chains, the whole chain of s(a) comes before
 * the whole chain of d(b) (Lemma 3.2 of the paper: a read-modify-write follows its source
 * directly, so nothing can come in between). That covers all four shapes of coherence.
 *
 * The read in question is judged by the clock of the event before it in its thread: what it
 * learns by synchronising with the write it reads from happens before that write already.
 */
#include "engine/model/coherence.h"

#include <string.h>

static bool counts(const struct coherence *o, const struct graph *g, const uint32_t *cut,
		   uint32_t pos)
{
	const struct event *ev = &g->ev[pos];

	return pos != o->read && in_cut(ev, cut) && !(ev->flags & EV_BLOCKED);
}

static void collect(struct coherence *o, struct graph *g, const uint32_t *cut)
{
	uint32_t n = 0, at;

	for (uint32_t p = g->locs[o->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		n += counts(o, g, cut, p);
	o->nevents = at = n;
	o->events = arena_take(&g->scratch, (n + 1) * sizeof(uint32_t));
	for (uint32_t p = g->locs[o->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (counts(o, g, cut, p))
			o->events[--at] = p;
}

/* Gives the write at pos its chain and rank; its source may stand later in the graph. */
static void place_write(struct coherence *o, struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	struct notes *notes = &g->notes[pos];

	if (notes->gen == g->gen)
		return;
	notes->gen = g->gen;
	notes->rank = 0;
	if (!(ev->flags & EV_EXCLUSIVE)) {
		notes->chain = o->nchains++;
		o->length[notes->chain] = 1;
		o->top[notes->chain] = pos;
		return;
	}
	uint32_t source = graph_rmw_source(g, ev);

	if (source == RF_INIT) {
		notes->chain = 0;
		notes->rank = 1;
	} else {
		place_write(o, g, source);
		notes->chain = g->notes[source].chain;
		notes->rank = g->notes[source].rank + 1;
	}
	if (o->length[notes->chain] <= notes->rank)
		o->length[notes->chain] = notes->rank + 1;
}

/* What must come before what, as it is found: pairs of chains. */
struct edges {
	uint32_t *from, *to, n;
};

/* Write s must not come later than write d. */
static void precede(struct coherence *o, const struct graph *g, struct edges *edges, uint32_t s,
		    uint32_t d)
{
	uint32_t from = coherence_chain(g, s), to = coherence_chain(g, d);

	if (from == to) {
		o->cyclic |= coherence_rank(g, s) > coherence_rank(g, d);
		return;
	}
	if (to == 0)
		o->cyclic = true; /* nothing comes before the initial write */
	if (from == 0 || to == 0)
		return;
	edges->from[edges->n] = from;
	edges->to[edges->n++] = to;
}

/* Adds what the order of a before b (hb) demands. */
static void constrain(struct coherence *o, const struct graph *g, struct edges *edges, uint32_t a,
		      uint32_t b)
{
	precede(o, g, edges, event_write(&g->ev[a], a), event_write(&g->ev[b], b));
}

/* The events of the location, by thread: list[start[t] .. start[t + 1]) in program order. */
struct by_thread {
	uint32_t *list;
	uint32_t start[HEDDLE_MAX_THREADS + 1];
};

static void sort_by_thread(const struct coherence *o, struct graph *g, struct by_thread *by)
{
	uint32_t at[HEDDLE_MAX_THREADS], n = g->nthreads;

	memset(by->start, 0, (n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->nevents; i++)
		by->start[g->ev[o->events[i]].tid + 1]++;
	for (uint32_t t = 0; t < n; t++) {
		by->start[t + 1] += by->start[t];
		at[t] = by->start[t];
	}
	by->list = arena_take(&g->scratch, (o->nevents + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->nevents; i++)
		by->list[at[g->ev[o->events[i]].tid]++] = o->events[i];
}

/*
 * What comes directly before each event of thread t: the last event of every other thread
 * that happens before it, and the one before it in its own. Those say it all: earlier ones
 * come before them. Clocks grow along a thread, so one pass over each list is enough.
 */
static void constrain_thread(struct coherence *o, const struct graph *g, const struct by_thread *by,
			     struct edges *edges, uint32_t t)
{
	uint32_t at[HEDDLE_MAX_THREADS];

	memcpy(at, by->start, g->nthreads * sizeof(uint32_t));
	for (uint32_t i = by->start[t]; i < by->start[t + 1]; i++) {
		const uint32_t *hb = graph_hb(g, by->list[i]);

		if (i > by->start[t])
			constrain(o, g, edges, by->list[i - 1], by->list[i]);
		for (uint32_t u = 0; u < g->nthreads; u++) {
			if (u == t || by->start[u] == by->start[u + 1])
				continue;
			while (at[u] < by->start[u + 1] && g->ev[by->list[at[u]]].index < hb[u])
				at[u]++;
			if (at[u] > by->start[u])
				constrain(o, g, edges, by->list[at[u] - 1], by->list[i]);
		}
	}
}

static void note_seen(struct coherence *o, const struct graph *g, const struct by_thread *by)
{
	uint32_t before = graph_po_before(g, &g->ev[o->read]);

	if (before == NO_POS)
		return;
	const uint32_t *hb = graph_hb(g, before);

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t last = by->start[t + 1];

		while (last > by->start[t] && g->ev[by->list[last - 1]].index >= hb[t])
			last--;
		if (last == by->start[t])
			continue;
		uint32_t pos = by->list[last - 1], s = event_write(&g->ev[pos], pos);

		o->seen[o->nseen++] = (struct seen){ .chain = coherence_chain(g, s),
						     .rank = coherence_rank(g, s) };
	}
}

/* With a modification order: each write comes before the next one in it. */
static void constrain_mo(struct coherence *o, const struct graph *g, const uint32_t *cut,
			 struct edges *edges)
{
	uint32_t last = RF_INIT;

	for (uint32_t w = g->locs[o->loc].mo_first; w != NO_POS; w = g->ev[w].mo_after) {
		if (!in_cut(&g->ev[w], cut))
			continue;
		precede(o, g, edges, last, w);
		last = w;
	}
}

/* The successors of each chain: to[at[c] .. at[c + 1]). */
struct successors {
	uint32_t *at, *to;
};

static struct successors sort_edges(struct coherence *o, struct graph *g, const struct edges *edges)
{
	struct successors s = {
		.at = arena_take(&g->scratch, (o->nchains + 2) * sizeof(uint32_t)),
		.to = arena_take(&g->scratch, (edges->n + 1) * sizeof(uint32_t)),
	};

	/* Counted two ahead, filled one ahead: at[] ends up in its place. */
	memset(s.at, 0, (o->nchains + 2) * sizeof(uint32_t));
	for (uint32_t i = 0; i < edges->n; i++)
		s.at[edges->from[i] + 2]++;
	for (uint32_t c = 0; c < o->nchains; c++)
		s.at[c + 2] += s.at[c + 1];
	for (uint32_t i = 0; i < edges->n; i++)
		s.to[s.at[edges->from[i] + 1]++] = edges->to[i];
	return s;
}

/* A heap of chains, the least on top. */
static void heap_add(uint32_t *heap, uint32_t n, uint32_t chain)
{
	while (n && heap[(n - 1) / 2] > chain) {
		heap[n] = heap[(n - 1) / 2];
		n = (n - 1) / 2;
	}
	heap[n] = chain;
}

/* Takes the least of n chains out. */
static uint32_t heap_take(uint32_t *heap, uint32_t n)
{
	uint32_t least = heap[0], last = heap[n - 1], at = 0, child;

	while ((child = 2 * at + 1) < n - 1) {
		if (child + 1 < n - 1 && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= last)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return least;
}

static uint32_t *clock_of(const struct coherence *o, uint32_t chain)
{
	return o->clock + (size_t)chain * o->stride;
}

/* Carries what precedes a chain, and the chain itself (own), on to a successor. */
static void carry(struct coherence *o, uint32_t chain, const uint32_t *own, uint32_t to)
{
	const uint32_t *from = clock_of(o, chain);
	uint32_t *clock = clock_of(o, to);

	for (uint32_t t = 0; t < o->stride; t++) {
		uint32_t most = from[t] > own[t] ? from[t] : own[t];

		if (most > clock[t])
			clock[t] = most;
	}
}

/* The writes of each chain as a clock. */
static uint32_t *own_clocks(const struct coherence *o, struct graph *g)
{
	size_t size = (size_t)o->nchains * o->stride * sizeof(uint32_t);
	uint32_t *own = arena_take(&g->scratch, size);

	memset(own, 0, size);
	for (uint32_t i = 0; i < o->nevents; i++) {
		const struct event *ev = &g->ev[o->events[i]];

		if (ev->flags & EV_WRITE)
			own[(size_t)coherence_chain(g, o->events[i]) * o->stride + ev->tid] =
				ev->index + 1;
	}
	return own;
}

/* Sorts the chains and computes their clocks; a cycle leaves some unsorted. */
static void sort_chains(struct coherence *o, struct graph *g, const struct edges *edges)
{
	struct successors s = sort_edges(o, g, edges);
	uint32_t *own = own_clocks(o, g), n = 0, ready = 0;
	uint32_t *heap = arena_take(&g->scratch, o->nchains * sizeof(uint32_t));
	uint32_t *indegree = arena_take(&g->scratch, o->nchains * sizeof(uint32_t));

	memset(indegree, 0, o->nchains * sizeof(uint32_t));
	memset(o->clock, 0, (size_t)o->nchains * o->stride * sizeof(uint32_t));
	for (uint32_t i = 0; i < edges->n; i++)
		indegree[edges->to[i]]++;
	for (uint32_t c = 0; c < o->nchains; c++)
		if (!indegree[c])
			heap_add(heap, ready++, c);
	while (ready) {
		uint32_t c = heap_take(heap, ready--);

		o->sorted[n++] = c;
		for (uint32_t i = s.at[c]; i < s.at[c + 1]; i++) {
			carry(o, c, own + (size_t)c * o->stride, s.to[i]);
			if (!--indegree[s.to[i]])
				heap_add(heap, ready++, s.to[i]);
		}
	}
	o->cyclic |= n < o->nchains;
}

static void place_writes(struct coherence *o, struct graph *g)
{
	g->gen++;
	o->nchains = 1;
	o->length = arena_take(&g->scratch, (o->nevents + 1) * sizeof(uint32_t));
	o->top = arena_take(&g->scratch, (o->nevents + 1) * sizeof(uint32_t));
	o->length[0] = 1;
	o->top[0] = NO_POS;
	for (uint32_t i = 0; i < o->nevents; i++)
		if (g->ev[o->events[i]].flags & EV_WRITE)
			place_write(o, g, o->events[i]);
}

void coherence_build(struct coherence *o, struct graph *g, const uint32_t *cut, uint32_t loc,
		     uint32_t read)
{
	struct by_thread by;
	struct edges edges = { .n = 0 };
	size_t most;

	memset(o, 0, offsetof(struct coherence, seen));
	o->loc = loc;
	o->read = read;
	o->stride = g->nthreads;
	collect(o, g, cut);
	place_writes(o, g);
	most = (size_t)o->nevents * (g->nthreads + 1) + 1;
	o->sorted = arena_take(&g->scratch, o->nchains * sizeof(uint32_t));
	o->clock = arena_take(&g->scratch, (size_t)o->nchains * o->stride * sizeof(uint32_t));
	edges.from = arena_take(&g->scratch, most * sizeof(uint32_t));
	edges.to = arena_take(&g->scratch, most * sizeof(uint32_t));
	sort_by_thread(o, g, &by);
	for (uint32_t t = 0; t < g->nthreads; t++)
		constrain_thread(o, g, &by, &edges, t);
	if (g->mo)
		constrain_mo(o, g, cut, &edges);
	sort_chains(o, g, &edges);
	if (read != NO_POS)
		note_seen(o, g, &by);
}

bool coherence_before(const struct coherence *o, const struct graph *g, uint32_t a, uint32_t b)
{
	const struct event *top;

	if (a == 0 || b == 0)
		return a != b && a == 0;
	top = &g->ev[o->top[a]];
	return a != b && top->index < clock_of(o, b)[top->tid];
}

bool coherence_admits(const struct coherence *o, const struct graph *g, uint32_t write)
{
	uint32_t chain = coherence_chain(g, write), rank = coherence_rank(g, write);

	for (uint32_t i = 0; i < o->nseen; i++)
		if (o->seen[i].chain == chain ? o->seen[i].rank > rank
					      : coherence_before(o, g, chain, o->seen[i].chain))
			return false;
	return true;
}

/* ---- The order as bits ------------------------------------------------------------------- */

static void set_after(struct coherence *o, uint32_t a, uint32_t b)
{
	o->after[(size_t)a * o->words + b / 64] |= (uint64_t)1 << (b % 64);
}

void coherence_spread(struct coherence *o, struct graph *g)
{
	size_t size;

	o->words = (o->nchains + 63) / 64;
	o->changed = true;
	o->decided = false;
	size = (size_t)o->nchains * o->words * sizeof(uint64_t);
	o->after = arena_take(&g->scratch, size);
	memset(o->after, 0, size);
	for (uint32_t a = 0; a < o->nchains; a++)
		for (uint32_t b = 0; b < o->nchains; b++)
			if (coherence_before(o, g, a, b))
				set_after(o, a, b);
}

void coherence_order(struct coherence *o, uint32_t a, uint32_t b)
{
	o->changed = true;
	set_after(o, a, b);
	for (uint32_t k = 0; k < o->nchains; k++)
		for (uint32_t i = 0; i < o->nchains; i++)
			for (uint32_t w = 0; w < o->words && coherence_ordered(o, i, k); w++)
				o->after[(size_t)i * o->words + w] |=
					o->after[(size_t)k * o->words + w];
}
