/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancels.h - threads whose read-modify-writes cancel out: for those who perform their operations
 *
 * Internal to runtime/preload: perform.c.
 */
#ifndef HEDDLE_PRELOAD_CANCELS_H
#define HEDDLE_PRELOAD_CANCELS_H

#include <stdbool.h>

#include "preload/core/context.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* Is it looked for such threads? Are there locations where they stop? */
extern bool cancels_followed, cancels_known;

/* Is the operation, by the calling fiber, of concern? */
static inline bool cancels_ask(const struct op *op)
{
	return cancels_followed && (op->kind == OP_RMW || current->cancels || cancels_known);
}

/* Then: the fiber is at it, whether it is in the graph or not; and behind it, if current->cancels or cancels_known. */
void cancels_arrives(const struct op *op);
void cancels_after(const struct op *op, const struct op_result *res);
/* Before it performs op, which is not in the graph: op, or an OP_STUCK. And behind such an operation. */
const struct op *cancels_before(const struct op *op);
void cancels_new_event(void);

#pragma GCC visibility pop

#endif
