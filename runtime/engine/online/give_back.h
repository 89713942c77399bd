/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * give_back.h - the memory of a long random execution
 *
 * From time to time the writes that no thread can read any more leave mo (floors.h), and what nobody can ask
 * about any more leaves the lists and the order of sc events (marks.h). The events that are in none of them are given back. The
 * rest is what a thread can still do, so memory goes with that and not with the length of the execution.
 *
 * Nothing else may come of it: an execution of which everything is kept (config.everything) draws the same.
 */
#ifndef HEDDLE_ENGINE_ONLINE_GIVE_BACK_H
#define HEDDLE_ENGINE_ONLINE_GIVE_BACK_H

#include "engine/online/online.h"

size_t giving_bytes(uint32_t capacity);
void giving_init(struct engine *e, struct arena *a, uint32_t capacity);
/* An execution begins: the graph is empty. */
void giving_begin(struct engine *e);

/* An event without a location happened. */
static inline void giving_notes(struct giving *v, unsigned kind, uint32_t pos)
{
	if (kind == OP_CREATE || kind == OP_END || kind == OP_JOIN)
		v->lives[v->nlives++] = pos;
}

void online_give_back(struct engine *e);

/* Between two operations. The time of what is done is O(1) for each event, as a rule. */
static inline void online_look_after_memory(struct engine *e)
{
	if (e->graph.n >= e->online->giving.at)
		online_give_back(e);
}

#endif
