/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_relate.c - the partial sc order of a cut, given what is decided of mo
 *
 * Sets of nodes are bit sets, and relations rows of them, from the target: what comes before
 * a node. So everything that a node has seen is a union of one set per thread, the first so
 * many nodes of it. Most of psc does not depend on mo: it is computed once for a question;
 * each look at other modification orders adds what mo and fr lead to.
 *
 * po_neq;hb;po_neq into a node needs one event of each thread: let z be the last
 * before the node that is at another location, y the last of the thread that happens
 * before z, and x the last before y that is at another location than y. Then x and all before
 * it arrive, and nothing that comes later in that thread.
 *
 * Cost: O(n k w) for n nodes, k threads and words of w bits; one look O(q + c^2 w) for q events
 * and c chains of each location, and O(a w) for each of s sc nodes that a nodes with mo or fr
 * stand before; O(s^2 w) at worst for the cycle.
 * Caller: psc.c.
 */
#include <string.h>

#include "engine/model/psc.h"

static uint64_t *row(const struct psc *p, uint64_t *rel, uint32_t i)
{
	return rel + (size_t)i * p->words;
}

static uint64_t *rows(struct psc *p, uint32_t n)
{
	size_t size = (size_t)n * p->words * sizeof(uint64_t);
	uint64_t *r = arena_take(&p->g->scratch, size + 1);

	memset(r, 0, size);
	return r;
}

static void set_bit(uint64_t *s, uint32_t i)
{
	s[i / 64] |= (uint64_t)1 << (i % 64);
}

static void clear_bit(uint64_t *s, uint32_t i)
{
	s[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static bool get_bit(const uint64_t *s, uint32_t i)
{
	return s[i / 64] >> (i % 64) & 1;
}

static void add_set(const struct psc *p, uint64_t *out, const uint64_t *in)
{
	for (uint32_t w = 0; w < p->words; w++)
		out[w] |= in[w];
}

/* out |= what rel has before the nodes in both sets, as far as it is in `only` */
static void apply(const struct psc *p, uint64_t *rel, const uint64_t *in, const uint64_t *both,
		  const uint64_t *only, uint64_t *out)
{
	for (uint32_t w = 0; w < p->words; w++)
		for (uint64_t bits = in[w] & both[w]; bits; bits &= bits - 1) {
			uint64_t *r = row(p, rel, w * 64 + (uint32_t)__builtin_ctzll(bits));

			for (uint32_t v = 0; v < p->words; v++)
				out[v] |= r[v] & only[v];
		}
}

/* ---- Nodes ------------------------------------------------------------------------------- */

static bool takes_part(const struct event *ev)
{
	return (ev->loc != NO_LOC && !(ev->flags & EV_BLOCKED)) || (ev->flags & EV_FENCE);
}

/* A location gets a number when its first node comes. */
static void number_location(struct psc *p, const struct event *ev)
{
	struct location *l;

	if (ev->loc == NO_LOC)
		return;
	l = &p->g->locs[ev->loc];
	if (l->visit == p->g->visit)
		return;
	l->visit = p->g->visit;
	l->current = p->norders;
	p->order[p->norders++].loc = ev->loc;
}

static void number_nodes(struct psc *p)
{
	struct graph *g = p->g;

	p->pos = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	p->sc = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	p->order = arena_take(&g->scratch, (g->n + 1) * sizeof(*p->order));
	g->visit++;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct event *ev = &g->ev[i];

		if (!in_cut(ev, p->cut) || is_rmw_write(ev))
			continue;
		g->notes[i].node = NO_POS;
		if (!takes_part(ev))
			continue;
		g->notes[i].node = p->n;
		number_location(p, ev);
		if ((ev->flags & EV_EXCLUSIVE) && ev->index + 1 < p->cut[ev->tid])
			g->notes[g->at[ev->tid][ev->index + 1]].node = p->n;
		if (ev->order == ORDER_SC)
			p->sc[p->nsc++] = p->n;
		p->pos[p->n++] = i;
	}
	p->words = (p->n + 63) / 64;
}

/* Enters a node into the sets that it is in. */
static void enter_sets(struct psc *p, const struct event *ev)
{
	uint32_t node = notes_of(p->g, ev)->node;

	if (is_sc_fence(ev))
		set_bit(p->fences, node);
	else if (ev->order == ORDER_SC)
		set_bit(p->sc_set, node);
	if (ev->loc != NO_LOC)
		set_bit(row(p, p->at_loc, p->g->locs[ev->loc].current), node);
}

static void walk_thread(struct psc *p, uint32_t t)
{
	const struct graph *g = p->g;
	uint32_t at = p->start[t];

	p->last[at] = NO_POS;
	for (uint32_t i = 0; i < p->cut[t]; i++, at++) {
		const struct event *ev = &g->ev[g->at[t][i]];
		uint32_t node = notes_of(g, ev)->node, before = p->last[at];

		memcpy(row(p, p->first, at + 1), row(p, p->first, at), p->words * sizeof(uint64_t));
		p->last[at + 1] = node == NO_POS ? before : node;
		if (node == NO_POS)
			continue;
		if (ev->flags & EV_WRITE)
			set_bit(p->writes, node);
		if (node == before)
			continue;
		set_bit(row(p, p->first, at + 1), node);
		enter_sets(p, ev);
		p->elsewhere[node] =
			before == NO_POS || !same_cell(g, ev->loc, g->ev[p->pos[before]].loc)
				? before
				: p->elsewhere[before];
	}
}

static void walk_threads(struct psc *p)
{
	struct graph *g = p->g;
	uint32_t n = 0;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		p->start[t] = n;
		n += p->cut[t] + 1;
	}
	p->first = rows(p, n);
	p->last = arena_take(&g->scratch, (n + 1) * sizeof(uint32_t));
	p->elsewhere = arena_take(&g->scratch, (p->n + 1) * sizeof(uint32_t));
	p->sc_set = rows(p, 1);
	p->fences = rows(p, 1);
	p->writes = rows(p, 1);
	p->at_loc = rows(p, p->norders);
	for (uint32_t t = 0; t < g->nthreads; t++)
		walk_thread(p, t);
}

