/* SPDX-License-Identifier: BSD-2-Clause */
/* inspect.h - an event of the graph as a step, as others get to see it */
#ifndef HEDDLE_ENGINE_INSPECT_H
#define HEDDLE_ENGINE_INSPECT_H

#include "engine/run/state.h"

void inspect_event(const struct engine *e, uint32_t pos, struct engine_step_record *r);

#endif
