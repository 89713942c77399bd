/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate.h - how large is an exploration? Asked by random descents of its own tree (estimate.txt)
 *
 *	estimate_is_due(e)	between two items of work: is it time for a descent?
 *	estimate_begin(e)	the next run is its first
 *	estimate_goes_on(e, &outcome)	a run of it is over; false: so is the descent
 */
#ifndef HEDDLE_ENGINE_EXPLORE_ESTIMATE_H
#define HEDDLE_ENGINE_EXPLORE_ESTIMATE_H

#include "base/arena.h"
#include "engine/run/state.h"

size_t estimate_bytes(void);
/* With config.estimate; else nothing is ever due. */
void estimate_init(struct engine *e, struct arena *a);
/* Nothing is known: the tree is another one. */
void estimate_forget(struct engine *e);

bool estimate_is_due(const struct engine *e);
void estimate_begin(struct engine *e);
bool estimate_goes_on(struct engine *e, const struct engine_outcome *o);

/* Is the run one of a descent? */
static inline bool estimate_is_on(const struct engine *e)
{
	return e->estimating;
}

/* What the exploration has counted, whatever the descent that is on the way has. */
const struct engine_stats *estimate_stats(const struct engine *e);
const struct engine_estimate *estimate_so_far(const struct engine *e);

#endif
