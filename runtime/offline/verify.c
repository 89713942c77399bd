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
#include "offline/mo_graph.h"
#include "offline/scan.h"

/* Each read-modify-write follows its write at once. */
static const char *check_atomicity(const struct mo_graph *w)
{
	const struct execution *x = w->x;

	for (uint32_t e = 0; e < x->n; e++)
		if ((x->kind[e] & EX_RMW) == EX_RMW &&
		    w->rank[e] != (x->rf[e] < x->n ? w->rank[x->rf[e]] : 0) + 1)
			return "atomicity fails";
	return NULL;
}

/* If a happens before e on a location, a's place is not behind e's. */
static const char *check_coherence_axioms(const struct mo_graph *w, const struct by_location *by,
					  const struct clocks *c)
{
	const struct execution *x = w->x;

	for (uint32_t l = 0; l < x->nlocs; l++) {
		const uint32_t *ev = by->event;
		uint32_t start = by->start[l], end = by->start[l + 1];

		for (uint32_t i = start, g; i < end; i = g) {
			for (g = i; g < end && x->tid[ev[g]] == x->tid[ev[i]]; g++)
				if (g > i && mo_rank(w, ev[g - 1]) > mo_rank(w, ev[g]))
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
				if (lo > i && mo_rank(w, ev[lo - 1]) > mo_rank(w, ev[j]))
					return "coherence fails between threads";
			}
		}
	}
	return NULL;
}

static const char *check_global(const struct mo_graph *w, enum engine_model m)
{
	struct graph_edges g = { .n = w->x->n };
	bool ok;

	mo_graph_edges(w, m, &g);
	ok = graph_acyclic(&g);
	graph_release(&g);
	return ok ? NULL : "the global order is cyclic";
}

static const char *check_axioms(const struct mo_graph *w, enum engine_model m, const uint32_t *sort)
{
	const struct execution *x = w->x;
	const char *wrong = check_atomicity(w);
	struct by_location by;
	struct clocks c;

	if (!wrong) {
		/* sc per location, for tso, is coherence with hb = po. */
		clocks_build(&c, x, m == MODEL_TSO || m == MODEL_SC ? MODEL_RELAXED : m, sort);
		by_location_build(&by, x, NULL, EX_RMW);
		wrong = check_coherence_axioms(w, &by, &c);
		by_location_release(&by);
		clocks_release(&c);
	}
	if (!wrong && (m == MODEL_SC || m == MODEL_TSO || m == MODEL_SRA))
		wrong = check_global(w, m);
	if (!wrong && m == MODEL_RC11 && has_sc(x) && !psc_holds(x, w->rank))
		wrong = "psc is cyclic";
	return wrong;
}

const char *verify_witness(const struct execution *x, enum engine_model m, const struct verdict *v)
{
	uint32_t *sort;
	struct mo_graph w = { 0 };
	const char *wrong;

	if (m == MODEL_WRA)
		return NULL;
	if (!v->rank)
		return "there is no order";
	sort = offline_room(x->n, sizeof(*sort));
	if (execution_sort(x, sort) < x->n)
		wrong = "po u rf is cyclic";
	else if (!mo_graph_init(&w, x, v->rank))
		wrong = "it is not an order of the writes";
	else
		wrong = check_axioms(&w, m, sort);
	mo_graph_release(&w);
	free(sort);
	return wrong;
}
