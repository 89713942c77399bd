/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancel.h - cancellation points in other families of hooks
 *
 * A call that is one, and does not block, begins with
 *
 *	cancellation_point(pc);
 *
 * after its test of `shared`; one that blocks in an operation that can be called off (op.h) says
 * in the operation where requests come in:
 *
 *	op.arg.hi = cancel_location();
 */
#ifndef HEDDLE_PRELOAD_CANCEL_H
#define HEDDLE_PRELOAD_CANCEL_H

#include "preload/hooks/hook.h"

#pragma GCC visibility push(hidden)

/* Ends the calling thread if somebody asked for that. An operation, in programs that can ask. */
void cancellation_point(uint64_t pc);

/* The same where the thread may end anywhere only: the call is no cancellation point. */
void cancel_look(uint64_t pc);

/* The two halves of it: the first performs the operation, the second ends the thread. */
bool cancel_requested(uint64_t pc);
heddle_noreturn void cancel_act(void);

/* The semaphore that requests to the calling thread post; 0 when none can reach it. */
uint64_t cancel_location(void);

/* The calling thread ends by itself. */
void cancel_end(void);

/* As object_op(), of a call that may be cancelled while it blocks. */
static inline struct op_result cancellable_op(enum op_kind kind, const volatile void *object,
					      uint64_t pc)
{
	struct op op = {
		.kind = kind,
		.fn = kind == OP_COND_WOKEN ? WOKEN_BEHIND : 0,
		.addr = (uint64_t)(uintptr_t)object,
		.arg = { .hi = cancel_location() },
		.pc = pc,
	};
	struct op_result res;

	operate(&op, &res);
	return res;
}

#pragma GCC visibility pop

#endif
