/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nodes.h - the nodes on the way to where the exploration by values is (nodes.c)
 */
#ifndef HEDDLE_ENGINE_VALUE_NODES_H
#define HEDDLE_ENGINE_VALUE_NODES_H

#include "engine/value/value.h"

static inline struct value_node *value_latest(const struct value_search *v)
{
	return &v->node[v->nnodes - 1];
}

/* The thread writes that location: reads in turn above, of other threads, have something new to observe. */
void value_signal(struct engine *e, uint32_t tid, uint64_t addr);
/* It is remembered for good who writes what. */
void value_note_writer(struct engine *e, const struct event *write);

/* What the causal map says of the thread's next read, or NULL. */
static inline const struct value_causal *value_causal_of(const struct engine *e, uint32_t tid)
{
	const struct value_search *v = e->value;
	const struct value_causal *c = v->last[tid] ? &v->causal[v->last[tid] - 1] : NULL;

	return c && c->index == e->graph.count[tid] ? c : NULL;
}

/* Is it an operation on a set of threads that wait? */
bool value_is_queue(uint8_t kind);

/* It chooses, whatever was written: a node of its own. */
static inline bool value_chooses(const struct op *op)
{
	return op->kind == OP_CHOOSE;
}

/* Is there room for another node, whose reads have so many good writes? */
bool value_has_room(const struct engine *e, uint32_t good);
/* All threads have come to a read or a choice, or wait for others (value_search.next): a node. False: no read is left. */
bool value_new_node(struct engine *e);
void value_drop_node(struct value_search *v);

/* Where the search goes by sets of events: the good writes of all reads above the latest node are what they are for the graph. False: no room. */
bool value_widen(struct engine *e);

/*
 * The next value that some execution has, of the latest node, whose graph is the current one. VALUE_DIRECT: *rf is one that the read may observe
 * in the graph as it is, or what is chosen. VALUE_NEVER: none is left.
 * VALUE_LEFT: what is left of it is another engine's, and so is all above.
 */
enum value_answer value_next_child(struct engine *e, uint32_t *rf);

/* sources.c: the good writes of the read in turn become those of its next value. False: there is no other one. */
bool value_next(struct engine *e, struct value_node *node);

#endif
