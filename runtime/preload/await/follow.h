/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - threads are followed, and may wait (await.c, await_ask.c): for those who perform their operations
 *
 * To follow a thread is to keep what a probe of it needs: its window, that is, the silent operations
 * since the last one that was not; its state at some of them; what it wrote in between.
 */
#ifndef HEDDLE_PRELOAD_FOLLOW_H
#define HEDDLE_PRELOAD_FOLLOW_H

#include "wire/op.h"
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/*
 * At random, and threads are not followed now: each performs what it comes to, and nothing of what follows here has to be asked
 * before. (Nor have polls.h, cancels.h and unroll.h anything to say at random.)
 */
extern bool await_lets_run;

/*
 * Before operation op of the calling fiber: an OP_YIELD to perform first, or NULL.
 *
 * A thread that has looked at things for long without a write may do so for ever, in a loop that the rule
 * does not stop. Whoever can bring it to an end should not have to wait for that. Which thread goes on
 * does not change what executions there are (engine/aside.c).
 */
const struct op *await_patience(const struct op *op);
/* Then: the operation to perform, op or an OP_STUCK; or an OP_YIELD, at random, and op behind it. */
const struct op *await_before(const struct op *op);
/* Before await_ask(): the operation, marked as an await if it is one. */
const struct op *await_look(const struct op *op);
/* Tells the engine what the thread does with the values that op, an await, may read. */
void await_ask(const struct op *op);
/* A write is about to happen, or just did, perhaps to another thread's stack. */
void await_foreign_write(uint64_t addr, uint64_t size, bool is_atomic);
/* Code of the program runs: what memory held behind the last probe is no longer known (probe.c). */
void memory_moves(void);
/* note_plain_write() and note_shown() (perform.h), where the calling thread has a window. */
void await_plain_write(uint64_t addr, uint64_t size);
void await_shows(uint64_t addr, uint64_t size);
/* The calling thread does something that nobody sees: what it did before is no round of a loop that does nothing. */
void await_hidden_state(void);
/* After an operation, which was so many of the engine. */
void await_after(const struct op *op, const struct op_result *res, uint32_t parts);
/* At its next operation, where not all code is instrumented: what has it written since? */
void await_arrives(void);
/*
 * To be asked before engine_end(). Might a thread that was stopped go on, for all that is known,
 * since memory that nobody announces is not what it saw?
 */
bool await_doubts(void);

#pragma GCC visibility pop

#endif
