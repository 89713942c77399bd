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
 * Sets of events are bit sets; relations are applied to sets rather than composed. Cost of
 * one look: O(s n w) for s sc events, n events and words of w bits.
 */
#include <string.h>

#include "engine/psc.h"
#include "engine/witness.h"

struct psc {
	struct graph *g;
	uint32_t n, words;                   /* nodes: events, a read-modify-write's two as one */
	uint32_t *pos;                       /* first event of each node */
	uint32_t *sc, nsc;                   /* nodes of sc accesses and fences */
	uint64_t *po, *po_neq, *hb, *hb_loc; /* rows: successors */
	uint64_t *mo, *rf, *fr;
	uint64_t *fences;        /* the set of sc fences */
	struct coherence *order; /* of each location with writes */
	uint32_t norders;
	uint64_t *set[6]; /* room for sets */
};

static uint64_t *rows(struct psc *p, uint32_t n)
{
	size_t size = (size_t)n * p->words * sizeof(uint64_t);
	uint64_t *r = arena_take(&p->g->scratch, size);

	memset(r, 0, size);
	return r;
}

static uint64_t *row(const struct psc *p, uint64_t *rel, uint32_t i)
{
	return rel + (size_t)i * p->words;
}

static void set_bit(uint64_t *s, uint32_t i)
{
	s[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool get_bit(const uint64_t *s, uint32_t i)
{
	return s[i / 64] >> (i % 64) & 1;
}

/* out |= rel applied to the set in */
static void apply(const struct psc *p, uint64_t *rel, const uint64_t *in, uint64_t *out)
{
	for (uint32_t w = 0; w < p->words; w++)
		for (uint64_t bits = in[w]; bits; bits &= bits - 1) {
			uint64_t *r = row(p, rel, w * 64 + (uint32_t)__builtin_ctzll(bits));

			for (uint32_t v = 0; v < p->words; v++)
				out[v] |= r[v];
		}
}

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

static bool takes_part(const struct event *ev)
{
	return (ev->loc != NO_LOC && !(ev->flags & EV_BLOCKED)) || (ev->flags & EV_FENCE);
}

static void number_nodes(struct psc *p, const uint32_t *cut)
{
	struct graph *g = p->g;

	p->pos = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	p->sc = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < g->n; i++) {
		struct event *ev = &g->ev[i];

		if (!in_cut(ev, cut) || !takes_part(ev) || is_rmw_write(ev))
			continue;
		ev->node = p->n;
		if ((ev->flags & EV_EXCLUSIVE) && ev->index + 1 < cut[ev->tid])
			g->ev[g->at[ev->tid][ev->index + 1]].node = p->n;
		if (ev->order == ORDER_SC)
			p->sc[p->nsc++] = p->n;
		p->pos[p->n++] = i;
	}
	p->words = (p->n + 63) / 64;
}

static void relate(struct psc *p)
{
	struct graph *g = p->g;

	p->po = rows(p, p->n);
	p->po_neq = rows(p, p->n);
	p->hb = rows(p, p->n);
	p->hb_loc = rows(p, p->n);
	p->fences = rows(p, 1);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct event *a = &g->ev[p->pos[i]];

		if (is_sc_fence(a))
			set_bit(p->fences, i);
		for (uint32_t j = 0; j < p->n; j++) {
			const struct event *b = &g->ev[p->pos[j]];
			bool same = a->loc == b->loc && a->loc != NO_LOC;

			if (!happens_before(g, p->pos[i], p->pos[j]))
				continue;
			set_bit(row(p, p->hb, i), j);
			if (same)
				set_bit(row(p, p->hb_loc, i), j);
			if (a->tid != b->tid)
				continue;
			set_bit(row(p, p->po, i), j);
			if (!same)
				set_bit(row(p, p->po_neq, i), j);
		}
	}
}

static void build_orders(struct psc *p, const uint32_t *cut)
{
	struct graph *g = p->g;

	p->order = arena_take(&g->scratch, (p->n + 1) * sizeof(*p->order));
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t loc = g->ev[p->pos[i]].loc;
		bool known = loc == NO_LOC;

		for (uint32_t k = 0; !known && k < p->norders; k++)
			known = p->order[k].loc == loc;
		if (known)
			continue;
		coherence_build(&p->order[p->norders], g, cut, loc, NO_POS);
		coherence_spread(&p->order[p->norders++], g);
	}
}

/* mo of one location from the order of its chains, and the fr that follows from it. */
static void relate_location(struct psc *p, const struct coherence *o)
{
	struct graph *g = p->g;

	for (uint32_t i = 0; i < o->nevents; i++) {
		const struct event *b = &g->ev[o->events[i]];

		if (!(b->flags & EV_WRITE))
			continue;
		for (uint32_t j = 0; j < o->nevents; j++) {
			const struct event *a = &g->ev[o->events[j]];
			uint32_t w = event_write(a, o->events[j]);
			uint32_t chain = w == RF_INIT ? 0 : g->ev[w].chain;
			uint32_t rank = w == RF_INIT ? 0 : g->ev[w].rank;
			bool before = chain == b->chain ? rank < b->rank
							: coherence_ordered(o, chain, b->chain);

			if (a->node == b->node || !before)
				continue;
			set_bit(row(p, a->flags & EV_WRITE ? p->mo : p->fr, a->node), b->node);
		}
	}
}

static void relate_orders(struct psc *p)
{
	size_t size = (size_t)p->n * p->words * sizeof(uint64_t);

	memset(p->mo, 0, size);
	memset(p->fr, 0, size);
	for (uint32_t k = 0; k < p->norders; k++)
		relate_location(p, &p->order[k]);
}

