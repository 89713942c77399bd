/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coherence_why.c - for people: along which cycle coherence fails
 *
 * What follows from one pair of accesses, a before e in hb, is that a's write is before e's
 * in mo. A refusal is such pairs in a row, as reasons, and one more pair whose order
 * closes the cycle. Where two pairs meet in different writes of one chain, atomicity joins them.
 */
#include <stdlib.h>

#include "offline/coherence.h"

void coherence_reason(struct verdict *v, const struct execution *x, uint32_t a, uint32_t e)
{
	uint32_t from = write_of(x, a), to = write_of(x, e);

	verdict_reason(v, REASON_SINCE, from, to);
	if (from != a)
		verdict_step(v, from, "rf");
	verdict_step(v, a, "hb");
	if (to != e)
		verdict_step(v, e, "rf^-1");
	verdict_step(v, to, NULL);
}

void coherence_cycle(struct verdict *v, const struct execution *x, uint32_t a, uint32_t e)
{
	bool writes = x->kind[e] & EX_WRITE;

	v->axiom = writes ? "write coherence" : "read coherence";
	verdict_cycle(v);
	verdict_step(v, write_of(x, a), x->kind[a] & EX_WRITE ? "hb" : "rf");
	if (!(x->kind[a] & EX_WRITE))
		verdict_step(v, a, "hb");
	verdict_step(v, e, writes ? "mo" : "fr");
}

/* Chains whose `in` is not 0 all have a predecessor of that kind: walk back to a cycle. */
void chains_refuse(struct verdict *v, const struct execution *x, const struct chain_edge *edges,
		   const struct chain_pair *pairs, uint32_t nedges, const uint32_t *in,
		   uint32_t chains)
{
	uint32_t *into = offline_zeroed(chains, sizeof(*into)), c = 0, last;
	uint8_t *seen = offline_zeroed(chains, 1);

	for (uint32_t i = 0; i < nedges; i++)
		if (in[edges[i].from])
			into[edges[i].to] = i;
	while (!in[c])
		c++;
	for (; !seen[c]; c = edges[into[c]].from)
		seen[c] = 1;
	last = into[c];
	for (c = edges[last].from; into[c] != last; c = edges[into[c]].from)
		coherence_reason(v, x, pairs[into[c]].a, pairs[into[c]].e);
	coherence_cycle(v, x, pairs[last].a, pairs[last].e);
	free(into);
	free(seen);
}
