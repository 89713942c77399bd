/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.c - acyclic(psc) as acyclicity of a graph of O(n) nodes and O(n k) edges
 *
 * psc (Lahav et al., "Repairing Sequential Consistency in C/C++11", PLDI 2017):
 *
 *	scb	= po u po_neq;hb;po_neq u hb|loc u mo u fr	(po_neq: other location)
 *	psc	= ([Esc] u [Fsc];hb?) ; scb ; ([Esc] u hb?;[Fsc])
 *		u [Fsc] ; (hb u hb;eco;hb) ; [Fsc]
 *
 * Each event has a node in each layer below; a layer is a place within that expression, and
 * an edge is one step of one relation. hb steps are po to the next event and, for what an
 * event learns, the last event of the other thread that it learns of; po_neq steps go to the
 * nearest event of another location only, since hb follows. A path from SC back to SC is a
 * pair of psc, and only such paths can be cyclic.
 *
 * fr follows from mo: a read comes before what follows its write. Hence mo may also be a
 * partial order: then the cycles are those of every mo that extends it.
 *
 * Cost: O(n k) time and memory.
 */
#include "offline/psc.h"

#include <stdlib.h>
#include <string.h>

enum layer {
	SC,     /* a pair of psc begins here, and ends */
	LEFT,   /* [Fsc];hb */
	MID,    /* left done, scb to come */
	PO,     /* within po */
	NEQ,    /* po_neq done, hb to come */
	NEQ_HB, /* po_neq;hb done */
	LOC,    /* within po of one location, hb|loc to come */
	MO,     /* within mo */
	SCB,    /* scb done, right to come */
	RIGHT,  /* within hb;[Fsc] */
	FENCE,  /* [Fsc];hb done */
	ECO,    /* [Fsc];hb;eco done */
	LAST,   /* [Fsc];hb;eco;hb done */
	LAYERS
};

static uint32_t node(const struct psc *p, enum layer layer, uint32_t e)
{
	return (uint32_t)layer * p->x->n + e;
}

static void edge(struct psc *p, enum layer from, uint32_t a, enum layer to, uint32_t b)
{
	graph_edge(&p->g, node(p, from, a), node(p, to, b));
}

static bool is_sc_fence(const struct execution *x, uint32_t e)
{
	return (x->kind[e] & EX_FENCE) && x->order[e] == ORDER_SC;
}

/* One step of hb, in every layer that has hb. */
static void hb_step(struct psc *p, uint32_t a, uint32_t b)
{
	edge(p, LEFT, a, LEFT, b);
	edge(p, NEQ, a, NEQ_HB, b);
	edge(p, NEQ_HB, a, NEQ_HB, b);
	edge(p, SCB, a, RIGHT, b);
	edge(p, RIGHT, a, RIGHT, b);
	edge(p, FENCE, a, FENCE, b);
	edge(p, ECO, a, LAST, b);
	edge(p, LAST, a, LAST, b);
	if (!is_sc_fence(p->x, a))
		return;
	edge(p, SC, a, LEFT, b);
	edge(p, SC, a, FENCE, b);
}

static void add_hb(struct psc *p)
{
	const struct execution *x = p->x;

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t t = x->tid[e];
		bool begins = e == x->first[t];
		const uint32_t *row = clock_row(p->clocks, e), *last;

		if (!begins)
			hb_step(p, e - 1, e);
		if (!begins && p->clocks->row[e] == p->clocks->row[e - 1])
			continue;
		last = begins ? p->clocks->rows : clock_row(p->clocks, e - 1);
		for (uint32_t u = 0; u < x->k; u++)
			if (u != t && row[u] > last[u])
				hb_step(p, x->first[u] + row[u] - 1, e);
	}
}

/* What an event is in the expression by itself. */
static void add_places(struct psc *p, uint32_t e)
{
	const struct execution *x = p->x;

	if (x->order[e] == ORDER_SC) {
		edge(p, SC, e, MID, e);
		edge(p, SCB, e, SC, e);
	}
	if (is_sc_fence(x, e)) {
		edge(p, RIGHT, e, SC, e);
		edge(p, FENCE, e, SC, e);
		edge(p, LAST, e, SC, e);
	}
	edge(p, LEFT, e, MID, e);
	edge(p, PO, e, SCB, e);
	edge(p, MO, e, SCB, e);
	edge(p, MID, e, LOC, e);
	if ((x->kind[e] & EX_READ) && x->rf[e] < x->n) {
		edge(p, FENCE, x->rf[e], ECO, e);
		edge(p, ECO, x->rf[e], ECO, e);
	}
}

static bool other_location(const struct execution *x, uint32_t a, uint32_t b)
{
	return x->loc[a] != x->loc[b] || x->loc[a] == EX_NONE;
}

static void add_po(struct psc *p)
{
	const struct execution *x = p->x;

	for (uint32_t t = 0; t < x->k; t++) {
		uint32_t from = x->first[t], to = x->first[t + 1], other = EX_NONE;

		for (uint32_t e = from + 1; e < to; e++) {
			edge(p, MID, e - 1, PO, e);
			edge(p, PO, e - 1, PO, e);
			if (other_location(x, e - 1, e))
				other = e - 1;
			if (other != EX_NONE)
				edge(p, NEQ_HB, other, SCB, e);
		}
		other = EX_NONE;
		for (uint32_t e = to; e-- > from + 1;) {
			if (other_location(x, e - 1, e))
				other = e;
			if (other != EX_NONE)
				edge(p, MID, e - 1, NEQ, other);
		}
	}
}

static void add_location(struct psc *p, struct scan *s, const uint32_t *ev, uint32_t n)
{
	scan_split(s, p->x, ev, n);
	for (uint32_t own = 0; own < s->n; own++) {
		scan_rewind(s);
		for (uint32_t i = s->start[own]; i < s->start[own + 1]; i++) {
			const uint32_t *row = clock_row(p->clocks, ev[i]);

			if (i > s->start[own])
				edge(p, LOC, ev[i - 1], LOC, ev[i]);
			for (uint32_t g = 0; g < s->n; g++) {
				scan_move(s, ev, g, ev[i], s->tid[own], row);
				if (s->cursor[g] > s->start[g])
					edge(p, LOC, ev[s->cursor[g] - 1], SCB, ev[i]);
			}
		}
	}
}

void psc_init(struct psc *p, const struct execution *x, const struct clocks *clocks)
{
	struct by_location at;
	struct scan s;

	*p = (struct psc){ .x = x, .clocks = clocks, .g = { .n = LAYERS * x->n } };
	by_location_build(&at, x, EX_RMW, false);
	scan_init(&s, x->k);
	for (uint32_t e = 0; e < x->n; e++)
		add_places(p, e);
	add_hb(p);
	add_po(p);
	for (uint32_t l = 0; l < x->nlocs; l++)
		add_location(p, &s, at.event + at.start[l], at.start[l + 1] - at.start[l]);
	scan_release(&s);
	by_location_release(&at);
	p->fixed = p->g.nedges;
}

void psc_release(struct psc *p)
{
	graph_release(&p->g);
}

void psc_begin(struct psc *p)
{
	p->g.nedges = p->fixed;
}

/* a comes before the write b: mo, or fr if a is a read. */
void psc_mo(struct psc *p, uint32_t a, uint32_t b)
{
	edge(p, MID, a, MO, b);
	edge(p, FENCE, a, ECO, b);
	edge(p, ECO, a, ECO, b);
	if (p->x->kind[a] & EX_WRITE)
		edge(p, MO, a, MO, b);
}

bool psc_acyclic(struct psc *p)
{
	return graph_acyclic(&p->g);
}
