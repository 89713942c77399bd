/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stops.h - in which of their yields threads were stopped
 */
#ifndef HEDDLE_ENGINE_STOPS_H
#define HEDDLE_ENGINE_STOPS_H

#include "engine/run/state.h"

/* Of a replay: what is recorded. */
void stops_init(struct engine *e);
/* The thread goes on behind a yield. */
void stops_end(struct engine *e, uint32_t tid, const struct op *op);
/* engine_step() for OP_YIELD while what happens is recorded. */
enum step_status stops_repeat(struct engine *e, uint32_t tid, const struct op *op,
			      struct op_result *r);
/* As a step: where that thread goes on; and one that does not, in the yield that it waits in. */
void stops_describe(const struct stop *s, uint32_t index, struct engine_step_record *r);
bool stops_still(const struct engine *e, uint32_t tid, uint32_t index,
		 struct engine_step_record *r);

#endif
