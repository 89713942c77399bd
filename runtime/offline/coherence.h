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

/* What coherence demands of the order of chains; of location l up to end[l]. */
struct chain_order {
	struct chains c;
	struct chain_edge *edges;
	size_t nedges, *end;
};

/*
 * Decides the coherence axioms and atomicity for this hb (NULL: po) and fills v. keep, unless
 * NULL, gets the order of chains, to be released in any case.
 */
void coherence_decide(const struct execution *x, const struct clocks *clocks, const uint32_t *sort,
		      bool witness, struct chain_order *keep, struct verdict *v);
void chain_order_release(struct chain_order *o);

#endif
