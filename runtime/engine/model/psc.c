/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.c - acyclicity of the partial sc order of rc11
 *
 * psc (Lahav et al., "Repairing Sequential Consistency in C/C++11", PLDI 2017) relates sc
 * accesses and fences:
 *
 *	scb	= po u po_neq;hb;po_neq u hb|loc u mo u fr	(po_neq: other location)
 *	psc	= ([Esc] u [Fsc];hb?) ; scb ; ([Esc] u hb?;[Fsc])
 *		u [Fsc] ; (hb u hb;eco;hb) ; [Fsc]
 *
 * It depends on mo, which the graph does not have. So: start from the part of mo that
 * coherence demands; a cycle then is one for every mo (no). Else complete it in insertion
 * order; no cycle then is the answer too (yes, by far the most common). Only in between,
 * decide one open pair of chains both ways and look again: exact, exponential in the number
 * of pairs that stay open, which is small.
 *
 * What psc is with the part of mo decided so far: psc_relate.c.
 */
#include <string.h>

#include "engine/model/psc.h"
#include "engine/model/witness.h"

/* Events of a graph that the search answers about as soon as psc_quick(). */
enum {
	SHORT = 40
};

static bool threads_with_sc(const struct graph *g, const uint32_t *cut)
{
	uint32_t first = NO_POS;

	if (g->nsc < 2)
		return false;
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if (ev->order != ORDER_SC || !in_cut(ev, cut))
			continue;
		if (first == NO_POS)
			first = ev->tid;
		else if (first != ev->tid)
			return true;
	}
	return false;
}

/* Does the write come behind what the new read observes, in every order? */
static bool comes_behind(const struct graph *g, const uint32_t *from, uint32_t w)
{
	return g->ev[w].index >= from[g->ev[w].tid];
}

/*
 * Where chains stand in the witness, or in what is left of one: the graph was consistent with it, so an order like that is the
 * likeliest to do. But those that come behind what a new read observes, for certain, stand behind the others, as in each order that does. (It need not be one:
 * all others are tried as well.)
 */
static void place_chains(struct coherence *o, struct graph *g, const uint32_t *cut,
			 const uint32_t *from)
{
	uint32_t n = 0;

	o->first = arena_take(&g->scratch, o->nchains * sizeof(*o->first));
	for (uint32_t c = 0; c < o->nchains; c++)
		o->first[c] = g->n + c;
	for (int behind = 0; behind < 2; behind++)
		for (uint32_t w = g->locs[o->loc].mo_first; w != NO_POS; w = g->ev[w].mo_after)
			if (in_cut(&g->ev[w], cut) && comes_behind(g, from, w) == behind &&
			    o->first[coherence_chain(g, w)] >= g->n)
				o->first[coherence_chain(g, w)] = n++;
}

static void build_orders(struct psc *p)
{
	struct graph *g = p->g;
	uint32_t from[HEDDLE_MAX_THREADS];

	if (g->witness.about != NO_POS)
		witness_behind(g, p->cut, g->witness.about, model_find(MODEL_RC11), from);
	else
		memcpy(from, p->cut, g->nthreads * sizeof(*from));
	for (uint32_t k = 0; k < p->norders; k++) {
		coherence_build(&p->order[k], g, p->cut, p->order[k].loc, NO_POS);
		coherence_spread(&p->order[k], g);
		place_chains(&p->order[k], g, p->cut, from);
	}
}

/* An open pair of chains, the one to be tried first in front. */
static bool open_pair(struct psc *p, uint32_t *order, uint32_t *a, uint32_t *b)
{
	for (uint32_t k = 0; k < p->norders; k++) {
		struct coherence *o = &p->order[k];

		for (uint32_t i = 1; !o->decided && i < o->nchains; i++)
			for (uint32_t j = i + 1; j < o->nchains; j++)
				if (!coherence_ordered(o, i, j) && !coherence_ordered(o, j, i)) {
					*order = k;
					*a = o->first[i] < o->first[j] ? i : j;
					*b = *a == i ? j : i;
					return true;
				}
		o->decided = true;
	}
	return false;
}

