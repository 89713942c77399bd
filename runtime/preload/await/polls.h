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
 * The hooks that lock and free a mutex, as entry.fn. Not what else does so, for itself: that may change what nobody
 * compares.
 */
void polls_calls(uint64_t lock, uint64_t unlock);

/* Is it looked for such threads? */
extern bool polls_followed;

/* Is the operation, by the calling fiber, of concern? */
static inline bool polls_ask(const struct op *op)
{
	return polls_followed && (op->kind == OP_LOCK || current->polls);
}

/* Then: the fiber is at it, whether it is in the graph or not; and behind it. */
void polls_arrives(const struct op *op);
void polls_after(const struct op *op, const struct op_result *res);
/* Before it performs op, which is not in the graph: op, or an OP_STUCK. And behind such an operation. */
const struct op *polls_before(const struct op *op);
void polls_new_event(void);

#pragma GCC visibility pop

#endif
