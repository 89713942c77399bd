/* SPDX-License-Identifier: BSD-2-Clause */
/* whole_order.c - were accesses of several parts done one after the other? See whole.h */
#include <string.h>

#include "engine/model/whole.h"

/* A part of an access of which others came before: right behind one of these? */
static bool joins(const struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos], *before;

	if (!ev->peer || !ev->size || is_rmw_write(ev) || !op_part_joined(ev->peer))
		return true;
	before = pos ? &g->ev[pos - 1] : NULL;
	return before && before->tid == ev->tid && before->loc != NO_LOC &&
	       g->locs[before->loc].cell == g->locs[ev->loc].cell;
}

bool whole_in_order(struct graph *g)
{
	char *mark = arena_mark(&g->scratch);
	uint32_t *last = arena_take(&g->scratch, (g->nlocs + 1) * sizeof(*last));
	bool fine = true;

	for (uint32_t l = 0; l < g->nlocs; l++)
		last[l] = RF_INIT;
	for (uint32_t pos = 0; pos < g->n && fine; pos++) {
		const struct event *ev = &g->ev[pos];

		if (ev->loc == NO_LOC || !g->locs[ev->loc].cell)
			continue;
		fine = joins(g, pos) && (!(ev->flags & EV_READ) || ev->rf == last[ev->loc]);
		if (ev->flags & EV_WRITE)
			last[ev->loc] = pos;
	}
	arena_reset(&g->scratch, mark);
	return fine;
}
