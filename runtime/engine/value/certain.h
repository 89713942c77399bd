/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certain.h - what holds in all executions of a node: is a write hidden from a read whatever the others observe?
 */
#ifndef HEDDLE_ENGINE_VALUE_CERTAIN_H
#define HEDDLE_ENGINE_VALUE_CERTAIN_H

#include "engine/graph/append.h"
#include "engine/value/value.h"

/* Is who acquires it behind it? Release sequences and fences are left out. */
static inline bool order_hands_on(const struct graph *g, const struct event *write)
{
	return g->sync == SYNC_PORF || order_releases(write->order);
}

/* Is the read behind what it observes, if that hands on? */
static inline bool order_takes_over(const struct graph *g, const struct event *read)
{
	return g->sync == SYNC_PORF ||
	       (order_acquires(read->order) && (g->sync != SYNC_PO || event_is_library(read)));
}

/* The first n events of the graph are what they were, and what they may observe; others may not be. */
static inline void certain_keep(struct value_search *v, uint32_t n)
{
	v->ncertain = v->ncertain < n ? v->ncertain : n;
}

/* The read at pos, the last event, observes nothing yet: are all good writes of node `which` hidden from it in each execution of the node? */
bool certain_hides(struct engine *e, uint32_t pos, uint32_t which);

#endif
