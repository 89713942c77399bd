/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repeat.h - the common case of engine_step(): the operation is in the graph already
 *
 * Most operations of an exploration repeat what the graph has. Whoever runs the program asks
 * here first:
 *
 *	if (!engine_repeat(e, tid, &op, &res, &clock))
 *		ask engine_step();
 *
 * Not thread-safe, as all of the engine.
 */
#ifndef HEDDLE_ENGINE_REPEAT_H
#define HEDDLE_ENGINE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/op.h"

struct engine;

/*
 * Does what engine_step() would where that is to answer STEP_DONE at once: the operation is
 * the thread's next in the graph, and what it reads from has happened. Returns engine_done() then, with *clock what engine_clock() would say;
 * otherwise nothing is changed, and 0 is returned. O(1).
 */
uint32_t engine_repeat(struct engine *e, uint32_t tid, const struct op *op, struct op_result *res,
		       const uint32_t **clock);

/*
 * The same where the answer is to be STEP_WAIT, since what the operation reads from has not
 * happened yet: the thread waits. Returns what engine_next() would say; otherwise nothing is
 * changed, and ENGINE_OVER is returned.
 */
int engine_repeat_later(struct engine *e, uint32_t tid, const struct op *op);

/* How many events of the thread have happened in this execution. */
uint32_t engine_done(const struct engine *e, uint32_t tid);

/* Is the next operation of the thread in the graph? */
bool engine_known(const struct engine *e, uint32_t tid);

/* Is it one of those that the exploration begins with (config.replay)? */
bool engine_fixes(const struct engine *e, uint32_t tid);

/*
 * How many of the thread's events in the graph come up to and with the last one that is not
 * silent: not a load, a fence, a read-modify-write that failed, or one that stored what it
 * read. What the exploration begins with is not silent: it is never left out.
 */
uint32_t engine_settled(const struct engine *e, uint32_t tid);

#endif
