/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verify.c - is a modification order a witness? Straight from the axioms
 *
 * A place in mo is the rank of the write that an access makes or observes; the initial write
 * has rank 0. Shares only the clocks with the checkers, and for rc11 the definition of psc.
 *
 * Cost: O(n k log n), and the sort of a graph of O(n) edges for sc and tso.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/check.h"
#include "offline/graph.h"
#include "offline/scan.h"

struct witness {
	const struct execution *x;
	const uint32_t *rank;
	struct by_location at;
	uint32_t **write; /* of each location, by rank */
	uint32_t *nwrites;
};

static uint32_t rank_of(const struct witness *w, uint32_t e)
{
	uint32_t s = w->x->kind[e] & EX_WRITE ? e : w->x->rf[e];

	return s < w->x->n ? w->rank[s] : 0;
}

/* Ranks are those of an order, and each read-modify-write follows its write at once. */
static const char *check_ranks(struct witness *w)
{
	const struct execution *x = w->x;

	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			w->nwrites[x->loc[e]]++;
	for (uint32_t l = 0; l < x->nlocs; l++) {
		w->write[l] = offline_room(w->nwrites[l] + 1, sizeof(**w->write));
		memset(w->write[l], 0xff, (w->nwrites[l] + 1) * sizeof(**w->write));
	}
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t r = w->rank[e], l = x->loc[e];

		if (!(x->kind[e] & EX_WRITE))
			continue;
		if (r < 1 || r > w->nwrites[l] || w->write[l][r] != EX_NONE)
			return "it is not an order of the writes";
		w->write[l][r] = e;
		if ((x->kind[e] & EX_READ) && r != (x->rf[e] < x->n ? w->rank[x->rf[e]] : 0) + 1)
			return "atomicity fails";
	}
	return NULL;
}

/* If a happens before e on a location, a's place is not behind e's. */
static const char *check_coherence_axioms(const struct witness *w, const struct clocks *c)
{
	const struct execution *x = w->x;

	for (uint32_t l = 0; l < x->nlocs; l++) {
		const uint32_t *ev = w->at.event;
		uint32_t start = w->at.start[l], end = w->at.start[l + 1];

		for (uint32_t i = start, g; i < end; i = g) {
			for (g = i; g < end && x->tid[ev[g]] == x->tid[ev[i]]; g++)
				if (g > i && rank_of(w, ev[g - 1]) > rank_of(w, ev[g]))
					return "coherence fails within a thread";
			for (uint32_t j = start; j < end; j++) {
				uint32_t lo = i, hi = g; /* the last of ev[i..g-1] before ev[j] */

				while (lo < hi) {
					uint32_t mid = lo + (hi - lo) / 2;
					bool b =
						ev[mid] != ev[j] && clock_before(c, ev[mid], ev[j]);

					lo = b ? mid + 1 : lo;
					hi = b ? hi : mid;
				}
				if (lo > i && rank_of(w, ev[lo - 1]) > rank_of(w, ev[j]))
					return "coherence fails between threads";
			}
		}
	}
	return NULL;
}

/* mo and fr, each from the next place only: the rest follows by mo. */
static void add_mo_fr(const struct witness *w, struct graph_edges *g)
{
	const struct execution *x = w->x;

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t next = x->kind[e] & EX_FENCE ? 0 : rank_of(w, e) + 1;

		if (next && next <= w->nwrites[x->loc[e]] && w->write[x->loc[e]][next] != e)
			graph_edge(g, e, w->write[x->loc[e]][next]);
	}
}

static void add_po_rf(const struct execution *x, struct graph_edges *g)
{
	for (uint32_t e = 0; e < x->n; e++) {
		if (e > x->first[x->tid[e]])
			graph_edge(g, e - 1, e);
		if (x->rf[e] < x->n)
			graph_edge(g, x->rf[e], e);
	}
}

/* ppo u rfe: each event's nearest ones; fences other than sc take no part. */
static void add_tso(const struct execution *x, struct graph_edges *g)
{
	uint32_t read = 0, write = 0, barrier = 0; /* + 1 */

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t kind = x->kind[e] & EX_RMW;

		if (e == x->first[x->tid[e]])
			read = write = barrier = 0;
		if (x->rf[e] < x->n && x->tid[x->rf[e]] != x->tid[e])
			graph_edge(g, x->rf[e], e);
		if ((x->kind[e] & EX_FENCE) && x->order[e] != ORDER_SC)
			continue;
		if (read)
			graph_edge(g, read - 1, e);
		if (barrier)
			graph_edge(g, barrier - 1, e);
		if (write && kind != EX_READ)
			graph_edge(g, write - 1, e);
		if (kind == EX_READ)
			read = e + 1;
		if (kind & EX_WRITE)
			write = e + 1;
		if (kind != EX_READ && (kind != EX_WRITE || x->order[e] == ORDER_SC))
			barrier = e + 1;
	}
}

static const char *check_global(const struct witness *w, enum engine_model m)
{
	struct graph_edges g = { .n = w->x->n };
	bool ok;

	if (m == MODEL_TSO)
		add_tso(w->x, &g);
	else
		add_po_rf(w->x, &g);
	add_mo_fr(w, &g);
	ok = graph_acyclic(&g);
	graph_release(&g);
	return ok ? NULL : "the global order is cyclic";
}

static const char *check_axioms(struct witness *w, enum engine_model m)
{
	const struct execution *x = w->x;
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	const char *wrong = execution_sort(x, sort) < x->n ? "po u rf is cyclic" : check_ranks(w);
	struct clocks c;

	if (!wrong) {
		/* sc per location, for tso, is coherence with hb = po. */
		clocks_build(&c, x, m == MODEL_TSO || m == MODEL_SC ? MODEL_RELAXED : m, sort);
		wrong = check_coherence_axioms(w, &c);
		clocks_release(&c);
	}
	if (!wrong && (m == MODEL_SC || m == MODEL_TSO))
		wrong = check_global(w, m);
	if (!wrong && m == MODEL_SRA) {
		struct graph_edges g = { .n = x->n };

		add_po_rf(x, &g);
		for (uint32_t l = 0; l < x->nlocs; l++)
			for (uint32_t r = 2; r <= w->nwrites[l]; r++)
				graph_edge(&g, w->write[l][r - 1], w->write[l][r]);
		wrong = graph_acyclic(&g) ? NULL : "hb u mo is cyclic";
		graph_release(&g);
	}
	if (!wrong && m == MODEL_RC11 && has_sc(x) && !psc_holds(x, w->rank))
		wrong = "psc is cyclic";
	free(sort);
	return wrong;
}

const char *verify_witness(const struct execution *x, enum engine_model m, const struct verdict *v)
{
	struct witness w = { .x = x, .rank = v->rank };
	const char *wrong;

	if (m == MODEL_WRA)
		return NULL;
	if (!v->rank)
		return "there is no order";
	by_location_build(&w.at, x, NULL, EX_RMW);
	w.write = offline_zeroed(x->nlocs, sizeof(*w.write));
	w.nwrites = offline_zeroed(x->nlocs, sizeof(*w.nwrites));
	wrong = check_axioms(&w, m);
	for (uint32_t l = 0; l < x->nlocs; l++)
		free(w.write[l]);
	free(w.write);
	free(w.nwrites);
	by_location_release(&w.at);
	return wrong;
}
