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

#include "engine/graph/graph.h"

struct coherence {
	uint32_t loc;
	uint32_t read;    /* the read in question, left out of the order; NO_POS: none */
	uint32_t *events; /* of the location in the cut, without read, oldest first */
	uint32_t nevents;
	uint32_t nchains; /* chain 0 begins with the initial write */
	uint32_t *length; /* writes in each chain, the initial write included */
	uint32_t *top;    /* the first write of each chain, NO_POS for chain 0 */
	uint32_t *sorted; /* all chains, each after those that must precede it, the earliest
			   * inserted first where there is a choice */
	bool cyclic;      /* no modification order exists */
	/*
	 * Per chain a vector clock: the events of each thread up to its last write to the
	 * location that must come before the chain. Same-thread writes are ordered, so that
	 * says all (hbmo clocks on the tops of chains, Section 5.2 of the paper).
	 */
	uint32_t *clock, stride;
	/* The same order as rows of bits, for those who decide more of it (psc.c), or NULL. */
	uint64_t *after;
	uint32_t words;
	bool changed,
		decided; /* since psc_relate.c looked; no two chains are open, as psc.c found */
	uint32_t *first; /* of each chain: psc.c tries those first that stand first */
	uint32_t nseen;
	/* What happens directly before the read: writes, or what was read. */
	struct seen {
		uint32_t chain, rank;
	} seen[HEDDLE_MAX_THREADS];
};

/*
 * Builds the order of the location loc from the events in cut but for `read`, which must be
 * the last event of its thread in the cut. The result lives in g->scratch. Sets gen, chain
 * and rank (place in the chain) of the location's writes. Cost: O(q k (k + log q)) for q
 * events of the location and k threads.
 */
void coherence_build(struct coherence *o, struct graph *g, const uint32_t *cut, uint32_t loc,
		     uint32_t read);

/* The chain of a write of that location (a place, or RF_INIT), and its place in it. */
static inline uint32_t coherence_chain(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? 0 : g->notes[write].chain;
}

static inline uint32_t coherence_rank(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? 0 : g->notes[write].rank;
}

/* May the read given to coherence_build() read from write (a place, or RF_INIT)? O(k) */
bool coherence_admits(const struct coherence *o, const struct graph *g, uint32_t write);

/* Must chain a come before chain b? */
bool coherence_before(const struct coherence *o, const struct graph *g, uint32_t a, uint32_t b);

/* Sets o->after, so that coherence_order() can be called. O(c^2) for c chains */
void coherence_spread(struct coherence *o, struct graph *g);

/* Orders chain a before chain b, with all that follows. O(c^3 / 64) */
void coherence_order(struct coherence *o, uint32_t a, uint32_t b);

static inline bool coherence_ordered(const struct coherence *o, uint32_t a, uint32_t b)
{
	return o->after[(size_t)a * o->words + b / 64] >> (b % 64) & 1;
}

#endif
