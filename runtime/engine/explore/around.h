/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * around.h - the exploration begins with the recorded operations of another execution
 */
#ifndef HEDDLE_ENGINE_EXPLORE_AROUND_H
#define HEDDLE_ENGINE_EXPLORE_AROUND_H

#include "engine/run/state.h"

/* Room for what is kept of config.replay, and filling it, behind the other tables. */
size_t around_bytes(const struct engine_config *c);
void around_init(struct engine *e, struct arena *a);

/* A run begins: how many of the operations does the graph have? */
void around_begin(struct engine *e);

/* Whose turn it is, and making the operation happen, while around_follows(): as in struct strategy. */
int around_pick(struct engine *e);
enum step_status around_add(struct engine *e, uint32_t tid, const struct op *op);

#endif
