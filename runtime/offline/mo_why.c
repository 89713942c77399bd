/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mo_why.c - an execution whose modification order is given: why not this one?
 *
 * Nothing has to be searched for, and mo steps need no reasons: each axiom is a relation
 * that must be acyclic, in the order of how short its cycles are for people.
 *
 *	all but sc, tso	coherence: if a happens before e on a location, a's place in mo is not
 *			behind e's
 *	tso		sc per location: a read does not miss the thread's own write before it
 *	sc, tso, sra	the global order, as a graph of events
 *	rc11		psc
 *
 * Invariant: a read-modify-write stands right behind what it reads in the order given, unless
 * two read one write, which is looked at first.
 *
 * Cost: O(n k), and a shortest cycle in a graph of O(n) edges.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "offline/coherence.h"
#include "offline/mo_graph.h"
#include "offline/psc.h"
#include "offline/scan.h"

struct why {
	struct mo_graph mo;
	struct scan scan;
	enum engine_model model;
	struct verdict *v;
};

/* ---- One location ---------------------------------------------------------------------------- */

static bool coherent_pair(struct why *w, uint32_t a, uint32_t e)
{
	if (mo_rank(&w->mo, a) <= mo_rank(&w->mo, e))
		return true;
	verdict_fails(w->v, "", w->mo.x->loc[e]);
	coherence_cycle(w->v, w->mo.x, a, e);
	return false;
}

/* The last event of each thread before e: the earlier ones have places before that one's. */
static bool coherent_event(void *self, const struct look *l)
{
	struct why *w = self;
	uint32_t a;

	for (uint32_t g = 0; g < w->scan.n; g++)
		if (scan_last(&w->scan, l, g, w->scan.clocks->rows, &a) &&
		    !coherent_pair(w, a, l->e))
			return false;
	return true;
}

static bool coherent(struct why *w, const uint32_t *sort)
{
	const struct execution *x = w->mo.x;
	struct clocks clocks;
	bool ok;

	clocks_build(&clocks, x, w->model, sort);
	scan_init(&w->scan, x, &clocks, sort, EX_RMW, EX_RMW);
	ok = scan_all(&w->scan, coherent_event, w);
	scan_release(&w->scan);
	clocks_release(&clocks);
	return ok;
}

/* e reads from before the thread's own write before it. */
static void misses_own(struct why *w, uint32_t own, uint32_t e)
{
	uint32_t source = w->mo.x->rf[e];

	verdict_fails(w->v, "sc per location", w->mo.x->loc[e]);
	verdict_step(w->v, source, "mo");
	verdict_step(w->v, own, "po");
	verdict_step(w->v, e, "rf^-1");
}

static bool sees_own(struct why *w)
{
	const struct execution *x = w->mo.x;
	uint32_t *last = offline_room(x->nlocs, sizeof(*last));
	bool ok = true;

	memset(last, 0xff, x->nlocs * sizeof(*last));
	for (uint32_t e = 0; e < x->n && ok; e++) {
		uint32_t source = x->rf[e], own;

		if (!(x->kind[e] & EX_RMW))
			continue;
		own = last[x->loc[e]];
		ok = !(x->kind[e] & EX_READ) || own == EX_NONE || x->tid[own] != x->tid[e] ||
		     w->mo.rank[own] <= (source < x->n ? w->mo.rank[source] : 0);
		if (!ok)
			misses_own(w, own, e);
		if (x->kind[e] & EX_WRITE)
			last[x->loc[e]] = e;
	}
	free(last);
	return ok;
}

/* ---- The global order ------------------------------------------------------------------------ */

static const char *relation(const struct execution *x, uint32_t a, uint32_t b)
{
	if (x->tid[a] == x->tid[b] && a < b)
		return "po";
	if ((x->kind[b] & EX_READ) && x->rf[b] == a)
		return "rf";
	return x->kind[a] & EX_WRITE ? "mo" : "fr";
}

