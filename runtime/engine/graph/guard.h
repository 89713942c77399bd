/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.h - what a read-modify-write makes of the value it reads
 *
 * Ordinary ones (fetch-and-add, compare-and-swap) and the operations on library objects
 * (lock, semaphore wait, ...) are the same thing to the exploration: from the value read
 * follows whether they write, only read, or must wait because the value does not let them
 * pass (the mutex library of GenMC, PLDI 2019, Section 2.7, is the case 0 -> 1).
 */
#ifndef HEDDLE_ENGINE_GUARD_H
#define HEDDLE_ENGINE_GUARD_H

#include <stdbool.h>

#include "base/must.h"
#include "wire/op.h"

enum guard {
	GUARD_READS,
	GUARD_WRITES,
	GUARD_BLOCKS
};

struct guard_op {
	uint8_t kind, fn, size;
	uint16_t tid;
	uint32_t choice; /* OP_COND_SIGNAL */
	struct value arg, expected;
};

static inline unsigned __int128 guard_combined(unsigned fn, unsigned __int128 a,
					       unsigned __int128 b)
{
	switch (fn) {
	case RMW_ADD:
		return a + b;
	case RMW_SUB:
		return a - b;
	case RMW_AND:
		return a & b;
	case RMW_OR:
		return a | b;
	case RMW_XOR:
		return a ^ b;
	case RMW_NAND:
		return ~(a & b);
	case RMW_NEG:
		return -a;
	default:
		must(fn == RMW_XCHG);
		return b;
	}
}

/* What OP_RMW makes of the value read. */
static inline struct value guard_written(unsigned fn, unsigned size, struct value read,
					 struct value arg)
{
	const unsigned __int128 v = guard_combined(fn, (unsigned __int128)read.hi << 64 | read.lo,
						   (unsigned __int128)arg.hi << 64 | arg.lo);

	if (size == 16)
		return (struct value){ .lo = (uint64_t)v, .hi = (uint64_t)(v >> 64) };
	return value_of(size < 8 && size ? (uint64_t)v & (((uint64_t)1 << 8 * size) - 1)
					 : (uint64_t)v);
}

/* Applies op to the value read; *written is set for GUARD_WRITES. Not of operations on condition
 * variables and futexes (waiting.h, futex.h). */
enum guard guard_apply(const struct guard_op *op, struct value read, struct value *written);

/* True for operations that read and may write a location in one step. (A switch like this one is a look at one bit.) */
static inline bool guard_is_rmw(unsigned kind)
{
	switch (kind) {
	case OP_RMW:
	case OP_CAS:
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_ONCE_ENTER:
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_COND_BEGIN:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_COND_LEAVE:
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
	case OP_BARRIER_ARRIVE:
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_CLOSE:
	case OP_COUNT_OPEN:
	case OP_COUNT_LOOK:
	case OP_COUNT_AWAIT:
	case OP_READY_TAKE:
	case OP_READY_TRYTAKE:
	case OP_READY_LOCK:
	case OP_READY_MARK:
	case OP_READY_RELEASE:
	case OP_FUTEX_LOOK:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
		return true;
	default:
		return false;
	}
}

/* True for operations that some value may block. */
static inline bool guard_may_block(unsigned kind)
{
	switch (kind) {
	case OP_LOCK:
	case OP_ONCE_ENTER:
	case OP_SEM_WAIT:
	case OP_RDLOCK:
	case OP_WRLOCK:
	case OP_COUNT_TAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_AWAIT:
	case OP_READY_TAKE:
	case OP_READY_TRYTAKE:
	case OP_READY_LOCK:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_REQUEUE:
		return true;
	default:
		return false;
	}
}

#endif
