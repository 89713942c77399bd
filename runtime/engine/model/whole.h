/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole.h - are accesses that are events of several locations done at one moment?
 *
 * Where atomic accesses of several sizes meet, each location is as small as the smallest of them, and a
 * larger access is an event of each (wire/op.h, op_part()). The model in force says nothing of what such
 * events have to do with each other. That is asked here, of a cut of a graph that is consistent by
 * the model: models.txt, "Accesses of several sizes".
 */
#ifndef HEDDLE_ENGINE_WHOLE_H
#define HEDDLE_ENGINE_WHOLE_H

#include "engine/model/model.h"
#include "engine/model/wholeness.h"

/*
 * Of the events in the cut, with modification orders in which for each of `ends` the write that it
 * reads, or is, is the last of its location (model_may_end()). Cost: a search for one set of
 * modification orders, mostly found at once; O(n^2) for n accesses to look at.
 */
enum wholeness whole_judge(const struct model *model, struct graph *g, const uint32_t *cut,
			   const uint32_t *ends, uint32_t nends);

/*
 * Have all accesses to locations where several sizes meet been done one after the other, in the order of the graph, and each
 * read found the last write? Then they are whole. O(n)
 */
bool whole_in_order(struct graph *g);

/*
 * Did the thread, of whose events the first n have happened, find the same in each of three rounds of a loop that only looks?
 * Then what was so before the last one is so behind it. For long executions.
 */
bool whole_repeats(const struct graph *g, uint32_t tid, uint32_t n);

#endif
