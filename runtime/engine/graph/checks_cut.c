/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks_cut.c - see checks.h; what is wrong, what a cut has to be, and what is gone
 */
#include "engine/graph/checks.h"

#include <stdio.h>
#include <string.h>

void checks_failed(const struct graph *g, uint32_t pos, const char *what)
{
	static char text[200];

	if (pos < g->n)
		snprintf(text, sizeof(text), "%s of event %u.%u (place %u of %u, kind %u)", what,
			 g->ev[pos].tid, g->ev[pos].index, pos, g->n, g->ev[pos].kind);
	else
		snprintf(text, sizeof(text), "%s (%u events)", what, g->n);
	must_failed(text, __FILE__, __LINE__);
}

void checks_cut(const struct graph *g, const uint32_t *cut, uint32_t read)
{
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t last = cut[t];

		check_that(g, NO_POS, cut[t] <= g->count[t]);
		if (g->ev[read].tid == t) {
			check_that(g, read, g->ev[read].index + 1 == cut[t]);
			last--;
		}
		for (uint32_t u = 0; last && u < g->nthreads; u++)
			check_that(g, g->at[t][last - 1],
				   graph_porf(g, g->at[t][last - 1])[u] <= cut[u]);
	}
}

void checks_gone(struct graph *g, uint32_t n, uint32_t end)
{
	if (n < end)
		memset(&g->ev[n], 0xa5, (end - n) * sizeof(*g->ev));
}
