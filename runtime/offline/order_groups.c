/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_groups.c - see order_groups.h. Cost: O(n).
 */
#include "offline/order_groups.h"

#include <stdlib.h>

#include "offline/order_state.h"

static void build_groups(struct order_groups *g, const struct order *o)
{
	uint32_t n = 0, room = 0;

	g->gstart = offline_room((size_t)o->nlocs + 1, sizeof(*g->gstart));
	for (uint32_t loc = 0; loc < o->nlocs; loc++) {
		g->gstart[loc] = n;
		for (uint32_t i = g->wstart[loc]; i < g->wstart[loc + 1]; i++) {
			uint32_t line = o->line[g->write[i]];

			if (n == g->gstart[loc] || g->groups[n - 1].line != line) {
				if (n == room) {
					room = room ? room * 2 : 256;
					g->groups =
						offline_grow(g->groups, room, sizeof(*g->groups));
				}
				g->groups[n++] = (struct order_group){ line, i, i };
			}
			g->groups[n - 1].to = i + 1;
		}
		g->most = n - g->gstart[loc] > g->most ? n - g->gstart[loc] : g->most;
	}
	g->gstart[o->nlocs] = n;
}

/* The locking reads that come before what comes after their write: the last of each line. */
static void build_readers(struct order_groups *g, const struct order *o)
{
	uint32_t sources = o->n + o->nlocs, n = 0;

	g->lstart = offline_room((size_t)sources + 1, sizeof(*g->lstart));
	g->locking = offline_room(g->rstart[sources], sizeof(*g->locking));
	for (uint32_t w = 0; w < sources; w++) {
		g->lstart[w] = n;
		for (uint32_t j = g->rstart[w]; j < g->rstart[w + 1]; j++) {
			uint32_t r = g->reads[j], line = o->line[r];

			if (!(o->flags[r] & ITEM_LOCKS))
				continue;
			n -= n > g->lstart[w] && g->locking[n - 1].line == line;
			g->locking[n++] = (struct order_reader){ r, line };
		}
	}
	g->lstart[sources] = n;
}

void order_groups_build(struct order_groups *g, const struct order *o)
{
	uint32_t *key = offline_room(o->n, sizeof(*key));

	for (uint32_t i = 0; i < o->n; i++)
		key[i] = o->flags[i] & ITEM_WRITE ? o->loc[i] : EX_NONE;
	order_group(o->n, o->nlocs, key, &g->wstart, &g->write);
	for (uint32_t i = 0; i < o->n; i++)
		key[i] = o->flags[i] & ITEM_READ && o->rf[i] != EX_NONE ? order_source(o, i)
									: EX_NONE;
	order_group(o->n, o->n + o->nlocs, key, &g->rstart, &g->reads);
	order_group(o->n, o->nlocs, o->loc, &g->astart, &g->access);
	free(key);
	build_groups(g, o);
	build_readers(g, o);
}

void order_groups_release(struct order_groups *g)
{
	free(g->wstart);
	free(g->write);
	free(g->rstart);
	free(g->reads);
	free(g->lstart);
	free(g->locking);
	free(g->astart);
	free(g->access);
	free(g->gstart);
	free(g->groups);
}
