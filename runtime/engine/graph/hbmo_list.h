/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hbmo_list.h - of each thread, its events at a location, newest first
 *
 * The part of hbmo.h's order that needs no modification order. Events that wait are in no list.
 * hbmo_list_add() is for hbmo.c alone; whoever asks calls hbmo_sync() or hbmo_ask() before.
 */
#ifndef HEDDLE_ENGINE_HBMO_LIST_H
#define HEDDLE_ENGINE_HBMO_LIST_H

#include "engine/graph/graph.h"

/* The last event of each thread at the location that has entered, or NO_POS. */
static inline uint32_t *last_of(const struct graph *g, uint32_t loc)
{
	return g->hbmo.last + (size_t)loc * g->stride;
}

static inline struct placed *placed_at(const struct graph *g, uint32_t pos)
{
	return &g->hbmo.at[pos];
}

/* An event enters: it is the newest of its list. O(1) */
void hbmo_list_add(struct graph *g, uint32_t pos);

/* The last event in a list, from pos on back, whose index is below n; or NO_POS. O(log q) */
static inline uint32_t hbmo_last_below(const struct graph *g, uint32_t pos, uint32_t n)
{
	while (pos != NO_POS && placed_at(g, pos)->index >= n) {
		const struct placed *p = placed_at(g, pos);

		pos = p->jump != NO_POS && placed_at(g, p->jump)->index >= n ? p->jump : p->prev;
	}
	return pos;
}

/* The last event of the thread at the location before its index n, or NO_POS. O(log q) */
static inline uint32_t hbmo_last_before(const struct graph *g, uint32_t loc, uint32_t tid,
					uint32_t n)
{
	return hbmo_last_below(g, last_of(g, loc)[tid], n);
}

/* The one before it in its list, or NO_POS. */
static inline uint32_t hbmo_before(const struct graph *g, uint32_t pos)
{
	return placed_at(g, pos)->prev;
}

/* The last write up to an event (or NO_POS) of a list, or NO_POS. */
static inline uint32_t hbmo_write_up_to(const struct graph *g, uint32_t pos)
{
	return pos == NO_POS ? NO_POS : placed_at(g, pos)->write;
}

/* The latest write of a thread to the location, and the one before a write; or NO_POS. */
static inline uint32_t hbmo_latest(const struct graph *g, uint32_t loc, uint32_t tid)
{
	return hbmo_write_up_to(g, last_of(g, loc)[tid]);
}

static inline uint32_t hbmo_earlier(const struct graph *g, uint32_t write)
{
	return hbmo_write_up_to(g, hbmo_before(g, write));
}

#endif