/* ---- What does not depend on mo ------------------------------------------------------------ */

/* The set of the first n events of a thread. */
static uint64_t *first_of(const struct psc *p, uint32_t t, uint32_t n)
{
	return row(p, p->first, p->start[t] + n);
}

static void relate_hb(struct psc *p)
{
	const struct graph *g = p->g;

	p->hb = rows(p, p->n);
	for (uint32_t i = 0; i < p->n; i++) {
		const uint32_t *hb = graph_hb(g, p->pos[i]);

		for (uint32_t t = 0; t < g->nthreads; t++)
			add_set(p, row(p, p->hb, i), first_of(p, t, hb[t]));
		clear_bit(row(p, p->hb, i), i);
	}
}

/* out |= what comes before node i in scb but for mo and fr */
static void before_in_scb(const struct psc *p, uint32_t i, uint64_t *out)
{
	const struct graph *g = p->g;
	const struct event *ev = &g->ev[p->pos[i]];
	const uint64_t *hb = row(p, p->hb, i);

	add_set(p, out, first_of(p, ev->tid, ev->index));
	if (ev->loc != NO_LOC)
		for (uint32_t w = 0; w < p->words; w++)
			out[w] |= hb[w] & row(p, p->at_loc, g->locs[ev->loc].current)[w];
	if (p->elsewhere[i] == NO_POS)
		return;
	const uint32_t *seen = graph_hb(g, p->pos[p->elsewhere[i]]);

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t y = t == ev->tid ? NO_POS : p->last[p->start[t] + seen[t]];

		if (y != NO_POS && p->elsewhere[y] != NO_POS)
			add_set(p, out, first_of(p, t, g->ev[p->pos[p->elsewhere[y]]].index + 1));
	}
}

/* out |= what psc has before a node that these nodes come before in scb */
static void close_start(const struct psc *p, const uint64_t *in, uint64_t *out)
{
	for (uint32_t w = 0; w < p->words; w++)
		out[w] |= in[w] & (p->sc_set[w] | p->fences[w]);
	if (p->g->nfences)
		apply(p, p->hb, in, p->all, p->fences, out);
}

/* The writes observed by the nodes in a set. */
static void read_from(const struct psc *p, const uint64_t *in, uint64_t *out)
{
	const struct graph *g = p->g;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct event *ev = &g->ev[p->pos[i]];

		if (get_bit(in, i) && (ev->flags & EV_READ) && ev->rf < RF_NONE)
			set_bit(out, g->notes[ev->rf].node);
	}
}

/* hb and rf;hb, and where eco begins that ends with rf or not */
static void relate_fence(struct psc *p, uint32_t k)
{
	uint64_t *hb = row(p, p->hb, p->sc[k]), *fixed = row(p, p->fixed, k), *from = p->set;

	memset(from, 0, p->words * sizeof(uint64_t));
	read_from(p, hb, from);
	for (uint32_t w = 0; w < p->words; w++)
		fixed[w] |= hb[w] & p->fences[w];
	apply(p, p->hb, from, p->all, p->fences, fixed);
	add_set(p, row(p, p->eco, k), hb);
	add_set(p, row(p, p->eco, k), from);
}

static void relate_sc(struct psc *p, uint32_t k)
{
	uint32_t i = p->sc[k];
	uint64_t *ends = row(p, p->ends, k), *scb = p->set;
	bool fence = get_bit(p->fences, i);

	set_bit(ends, i);
	if (fence)
		add_set(p, ends, row(p, p->hb, i));
	memset(scb, 0, p->words * sizeof(uint64_t));
	if (fence) {
		for (uint32_t e = 0; e < p->n; e++)
			if (get_bit(ends, e))
				before_in_scb(p, e, scb);
	} else {
		before_in_scb(p, i, scb);
	}
	close_start(p, scb, row(p, p->fixed, k));
	if (fence)
		relate_fence(p, k);
}