static size_t order_bytes(const struct coherence *o)
{
	return (size_t)o->nchains * o->words * sizeof(uint64_t);
}

static uint64_t *save_orders(struct psc *p)
{
	size_t size = 0;
	char *at;

	for (uint32_t k = 0; k < p->norders; k++)
		size += order_bytes(&p->order[k]);
	at = arena_take(&p->g->scratch, size + 1);
	uint64_t *saved = (uint64_t *)(void *)at;

	for (uint32_t k = 0; k < p->norders; at += order_bytes(&p->order[k++]))
		memcpy(at, p->order[k].after, order_bytes(&p->order[k]));
	return saved;
}

static void restore_orders(struct psc *p, const uint64_t *saved)
{
	const char *at = (const char *)saved;

	for (uint32_t k = 0; k < p->norders; at += order_bytes(&p->order[k++])) {
		struct coherence *o = &p->order[k];

		if (!memcmp(o->after, at, order_bytes(o)))
			continue;
		memcpy(o->after, at, order_bytes(o));
		o->changed = true;
		o->decided = false;
	}
}

/* No pair is open: a chain stands where as many others come before it. */
static void leave_witness(struct psc *p)
{
	struct graph *g = p->g;

	witness_begin(g);
	for (uint32_t k = 0; k < p->norders; k++) {
		const struct coherence *o = &p->order[k];
		uint32_t *sorted = arena_take(&g->scratch, o->nchains * sizeof(*sorted));

		sorted[0] = 0;
		for (uint32_t c = 1; c < o->nchains; c++) {
			uint32_t before = 1;

			for (uint32_t b = 1; b < o->nchains; b++)
				before += b != c && coherence_ordered(o, b, c);
			sorted[before] = c;
		}
		witness_append_chains(g, o, sorted);
	}
}

static bool solve(struct psc *p)
{
	char *mark = arena_mark(&p->g->scratch);
	uint32_t order, a, b;
	uint64_t *saved;
	bool ok;

	if (psc_cyclic(p))
		return false;
	if (!open_pair(p, &order, &a, &b)) {
		if (p->g->witness.wanted)
			leave_witness(p);
		return true;
	}
	saved = save_orders(p);
	do
		coherence_order(&p->order[order], a, b);
	while (open_pair(p, &order, &a, &b));
	ok = !psc_cyclic(p);
	if (ok && p->g->witness.wanted)
		leave_witness(p);
	restore_orders(p, saved);
	if (!ok) {
		open_pair(p, &order, &a, &b);
		coherence_order(&p->order[order], a, b);
		ok = solve(p);
		restore_orders(p, saved);
	}
	if (!ok) {
		coherence_order(&p->order[order], b, a);
		ok = solve(p);
	}
	arena_reset(&p->g->scratch, mark);
	return ok;
}

/* The write that each of the given reads observes comes last in its location. */
static void order_ends(struct psc *p, const uint32_t *ends, uint32_t nends)
{
	for (uint32_t i = 0; i < nends; i++) {
		const struct event *ev = &p->g->ev[ends[i]];
		uint32_t chain = coherence_chain(p->g, event_write(ev, ends[i]));

		for (uint32_t k = 0; k < p->norders; k++)
			for (uint32_t c = 0; p->order[k].loc == ev->loc && c < p->order[k].nchains;
			     c++)
				if (c != chain && !coherence_ordered(&p->order[k], c, chain))
					coherence_order(&p->order[k], c, chain);
	}
}

bool psc_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends)
{
	char *mark = arena_mark(&g->scratch);
	struct psc p;
	bool ok;

	if (!threads_with_sc(g, cut) || (!nends && g->n > SHORT && psc_quick(g, cut)))
		return true;
	psc_relate(&p, g, cut);
	build_orders(&p);
	order_ends(&p, ends, nends);
	ok = solve(&p);
	arena_reset(&g->scratch, mark);
	return ok;
}
