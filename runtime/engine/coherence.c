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
#include "engine/coherence.h"

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
	struct event *ev = &g->ev[pos];

	if (ev->gen == g->gen)
		return;
	ev->gen = g->gen;
	ev->rank = 0;
	if (!(ev->flags & EV_EXCLUSIVE)) {
		ev->chain = o->nchains++;
		o->length[ev->chain] = 1;
		return;
	}
	uint32_t source = graph_rmw_source(g, ev);

	if (source == RF_INIT) {
		ev->chain = 0;
		ev->rank = 1;
	} else {
		place_write(o, g, source);
		ev->chain = g->ev[source].chain;
		ev->rank = g->ev[source].rank + 1;
	}
	if (o->length[ev->chain] <= ev->rank)
		o->length[ev->chain] = ev->rank + 1;
}

/* The write that an event stands for: itself or the one it reads from. */
static uint32_t write_of(const struct event *ev, uint32_t pos)
{
	return ev->flags & EV_WRITE ? pos : ev->rf;
}

static uint32_t chain_of(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? 0 : g->ev[write].chain;
}

static uint32_t rank_of(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? 0 : g->ev[write].rank;
}

static void set_after(struct coherence *o, uint32_t a, uint32_t b)
{
	o->after[(size_t)a * o->words + b / 64] |= (uint64_t)1 << (b % 64);
}

/* Adds what the order of a before b (hb) demands; a cycle shows as a chain after itself. */
static void constrain(struct coherence *o, const struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t s = write_of(&g->ev[a], a), d = write_of(&g->ev[b], b);

	if (chain_of(g, s) != chain_of(g, d))
		set_after(o, chain_of(g, s), chain_of(g, d));
	else if (rank_of(g, s) > rank_of(g, d))
		set_after(o, chain_of(g, s), chain_of(g, s));
}

static void close_order(struct coherence *o)
{
	for (uint32_t k = 0; k < o->nchains; k++)
		for (uint32_t i = 0; i < o->nchains; i++) {
			if (!coherence_before(o, i, k))
				continue;
			for (uint32_t w = 0; w < o->words; w++)
				o->after[(size_t)i * o->words + w] |=
					o->after[(size_t)k * o->words + w];
		}
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
			     uint32_t t)
{
	uint32_t at[HEDDLE_MAX_THREADS];

	memcpy(at, by->start, g->nthreads * sizeof(uint32_t));
	for (uint32_t i = by->start[t]; i < by->start[t + 1]; i++) {
		const uint32_t *hb = graph_hb(g, by->list[i]);

		if (i > by->start[t])
			constrain(o, g, by->list[i - 1], by->list[i]);
		for (uint32_t u = 0; u < g->nthreads; u++) {
			if (u == t || by->start[u] == by->start[u + 1])
				continue;
			while (at[u] < by->start[u + 1] && g->ev[by->list[at[u]]].index < hb[u])
				at[u]++;
			if (at[u] > by->start[u])
				constrain(o, g, by->list[at[u] - 1], by->list[i]);
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
		uint32_t pos = by->list[last - 1], s = write_of(&g->ev[pos], pos);
		uint32_t c = chain_of(g, s);

		if (o->seen[c] <= rank_of(g, s))
			o->seen[c] = rank_of(g, s) + 1;
	}
}

void coherence_build(struct coherence *o, struct graph *g, const uint32_t *cut, uint32_t loc,
		     uint32_t read)
{
	struct by_thread by;

	o->loc = loc;
	o->read = read;
	o->nchains = 1;
	collect(o, g, cut);
	g->gen++;
	o->length = arena_take(&g->scratch, (o->nevents + 1) * sizeof(uint32_t));
	o->length[0] = 1;
	for (uint32_t i = 0; i < o->nevents; i++)
		if (g->ev[o->events[i]].flags & EV_WRITE)
			place_write(o, g, o->events[i]);
	o->words = (o->nchains + 63) / 64;
	o->after = arena_take(&g->scratch, (size_t)o->nchains * o->words * sizeof(uint64_t));
	memset(o->after, 0, (size_t)o->nchains * o->words * sizeof(uint64_t));
	o->seen = arena_take(&g->scratch, o->nchains * sizeof(uint32_t));
	memset(o->seen, 0, o->nchains * sizeof(uint32_t));
	for (uint32_t c = 1; c < o->nchains; c++)
		set_after(o, 0, c);
	sort_by_thread(o, g, &by);
	for (uint32_t t = 0; t < g->nthreads; t++)
		constrain_thread(o, g, &by, t);
	close_order(o);
	if (read != NO_POS)
		note_seen(o, g, &by);
}

bool coherence_admits(const struct coherence *o, const struct graph *g, uint32_t write)
{
	uint32_t chain = chain_of(g, write);

	if (o->seen[chain] > rank_of(g, write) + 1)
		return false;
	for (uint32_t c = 0; c < o->nchains; c++)
		if (o->seen[c] && c != chain && coherence_before(o, chain, c))
			return false;
	return true;
}

bool coherence_acyclic(const struct coherence *o)
{
	for (uint32_t c = 0; c < o->nchains; c++)
		if (coherence_before(o, c, c))
			return false;
	return true;
}

void coherence_order(struct coherence *o, uint32_t a, uint32_t b)
{
	set_after(o, a, b);
	close_order(o);
}
