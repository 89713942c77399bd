/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coherence.h - what must come before what in the modification order of one location
 *
 * The minimally coherent order of "Optimal Reads-From Consistency Checking for C11-Style
 * Memory Models" (PLDI 2023), Sections 3 and 4.4, of one location within a cut: writes form
 * rf-chains (a write and the read-modify-writes that follow it directly), and chains are
 * ordered where write coherence, read coherence or atomicity demands it. Some modification
 * order exists exactly when this order has no cycle.
 *
 *	char *mark = arena_mark(&g->scratch);
 *	coherence_build(&o, g, cut, loc, read);
 *	ok = coherence_admits(&o, g, write);
 *	arena_reset(&g->scratch, mark);
 */
#ifndef HEDDLE_ENGINE_COHERENCE_H
#define HEDDLE_ENGINE_COHERENCE_H

#include "engine/graph.h"

struct coherence {
	uint32_t loc;
	uint32_t read;	  /* the read in question, left out of the order; NO_POS: none */
	uint32_t nchains; /* chain 0 begins with the initial write */
	uint32_t words;	  /* of one row of after */
	uint64_t *after;  /* after[c * words ...]: chains that come later than chain c */
	uint32_t *events; /* of the location in the cut, without read, oldest first */
	uint32_t nevents;
	/*
	 * What happens before the read, per chain: 1 + the greatest rank in it that is a
	 * write, or has been read, before the read.
	 */
	uint32_t *seen;
	uint32_t *length; /* writes in the chain, the initial write included */
};

/*
 * Builds the order of the location loc from the events in cut but for `read`, which must be
 * the last event of its thread in the cut. The result lives in g->scratch. Sets gen, chain
 * and rank (place in the chain) of the location's writes. Cost: O(q k) for q events of the location and k threads, and O(c^3 / 64) for c
 * chains.
 */
void coherence_build(struct coherence *o, struct graph *g, const uint32_t *cut, uint32_t loc,
		     uint32_t read);

/* May the read given to coherence_build() read from write (a place, or RF_INIT)? O(chains) */
bool coherence_admits(const struct coherence *o, const struct graph *g, uint32_t write);

/* False when the order has a cycle (only possible when the cut is inconsistent). */
bool coherence_acyclic(const struct coherence *o);

/* Orders chain a before chain b, with all that follows. */
void coherence_order(struct coherence *o, uint32_t a, uint32_t b);

static inline bool coherence_before(const struct coherence *o, uint32_t a, uint32_t b)
{
	return o->after[(size_t)a * o->words + b / 64] >> (b % 64) & 1;
}

#endif
