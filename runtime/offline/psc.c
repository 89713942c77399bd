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

#include "base/must.h"
#include "offline/mo_graph.h"

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

/* hb|loc from the last access of each thread before e. */
static bool add_accesses(void *self, const struct look *l)
{
	struct psc *p = self;
	uint32_t a;

	for (uint32_t g = 0; g < p->scan.n; g++)
		if (scan_last(&p->scan, l, g, p->clocks->rows, &a))
			edge(p, LOC, a, SCB, l->e);
	return true;
}

/* Steps within LOC: po of one location. */
static void add_own(struct psc *p)
{
	const struct by_location *at = &p->scan.seen;
	const struct execution *x = p->x;

	for (uint32_t i = 1; i < at->start[x->nlocs]; i++) {
		uint32_t a = at->event[i - 1], b = at->event[i];

		if (x->loc[a] == x->loc[b] && x->tid[a] == x->tid[b])
			edge(p, LOC, a, LOC, b);
	}
}

void psc_init(struct psc *p, const struct execution *x, const struct clocks *clocks,
	      const uint32_t *sort)
{
	*p = (struct psc){ .x = x, .clocks = clocks, .g = { .n = LAYERS * x->n } };
	scan_init(&p->scan, x, clocks, sort, EX_RMW, EX_RMW);
	for (uint32_t e = 0; e < x->n; e++)
		add_places(p, e);
	add_hb(p);
	add_po(p);
	add_own(p);
	scan_all(&p->scan, add_accesses, p);
	scan_release(&p->scan);
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

void psc_put_rank(struct psc *p, const struct execution *x, const uint32_t *rank)
{
	struct mo_graph m;
	bool ok = mo_graph_init(&m, x, rank);

	must(ok);
	psc_begin(p);
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t next = x->kind[e] & EX_RMW ? mo_next(&m, e) : EX_NONE;

		if (next != EX_NONE)
			psc_mo(p, e, next);
	}
	mo_graph_release(&m);
}

bool psc_acyclic(struct psc *p)
{
	return graph_acyclic(&p->g);
}

/* ---- What mo cannot be --------------------------------------------------------------------- */

void psc_ahead_init(struct psc_ahead *a, const struct psc *p)
{
	a->p = p;
	a->write = EX_NONE;
	graph_index(&p->g, &a->index);
	a->by_mo = offline_zeroed(p->g.n, sizeof(*a->by_mo));
	a->by_eco = offline_zeroed(p->g.n, sizeof(*a->by_eco));
	a->queue = offline_room(p->g.n, sizeof(*a->queue));
}

void psc_ahead_release(struct psc_ahead *a)
{
	graph_index_release(&a->index);
	free(a->by_mo);
	free(a->by_eco);
	free(a->queue);
}

void psc_ahead_of(struct psc_ahead *a, uint32_t write)
{
	a->write = write;
	graph_reach(&a->index, node(a->p, MO, write), a->by_mo, write + 1, a->queue);
	graph_reach(&a->index, node(a->p, ECO, write), a->by_eco, write + 1, a->queue);
}

/* Each edge that psc_mo() would add, and whether its end leads back to its beginning. */
bool psc_rules_out(const struct psc_ahead *a, uint32_t access)
{
	uint32_t stamp = a->write + 1;

	return a->by_mo[node(a->p, MID, access)] == stamp ||
	       a->by_eco[node(a->p, FENCE, access)] == stamp ||
	       a->by_eco[node(a->p, ECO, access)] == stamp;
}

/* ---- A cycle, for people --------------------------------------------------------------------- */

static const char *relation(const struct psc *p, enum layer from, uint32_t a, enum layer to,
			    uint32_t b)
{
	const struct execution *x = p->x;

	switch (to) {
	case PO:
	case NEQ:
		return "po";
	case SCB:
		return from == NEQ_HB ? "po" : "hb";
	case ECO:
		if ((x->kind[b] & EX_READ) && x->rf[b] == a)
			return "rf";
		/* fall through */
	case MO:
		return x->kind[a] & EX_WRITE ? "mo" : "fr";
	default:
		return "hb";
	}
}

/* Steps of one relation in a row are one, if they stand for one place in the expression. */
static bool continues(const struct psc_step *last, enum layer part, const char *rel)
{
	if (last->part != (int)part)
		return false;
	if (part == ECO)
		return !strcmp(rel, "mo") && strcmp(last->relation, "rf") != 0;
	return part != NEQ;
}

struct psc_step *psc_cycle(const struct psc *p, uint32_t *length)
{
	uint32_t n, *nodes = graph_cycle(&p->g, p->x->n, &n), nsteps = 0, events = p->x->n;
	struct psc_step *steps = offline_room(n, sizeof(*steps));
	bool begins = true;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = nodes[i], v = nodes[(i + 1) % n];
		enum layer from = u / events, to = v / events, part = to;
		const char *rel = relation(p, from, u % events, to, v % events);

		begins |= from == SC;
		if (u % events == v % events)
			continue;
		if (to == SCB)
			part = from == LOC ? LOC : SCB;
		if (begins || !continues(&steps[nsteps - 1], part, rel))
			steps[nsteps++] = (struct psc_step){ u % events, rel, begins, (int)part };
		if (part == LOC)
			steps[nsteps - 1].relation = "hb";
		begins = false;
	}
	free(nodes);
	*length = nsteps;
	return steps;
}
