/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coherence.h - minimal coherence, for the checkers that begin with it
 */
#ifndef HEDDLE_OFFLINE_COHERENCE_H
#define HEDDLE_OFFLINE_COHERENCE_H

#include "offline/chains.h"
#include "offline/clocks.h"

struct chain_edge {
	uint32_t from, to; /* chains of one location; none is chain 0 */
};

/* Why: a happens before e, two events of those chains. */
struct chain_pair {
	uint32_t a, e;
};

/* What coherence demands of the order of chains; of location l up to end[l]. */
struct chain_order {
	struct chains c;
	struct chain_edge *edges;
	struct chain_pair *pairs; /* of each edge */
	size_t nedges, *end;
};

/*
 * Decides the coherence axioms and atomicity for this hb (NULL: po) and fills v. keep, unless
 * NULL, gets the order of chains, to be released in any case.
 */
void coherence_decide(const struct execution *x, const struct clocks *clocks, const uint32_t *sort,
		      bool witness, struct chain_order *keep, struct verdict *v);
void chain_order_release(struct chain_order *o);

/* a's place in mo is before e's since a happens before e: a reason of v's last case. */
void coherence_reason(struct verdict *v, const struct execution *x, uint32_t a, uint32_t e);
/* a happens before e, but its place in mo is behind e's: the cycle of v's last case. */
void coherence_cycle(struct verdict *v, const struct execution *x, uint32_t a, uint32_t e);
/*
 * The order of chains is cyclic: a refusal. in[c] is not 0 for the chains that could not be
 * sorted.
 */
void chains_refuse(struct verdict *v, const struct execution *x, const struct chain_edge *edges,
		   const struct chain_pair *pairs, uint32_t nedges, const uint32_t *in,
		   uint32_t chains);

#endif
