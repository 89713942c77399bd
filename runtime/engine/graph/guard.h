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

/* Applies op to the value read; *written is set for GUARD_WRITES. Not of operations on condition
 * variables and futexes (waiting.h, futex.h). */
enum guard guard_apply(const struct guard_op *op, struct value read, struct value *written);

/* True for operations that read and may write a location in one step. */
bool guard_is_rmw(unsigned kind);

/* True for operations that some value may block. */
bool guard_may_block(unsigned kind);

#endif
