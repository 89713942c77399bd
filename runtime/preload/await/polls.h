/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * polls.h - threads that poll under a lock: for those who perform their operations
 *
 * Internal to runtime/preload: perform.c.
 */
#ifndef HEDDLE_PRELOAD_POLLS_H
#define HEDDLE_PRELOAD_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/context.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/*
 * Called at the root point: a hook that takes or frees the lock that its only argument names, as entry.fn. Not what else
 * does so, for itself: that may change what nobody compares.
 */
void polls_call(uint64_t fn);
/* Is it the call of such a hook, which does this? */
bool polls_is_call(const struct entry *call, const struct op *op);

/* Is it looked for such threads? */
extern bool polls_followed;

/* Is the operation, by the calling fiber, of concern? */
static inline bool polls_ask(const struct op *op)
{
	return polls_followed && (op_takes_lock(op->kind) || current->polls);
}

/* Then: the fiber is at it, whether it is in the graph or not; and behind it. */
void polls_arrives(const struct op *op);
void polls_after(const struct op *op, const struct op_result *res, uint32_t parts);
/* Before it performs op, which is not in the graph: op, or an OP_STUCK. And behind such an operation. */
const struct op *polls_before(const struct op *op);
void polls_new_event(void);
/* A plain write is about to happen, by the calling fiber, which has self.logs. */
void polls_plain_write(uint64_t addr, uint64_t size);

struct fiber;
/* The calling thread accesses memory on the stack of another one. */
void polls_stack_seen(const struct fiber *f);

/*
 * The calling thread does something to a lock, or finds something there, that depends on whether it is taken: a count that is
 * looked at, memory that is initialised anew. Rounds that take it stay.
 */
void polls_minds(uint64_t addr);

#pragma GCC visibility pop

#endif
