/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.h - reads that wait for a value: whoever runs the program is asked what values do to them
 */
#ifndef HEDDLE_ENGINE_RUN_AWAIT_H
#define HEDDLE_ENGINE_RUN_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph/await_mask.h"
#include "wire/op.h"

struct engine;

/*
 * Awaits. Before engine_step() with an OP_LOAD, OP_CAS or OP_RMW that has `await`
 * set, whoever runs the program asks which values the thread might read there of which it is
 * not known whether it, given them, would be stopped at its next operation; finds that out; and
 * tells. (To stay is to be stopped by OP_STUCK with a round that is not 0.) What a bit means stays
 * the same for a location as long as engine_await_epoch() does. What is told counts for good,
 * so it must depend on nothing but what the thread has done, and the value. Ask again whenever
 * engine_step() said STEP_WAIT. In all modes but ENGINE_EXPLORE nothing is unknown.
 */
uint64_t engine_await_unknown(struct engine *e, uint32_t tid, const struct op *op);
struct value engine_await_value(const struct engine *e, const struct op *op, unsigned bit);
void engine_await_tell(struct engine *e, uint32_t tid, const struct await_mask *told);
uint32_t engine_await_epoch(const struct engine *e);

#endif
