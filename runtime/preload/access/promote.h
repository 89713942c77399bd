/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * promote.h - plain accesses of locations that are also accessed atomically
 *
 * A plain read of a location that has a write event becomes an event itself, and so does a
 * plain write of a location that has any event; promote.c says why that is enough. Such a
 * write is known only after the program has done it, so it is kept until the thread's next
 * hook, which begins with settle().
 */
#ifndef HEDDLE_PRELOAD_PROMOTE_H
#define HEDDLE_PRELOAD_PROMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/memory/access.h"
#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/* The running fiber's plain write that the engine does not know yet; size 0: none. */
extern struct access pending_store;

/* The running fiber writes this when the hook has returned. */
void pending_keep(const struct access *store);

/*
 * What a read is to find goes into memory, for the instruction that follows. That is no write of the thread: the engine is told, which would
 * take it for a store that nobody announced, and the await, which undoes it behind a probe.
 */
void show_value(uint64_t addr, unsigned size, struct value read);

/* Performs the pending store. */
void pending_flush(void);

/* To be called first in every hook that performs an operation or looks at memory. */
static inline void settle(void)
{
	if (unlikely(pending_store.size))
		pending_flush();
}

/* perform() in a hook: settles first. */
static inline void operate(const struct op *op, struct op_result *res)
{
	settle();
	perform(op, res);
}

/* The access touches atomic locations: check it against their events, and make it one. */
void promote(const struct access *access);

/*
 * Before an atomic operation that reads what may_be_on_stack(), behind settle(): has its thread stored something there, which
 * the compiler has not announced? Then that becomes an event.
 */
void promote_unannounced(const struct op *op);

#pragma GCC visibility pop

#endif
