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

/* How many events of each thread come before the one at pos, or are it, in each execution of the node whose graph that is. pos < value_search.room. */
const uint32_t *certain_clock(struct engine *e, uint32_t pos);

/* What is hidden at a location from a read. */
struct certain_bounds {
	uint32_t of[VALUE_ROW]; /* of each thread all writes in front of that event, */
	bool any;               /* and the initial one */
};

static inline bool certain_is_hidden(const struct certain_bounds *b, uint64_t name)
{
	return name ? (uint32_t)(name - 1) < b->of[(name - 1) >> 32] : b->any;
}

/* From the read that is next in the thread, in each execution of the node whose graph that is. False: it is not known. */
bool certain_bound(struct engine *e, uint32_t tid, uint32_t loc, struct certain_bounds *b);

/* The read at pos, the last event, observes nothing yet: are all good writes of node `which` hidden from it in each execution of the node? */
bool certain_hides(struct engine *e, uint32_t pos, uint32_t which);

#endif
