/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * finished.h - sets of events that the search is through with (value.txt, V13)
 *
 * Where the search goes by sets of events, a node is one for all executions with its events, but for what settled reads observe. It has a
 * name then, and what the search has done below it stands in a table: whoever comes to the same node again is told which writes come up below it.
 */
#ifndef HEDDLE_ENGINE_VALUE_FINISHED_H
#define HEDDLE_ENGINE_VALUE_FINISHED_H

#include "engine/value/value.h"

struct value_finished {
	struct engine_id name;
	struct value_writes below; /* which come up below it */
};

/* Nothing is finished. */
void finished_empty(struct value_search *v);

/* A thread writes, or is about to exchange, what is at that address: in the node that is the latest. */
void finished_note_write(struct value_search *v, uint32_t tid, uint64_t addr);

/* The node is the latest one, whose graph is there: it gets its name. */
void finished_name(struct engine *e);
/* How many nodes of those that were named had a name of their own. */
uint32_t finished_names(const struct value_search *v);
/* Notes that name, whatever it is of. */
void finished_met(struct engine *e);

/* The node that is the latest is over. */
void finished_add(struct engine *e);
/* The graph is an execution that is over, below the latest node. */
void finished_over(struct engine *e);

/* The child of the latest node in which the thread's operation, a read, returns that; `settled`: it observes the write of that name. */
struct value_child {
	uint32_t tid;
	struct value came;
	bool settled;
	uint64_t write;
	struct engine_id name;
	struct value_writes on_the_way; /* by what follows at once */
};

/*
 * The only read that is next returns that value: is the execution over then, and was its vector visited? What is written on the way is kept, for
 * finished_signal().
 */
bool finished_visited(struct engine *e, struct value_child *child);
/* Names it. False: that cannot be done. */
bool finished_child(struct engine *e, struct value_child *child);
/* Is the search through with it? */
bool finished_has(struct engine *e, const struct value_child *child);
/* Then what comes up below it signals. */
void finished_signal(struct engine *e);

#endif
