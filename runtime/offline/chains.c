/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chains.c - see chains.h. Cost: O(n).
 */
#include "offline/chains.h"

#include <stdlib.h>
#include <string.h>

enum {
	AHEAD = 24
}; /* what an event needs is fetched so many events before */

/* Events stand thread by thread but come as they ran: too many streams for a processor. */
static inline void fetch(const struct chains *c, const struct execution *x, uint32_t e)
{
	__builtin_prefetch(&x->rf[e]);
	__builtin_prefetch(&x->kind[e]);
	__builtin_prefetch(&x->loc[e]);
	__builtin_prefetch(&c->chain[e], 1);
	__builtin_prefetch(&c->rank[e], 1);
}

static void not_atomic(const struct execution *x, uint32_t e, uint32_t other, struct verdict *v)
{
	verdict_fails(v, "atomicity", x->loc[e]);
	verdict_step(v, e, "rf^-1");
	verdict_step(v, x->rf[e], "rf");
	verdict_step(v, other, "is another read-modify-write of the same write than");
}

bool chains_build(struct chains *c, const struct execution *x, const uint32_t *sort,
		  struct verdict *v)
{
	uint32_t *taken = NULL, *init = offline_room(x->nlocs, sizeof(*init));
	bool ok = true;

	c->chain = offline_room(x->n, sizeof(*c->chain));
	c->rank = offline_room(x->n, sizeof(*c->rank));
	c->count = offline_room(x->nlocs, sizeof(*c->count));
	for (uint32_t l = 0; l < x->nlocs; l++) {
		c->count[l] = 1;
		init[l] = EX_NONE;
	}
	for (uint32_t i = 0; i < x->n && ok; i++) {
		uint32_t e = sort[i], w = x->rf[e], *by;

		if (i + AHEAD < x->n)
			fetch(c, x, sort[i + AHEAD]);
		if (!(x->kind[e] & EX_RMW))
			continue;
		if (!(x->kind[e] & EX_READ)) {
			c->chain[e] = c->count[x->loc[e]]++;
			c->rank[e] = 0;
			continue;
		}
		c->chain[e] = w < x->n ? c->chain[w] : 0;
		c->rank[e] = w < x->n ? c->rank[w] : 0;
		if (!(x->kind[e] & EX_WRITE))
			continue;
		c->rank[e]++;
		if (!taken) {
			taken = offline_room(x->n, sizeof(*taken));
			memset(taken, 0xff, x->n * sizeof(*taken));
		}
		by = w < x->n ? &taken[w] : &init[x->loc[e]];
		if (*by != EX_NONE) {
			not_atomic(x, e, *by, v);
			ok = false;
		}
		*by = e;
	}
	free(taken);
	free(init);
	return ok;
}

void chains_release(struct chains *c)
{
	free(c->chain);
	free(c->rank);
	free(c->count);
}
