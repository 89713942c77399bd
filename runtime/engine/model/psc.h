/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.h - between the parts of the check of the partial sc order
 *
 * psc.c searches for modification orders, psc_relate.c says what psc is with those decided
 * so far, psc_order.c answers at once where one order does and is easily tried.
 */
#ifndef HEDDLE_ENGINE_PSC_H
#define HEDDLE_ENGINE_PSC_H

#include "engine/model/coherence.h"

/*
 * True only when psc of the cut, which has no sc fences then, is acyclic for some
 * modification order. False says nothing.
 */
bool psc_quick(struct graph *g, const uint32_t *cut);

/*
 * The relations of a cut. All are written from their targets: a row is the set of nodes that
 * are related to the row's node.
 */
struct psc {
	struct graph *g;
	const uint32_t *cut;
	uint32_t n, words;   /* nodes: events, a read-modify-write's two as one */
	uint32_t *pos;       /* first event of each node */
	uint32_t *elsewhere; /* of each node: the last before it in its thread that is not at its
				  * location, or NO_POS */
	uint32_t *sc, nsc;   /* nodes of sc accesses and fences */
	uint64_t *sc_set, *fences, *writes, *all; /* sets */
	/* Of each thread and number of its events: the set of nodes among those, the last one. */
	uint64_t *first;
	uint32_t *last, start[HEDDLE_MAX_THREADS];
	uint64_t *hb, *over;     /* rows; over: mo u fr, as far as mo is decided */
	struct coherence *order; /* of each location with writes */
	uint32_t norders;
	uint64_t *at_loc; /* and the set of nodes there */
	/* Of each sc node: what comes before it in psc whatever mo is; the nodes that over leads
	 * to before scb ends there; and of a fence, before eco;hb does. */
	uint64_t *fixed, *ends, *eco;
	uint64_t *before, *set; /* room for psc, and for sets */
};

/* All but over, order and what follows from them. The result lives in g->scratch. */
void psc_relate(struct psc *p, struct graph *g, const uint32_t *cut);

/* Is psc cyclic, with the modification orders as far as they are decided? */
bool psc_cyclic(struct psc *p);

#endif
