/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * enter.h - what becomes of an event that has happened, and that is in the graph with its clocks
 *
 * Inline, since each operation does it. Callers: online.c, access.c.
 */
#ifndef HEDDLE_ENGINE_ONLINE_ENTER_H
#define HEDDLE_ENGINE_ONLINE_ENTER_H

#include "engine/online/online.h"

/*
 * Does the read say no more than `last`, the event before it in its list? It reads the same write, or its own write
 * follows. (Where there are sc events it may be told apart from that.)
 */
static inline bool says_no_more(const struct online *on, const struct event *read, uint32_t last)
{
	if (last == NO_POS || read->order == ORDER_SC ||
	    read->kind == OP_FUTEX_LOOK || /* what it saw is asked for: futex.c */
	    (on->way == WAY_RC11 && on->sc.first != NO_POS))
		return false;
	return (read->flags & EV_EXCLUSIVE) || on->mo.of[last].write == read->rf;
}

/* A read. */
static inline void enter_read(struct online *on, const struct event *ev, uint32_t pos,
			      struct sc_place place)
{
	struct modification *mo = &on->mo;
	uint32_t *list = mod_row(mo, ev->loc, ev->prev_at_loc == NO_POS) + ev->tid;

	mo->listed[pos] = 0;
	if (online_looks_at_floors(on))
		mod_learned(mo, pos);
	if (says_no_more(on, ev, *list)) {
		mo->of[*list].newest = ev->index;
		return;
	}
	mod_list_add(mo, list, pos);
	mo->of[pos].write = ev->rf;
	if (on->way == WAY_RC11)
		sc_order_enter(&on->sc, pos, place);
}

/* A write that is not the first event of its thread, which so learns nothing by it. */
static inline void enter_write(struct online *on, const struct event *ev, uint32_t pos,
			       struct sc_place place)
{
	struct modification *mo = &on->mo;

	mod_list_add(mo, mod_row(mo, ev->loc, ev->prev_at_loc == NO_POS) + ev->tid, pos);
	mo->of[pos].write = pos;
	mo->at[ev->loc].written = true;
	mo->at[ev->loc].left = ev->written;
	if (on->way == WAY_RC11)
		sc_order_enter(&on->sc, pos, place);
}

/* The thread has read that write, and no more. */
static inline void learn_moment(struct online *on, uint32_t tid, uint32_t write)
{
	/* Its own may still be in its buffer, or may have been when it was read. */
	if (write != RF_INIT && (on->way != WAY_BUFFERS || on->mo.g->ev[write].tid != tid))
		moments_since(&on->moments, tid, moment_of(&on->moments, write));
}

/* The write at pos comes in mo behind another. */
static inline void write_reaches_memory(struct online *on, uint32_t pos, uint32_t behind)
{
	const struct event *ev = &on->mo.g->ev[pos];

	mod_place(&on->mo, pos, on->way == WAY_WEAK ? on->mo.g->locs[ev->loc].mo_last : behind);
	if (on->way == WAY_WEAK)
		mod_far_note(&on->mo, pos);
	moments_write(&on->moments, pos);
	moments_since(&on->moments, ev->tid, on->moments.now);
}

#endif
