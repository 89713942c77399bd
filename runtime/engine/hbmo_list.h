/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hbmo_list.h - of each thread, its events at a location, newest first
 *
 * The part of hbmo.h's order that needs no modification order. For hbmo.c alone; others find
 * what they may ask in hbmo.h.
 */
#ifndef HEDDLE_ENGINE_HBMO_LIST_H
#define HEDDLE_ENGINE_HBMO_LIST_H

#include "engine/graph.h"

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
uint32_t hbmo_last_below(const struct graph *g, uint32_t pos, uint32_t n);

#endif
