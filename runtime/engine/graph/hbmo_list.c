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
		p->nwrites = b->nwrites;
	}
	if (ev->flags & EV_WRITE) {
		p->write = pos;
		p->nwrites++;
	}
}

uint32_t hbmo_count(const struct graph *g, uint32_t loc, uint32_t tid, hbmo_decider *admits,
		    void *question)
{
	uint32_t last = last_of(g, loc)[tid], pos = last, all;

	if (last == NO_POS)
		return 0;
	all = placed_at(g, last)->nwrites;
	while (pos != NO_POS) {
		const struct placed *p = placed_at(g, pos), *j;

		if (p->write == NO_POS)
			return all;
		if (!admits(question, p->write))
			return all - p->nwrites;
		j = p->jump == NO_POS ? NULL : placed_at(g, p->jump);
		pos = j && j->write != NO_POS && admits(question, j->write) ? p->jump : p->prev;
	}
	return all;
}

uint32_t hbmo_nth(const struct graph *g, uint32_t loc, uint32_t tid, uint32_t n)
{
	uint32_t pos = last_of(g, loc)[tid], wanted = placed_at(g, pos)->nwrites - n;

	while (placed_at(g, pos)->nwrites > wanted) {
		const struct placed *p = placed_at(g, pos);

		pos = p->jump != NO_POS && placed_at(g, p->jump)->nwrites >= wanted ? p->jump
										    : p->prev;
	}
	return placed_at(g, pos)->write;
}
