/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ending.h - an execution is over: what it was, and that it counts (engine_end() does both)
 */
#ifndef HEDDLE_ENGINE_ENDING_H
#define HEDDLE_ENGINE_ENDING_H

#include "engine/run/state.h"

void ending_judge(struct engine *e, struct engine_outcome *o);
void ending_settle(struct engine *e, const struct engine_outcome *o);

#endif