static void relate_rf(struct psc *p)
{
	struct graph *g = p->g;

	p->mo = rows(p, p->n);
	p->fr = rows(p, p->n);
	p->rf = rows(p, p->n);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct event *ev = &g->ev[p->pos[i]];

		if ((ev->flags & EV_READ) && ev->rf < RF_NONE)
			set_bit(row(p, p->rf, g->ev[ev->rf].node), i);
	}
}

static void clear(const struct psc *p, uint64_t *s)
{
	memset(s, 0, p->words * sizeof(uint64_t));
}

/* The psc successors of sc node a, into out. */
static void successors(struct psc *p, uint32_t a, uint64_t *out)
{
	uint64_t *left = p->set[0], *mid = p->set[1], *tmp = p->set[2], *tmp2 = p->set[3];
	bool fence = get_bit(p->fences, a);

	clear(p, left);
	clear(p, mid);
	clear(p, tmp);
	clear(p, tmp2);
	clear(p, out);
	set_bit(left, a);
	if (fence)
		apply(p, p->hb, left, left);
	apply(p, p->po, left, mid);
	apply(p, p->hb_loc, left, mid);
	apply(p, p->mo, left, mid);
	apply(p, p->fr, left, mid);
	apply(p, p->po_neq, left, tmp);
	apply(p, p->hb, tmp, tmp2);
	apply(p, p->po_neq, tmp2, mid);
	/* [Esc]: what scb reaches itself; hb?;[Fsc]: fences it reaches, or that follow it. */
	clear(p, tmp);
	memcpy(tmp, mid, p->words * sizeof(uint64_t));
	apply(p, p->hb, mid, tmp);
	for (uint32_t w = 0; w < p->words; w++)
		out[w] = (mid[w] & ~p->fences[w]) | (tmp[w] & p->fences[w]);
	if (!fence)
		return;
	/* [Fsc];(hb u hb;eco;hb);[Fsc], with eco = (mo u rf u fr)+ as mo u fr u (mo u fr)?;rf */
	clear(p, left);
	clear(p, mid);
	clear(p, tmp);
	set_bit(tmp, a);
	apply(p, p->hb, tmp, left);
	apply(p, p->mo, left, mid);
	apply(p, p->fr, left, mid);
	clear(p, tmp);
	apply(p, p->rf, left, tmp);
	apply(p, p->rf, mid, tmp);
	for (uint32_t w = 0; w < p->words; w++)
		mid[w] |= tmp[w];
	apply(p, p->hb, mid, left);
	for (uint32_t w = 0; w < p->words; w++)
		out[w] |= left[w] & p->fences[w];
}

/* Is psc cyclic, with the modification orders as far as they are decided? */
static bool cyclic(struct psc *p)
{
	char *mark = arena_mark(&p->g->scratch);
	uint32_t words = (p->nsc + 63) / 64;
	uint64_t *reach = arena_take(&p->g->scratch, (size_t)p->nsc * words * sizeof(uint64_t));
	uint64_t *out = p->set[4];
	bool cycle = false;

	relate_orders(p);
	memset(reach, 0, (size_t)p->nsc * words * sizeof(uint64_t));
	for (uint32_t i = 0; i < p->nsc; i++) {
		successors(p, p->sc[i], out);
		for (uint32_t j = 0; j < p->nsc; j++)
			if (get_bit(out, p->sc[j]))
				set_bit(reach + (size_t)i * words, j);
	}
	for (uint32_t k = 0; k < p->nsc; k++)
		for (uint32_t i = 0; i < p->nsc; i++)
			if (get_bit(reach + (size_t)i * words, k))
				for (uint32_t w = 0; w < words; w++)
					reach[(size_t)i * words + w] |=
						reach[(size_t)k * words + w];
	for (uint32_t i = 0; i < p->nsc; i++)
		cycle |= get_bit(reach + (size_t)i * words, i);
	arena_reset(&p->g->scratch, mark);
	return cycle;
}

/* An open pair of chains; chains with lower numbers were inserted earlier. */
static bool open_pair(const struct psc *p, uint32_t *order, uint32_t *a, uint32_t *b)
{
	for (uint32_t k = 0; k < p->norders; k++) {
		const struct coherence *o = &p->order[k];

		for (uint32_t i = 1; i < o->nchains; i++)
			for (uint32_t j = i + 1; j < o->nchains; j++)
				if (!coherence_ordered(o, i, j) && !coherence_ordered(o, j, i)) {
					*order = k;
					*a = i;
					*b = j;
					return true;
				}
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

	for (uint32_t k = 0; k < p->norders; at += order_bytes(&p->order[k++]))
		memcpy(p->order[k].after, at, order_bytes(&p->order[k]));
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

	if (cyclic(p))
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
	ok = !cyclic(p);
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
		uint32_t chain = ev->flags & EV_WRITE ? ev->chain
				 : ev->rf == RF_INIT  ? 0
						      : p->g->ev[ev->rf].chain;

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
	struct psc p = { .g = g };
	bool ok;

	if (!threads_with_sc(g, cut) || (!nends && psc_quick(g, cut)))
		return true;
	number_nodes(&p, cut);
	relate(&p);
	relate_rf(&p);
	build_orders(&p, cut);
	order_ends(&p, ends, nends);
	for (int i = 0; i < 6; i++)
		p.set[i] = rows(&p, 1);
	ok = solve(&p);
	arena_reset(&g->scratch, mark);
	return ok;
}
