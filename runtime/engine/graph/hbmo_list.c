/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hbmo_list.c - see hbmo_list.h, and the lists in hbmo.h
 *
 * A list has jumps of doubling length, so that searching it takes O(log q).
 */
#include "engine/graph/hbmo_list.h"

void hbmo_list_add(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	struct placed *p = placed_at(g, pos);
	uint32_t *slot = &last_of(g, ev->loc)[ev->tid], before = *slot;

	*p = (struct placed){ .index = ev->index,
			      .prev = before,
			      .jump = before,
			      .depth = 1,
			      .write = NO_POS,
			      .exits = NO_POS,
			      .exit_of = NO_POS,
			      .nlog = g->hbmo.nlog };
	*slot = pos;
	if (before != NO_POS) {
		const struct placed *b = placed_at(g, before);
		const struct placed *j = b->jump == NO_POS ? NULL : placed_at(g, b->jump);
		uint32_t jj = j ? j->jump : NO_POS;

		/* Two jumps of the same length behind each other make one of twice the length. */
		if (j &&
		    b->depth - j->depth == j->depth - (jj == NO_POS ? 0 : placed_at(g, jj)->depth))
			p->jump = jj;
		p->depth = b->depth + 1;
		p->write = b->write;
	}
	if (ev->flags & EV_WRITE)
		p->write = pos;
}
