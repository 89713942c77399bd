/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.h - what an execution that came to its end is
 */
#ifndef HEDDLE_ENGINE_VERDICT_H
#define HEDDLE_ENGINE_VERDICT_H

#include "engine/run/state.h"

void verdict_judge(struct engine *e, struct engine_outcome *outcome);

#endif
