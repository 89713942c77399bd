/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certain.h - is a write hidden from a read whatever the others observe?
 */
#ifndef HEDDLE_ENGINE_VALUE_CERTAIN_H
#define HEDDLE_ENGINE_VALUE_CERTAIN_H

#include "engine/value/value.h"

/* The read at pos, the last event, observes nothing yet: are all good writes of node `which` hidden from it in each execution of the node? */
bool certain_hides(struct engine *e, uint32_t pos, uint32_t which);

#endif
