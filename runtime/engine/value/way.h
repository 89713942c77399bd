/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * way.h - operations in an order of sequential consistency: which are followed so, what they do, and as events of the graph (states.h)
 */
#ifndef HEDDLE_ENGINE_VALUE_WAY_H
#define HEDDLE_ENGINE_VALUE_WAY_H

#include "engine/value/states.h"

/* May a program have no other executions under the model than such of sequential consistency? */
bool way_model(const struct engine *e);
/* Has it none, if all its accesses are as this one? */
bool way_follows(const struct engine *e, const struct op *op);
/* What the operation does that finds `held`; *written: what is there behind it, if it writes. */
enum guard way_guard(uint32_t tid, const struct op *op, struct value held, struct value *written);

/* The graph becomes that of all moves on the way. False: there is no room. */
bool way_build(struct engine *e);
/* The thread's next operation, a read, observes the latest write of its location. False: that does not let it pass, and it is not in the graph. */
bool way_reads_latest(struct engine *e, uint32_t tid, const struct op *op);

/* All threads wait in the program, which goes by what is not on the way: one of the reads that are next is in the graph now. False: none can, or it cannot be
 * followed so (value_states.failed). */
bool way_goes_on(struct engine *e);

#endif
