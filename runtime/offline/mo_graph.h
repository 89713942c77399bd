/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mo_graph.h - an execution with a modification order: what comes before what
 */
#ifndef HEDDLE_OFFLINE_MO_GRAPH_H
#define HEDDLE_OFFLINE_MO_GRAPH_H

#include "engine/engine.h"
#include "offline/execution.h"
#include "offline/graph.h"

/* rank: of each write in the mo of its location, from 1. x and rank must stay. */
struct mo_graph {
	const struct execution *x;
	const uint32_t *rank;
	uint32_t *start, *write; /* the writes of location l in order: write[start[l]..] */
};

/* False: it is not an order of the writes. Release in any case. */
bool mo_graph_init(struct mo_graph *m, const struct execution *x, const uint32_t *rank);
void mo_graph_release(struct mo_graph *m);

/* The rank of the write that an access makes or observes; of the initial one 0. */
static inline uint32_t mo_rank(const struct mo_graph *m, uint32_t e)
{
	uint32_t w = m->x->kind[e] & EX_WRITE ? e : m->x->rf[e];

	return w < m->x->n ? m->rank[w] : 0;
}

/* The write right behind that one in mo, or EX_NONE: by mo or fr it comes after the access. */
uint32_t mo_next(const struct mo_graph *m, uint32_t e);

/*
 * The relation that must be acyclic, from each event to the nearest ones: under sc po, rf, mo
 * and fr; under tso ppo, rfe, mo and fr; under sra po, rf and mo.
 */
void mo_graph_edges(const struct mo_graph *m, enum engine_model model, struct graph_edges *g);

#endif
