/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.h - accesses to memory that are done in one go
 */
#ifndef HEDDLE_ENGINE_ONLINE_ACCESS_H
#define HEDDLE_ENGINE_ONLINE_ACCESS_H

#include "engine/online/online.h"

/* May the thread's operation be one? */
static inline bool online_is_access(const struct engine *e, uint32_t tid, const struct op *op)
{
	return e->online && e->online->at_once && op->kind <= OP_CAS && op->size && !op->peer &&
	       !(op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX) && e->graph.count[tid];
}

/* It happens: as strategy_online.add, and all that engine.c does about it. */
void online_access(struct engine *e, uint32_t tid, const struct op *op, struct op_result *r);

#endif