void psc_relate(struct psc *p, struct graph *g, const uint32_t *cut)
{
	*p = (struct psc){ .g = g, .cut = cut };
	number_nodes(p);
	walk_threads(p);
	relate_hb(p);
	p->set = rows(p, 1);
	p->all = rows(p, 1);
	memset(p->all, 0xff, p->words * sizeof(uint64_t));
	p->over = rows(p, p->n);
	p->fixed = rows(p, p->nsc);
	p->before = rows(p, p->nsc);
	p->ends = rows(p, p->nsc);
	p->eco = rows(p, g->nfences ? p->nsc : 0);
	for (uint32_t k = 0; k < p->nsc; k++)
		relate_sc(p, k);
}

/* ---- What does --------------------------------------------------------------------------- */

/* What observes or is a write of the chain that comes before this one. */
static void earlier_in_chain(struct psc *p, const struct coherence *o, const struct notes *write)
{
	const struct graph *g = p->g;

	for (uint32_t i = 0; i < o->nevents; i++) {
		uint32_t w = event_write(&g->ev[o->events[i]], o->events[i]);

		if (coherence_chain(g, w) == write->chain && coherence_rank(g, w) < write->rank)
			set_bit(row(p, p->over, write->node), g->notes[o->events[i]].node);
	}
}

/* mo of one location from the order of its chains, and the fr that follows from it. */
static void relate_location(struct psc *p, const struct coherence *o)
{
	struct graph *g = p->g;
	char *mark = arena_mark(&g->scratch);
	uint64_t *chain = rows(p, o->nchains), *before = rows(p, o->nchains);

	for (uint32_t i = 0; i < o->nevents; i++) {
		uint32_t w = event_write(&g->ev[o->events[i]], o->events[i]);

		set_bit(row(p, chain, coherence_chain(g, w)), g->notes[o->events[i]].node);
	}
	/* Nothing comes before the first chain. */
	for (uint32_t a = 0; a < o->nchains; a++)
		for (uint32_t w = 0; w < o->words; w++)
			for (uint64_t bits = o->after[(size_t)a * o->words + w] &
					     (w ? UINT64_MAX : UINT64_MAX - 1);
			     bits; bits &= bits - 1)
				add_set(p, row(p, before, w * 64 + (uint32_t)__builtin_ctzll(bits)),
					row(p, chain, a));
	for (uint32_t i = 0; i < o->nevents; i++) {
		const struct notes *w = &g->notes[o->events[i]];

		if (!(g->ev[o->events[i]].flags & EV_WRITE))
			continue;
		memcpy(row(p, p->over, w->node), row(p, before, w->chain),
		       p->words * sizeof(uint64_t));
		if (w->rank)
			earlier_in_chain(p, o, w);
		clear_bit(row(p, p->over, w->node), w->node);
	}
	arena_reset(&g->scratch, mark);
}

/* What comes before each sc node. */
static void relate_psc(struct psc *p)
{
	for (uint32_t k = 0; k < p->nsc; k++) {
		uint64_t *before = row(p, p->before, k);

		memcpy(before, row(p, p->fixed, k), p->words * sizeof(uint64_t));
		memset(p->set, 0, p->words * sizeof(uint64_t));
		apply(p, p->over, row(p, p->ends, k), p->writes, p->all, p->set);
		close_start(p, p->set, before);
		if (!get_bit(p->fences, p->sc[k]))
			continue;
		memset(p->set, 0, p->words * sizeof(uint64_t));
		apply(p, p->over, row(p, p->eco, k), p->writes, p->all, p->set);
		apply(p, p->hb, p->set, p->all, p->fences, before);
	}
}

static bool disjoint(const struct psc *p, const uint64_t *a, const uint64_t *b)
{
	uint64_t both = 0;

	for (uint32_t w = 0; w < p->words; w++)
		both |= a[w] & b[w];
	return !both;
}

/* Takes away nodes that nothing comes before, as long as there are any. */
bool psc_cyclic(struct psc *p)
{
	uint64_t *left = p->set;
	uint32_t n = p->nsc, taken;

	for (uint32_t k = 0; k < p->norders; k++) {
		if (p->order[k].changed)
			relate_location(p, &p->order[k]);
		p->order[k].changed = false;
	}
	relate_psc(p);
	for (uint32_t w = 0; w < p->words; w++)
		left[w] = p->sc_set[w] | p->fences[w];
	do {
		taken = 0;
		for (uint32_t k = 0; k < p->nsc; k++) {
			if (!get_bit(left, p->sc[k]) || !disjoint(p, row(p, p->before, k), left))
				continue;
			clear_bit(left, p->sc[k]);
			taken++;
		}
		n -= taken;
	} while (n && taken);
	return n;
}