/* Do two steps that meet in an event make one of the first's relation? */
static bool joins(const struct why *w, const char *first, uint32_t at, const char *second)
{
	const struct execution *x = w->mo.x;
	bool store = (x->kind[at] & EX_RMW) == EX_WRITE;

	if (!strcmp(first, "po"))
		/* tso: past an sc store only by way of it. */
		return !strcmp(second, "po") &&
		       (w->model != MODEL_TSO || !store || x->order[at] != ORDER_SC);
	return !strcmp(second, "mo") && strcmp(first, "rf") != 0;
}

static void tell_cycle(struct why *w, const uint32_t *node, uint32_t n)
{
	const struct execution *x = w->mo.x;
	const char *before = relation(x, node[n - 1], node[0]), *next;
	uint32_t first = 0, e;

	/* Begin where a step does. */
	for (; first < n; first++, before = next) {
		next = relation(x, node[first], node[(first + 1) % n]);
		if (!joins(w, before, node[first], next))
			break;
	}
	for (uint32_t i = 0; i < n; i++, before = next) {
		e = node[(first + i) % n];
		next = relation(x, e, node[(first + i + 1) % n]);
		if (i && joins(w, before, e, next))
			next = before;
		else
			verdict_step(w->v, e, next);
	}
}

static bool acyclic(struct why *w)
{
	struct graph_edges g = { .n = w->mo.x->n };
	uint32_t *cycle, n;
	bool ok;

	mo_graph_edges(&w->mo, w->model, &g);
	ok = graph_acyclic(&g);
	if (!ok) {
		cycle = graph_cycle(&g, g.n, &n);
		verdict_fails(w->v,
			      w->model == MODEL_SC    ? "acyclic(po u rf u mo u fr)"
			      : w->model == MODEL_TSO ? "acyclic(ppo u rfe u mo u fr)"
						      : "acyclic(hb u mo)",
			      EX_NONE);
		tell_cycle(w, cycle, n);
		free(cycle);
	}
	graph_release(&g);
	return ok;
}

static bool psc_is_acyclic(struct why *w, const uint32_t *sort)
{
	const struct execution *x = w->mo.x;
	struct psc_step *step;
	struct clocks clocks;
	struct psc p;
	uint32_t n;
	bool ok;

	clocks_build(&clocks, x, w->model, sort);
	psc_init(&p, x, &clocks, sort);
	psc_put_rank(&p, x, w->mo.rank);
	ok = psc_acyclic(&p);
	if (!ok) {
		verdict_fails(w->v, "acyclic(psc)", EX_NONE);
		step = psc_cycle(&p, &n);
		psc_tell(w->v, step, n);
		free(step);
	}
	psc_release(&p);
	clocks_release(&clocks);
	return ok;
}

/* ---- All axioms --------------------------------------------------------------------------------- */

static bool holds(struct why *w, const uint32_t *sort)
{
	bool global = w->model == MODEL_SC || w->model == MODEL_TSO || w->model == MODEL_SRA;
	struct chains c;
	bool ok = chains_build(&c, w->mo.x, sort, w->v);

	chains_release(&c);
	if (ok && w->model == MODEL_TSO)
		ok = sees_own(w);
	else if (ok && w->model != MODEL_SC)
		ok = coherent(w, sort);
	if (ok && global)
		ok = acyclic(w);
	if (ok && w->model == MODEL_RC11 && has_sc(w->mo.x))
		ok = psc_is_acyclic(w, sort);
	return ok;
}

void check_mo(const struct execution *x, enum engine_model m, const uint32_t *rank,
	      struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct why w = { .model = m, .v = v };
	bool ok;

	if (!sort)
		return;
	ok = mo_graph_init(&w.mo, x, rank);
	must(ok);
	v->consistent = holds(&w, sort);
	mo_graph_release(&w.mo);
	free(sort);
}
