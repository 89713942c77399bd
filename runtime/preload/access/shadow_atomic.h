/* SPDX-License-Identifier: BSD-2-Clause */
/* shadow_atomic.h - atomic accesses of the program, and shadow memory */
#ifndef HEDDLE_PRELOAD_SHADOW_ATOMIC_H
#define HEDDLE_PRELOAD_SHADOW_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/race/shadow.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/*
 * The two halves of an atomic access. shadow_atomic_begin() makes the location known;
 * shadow_atomic_check(), after the operation, reports a race of it with a plain access. addr and size are the
 * operation's: the hooks know them, and need not look them up in what they have handed out.
 *
 * Where accesses of several sizes meet, it says SHADOW_PARTS of one that is larger than the locations there: parts_op()
 * (parts.h) is all of it then. When sizes first meet it leaves the execution.
 */
#define SHADOW_PARTS ((struct shadow_cell *)1)

struct shadow_cell *shadow_atomic_new(const struct op *op);
void shadow_atomic_check(const struct op *op, bool wrote);

static inline struct shadow_cell *shadow_atomic_begin(const struct op *op, uint64_t addr,
						      unsigned size)
{
	struct shadow_cell *cell = shadow_cell(addr);
	unsigned code = (unsigned)__builtin_ctz(size) + BYTE_ATOMIC_1;

	if (__builtin_expect(cell->stamp != shadow_stamp ||
				     (shadow_byte(cell, addr) & ~BYTE_WRITTEN) != code,
			     0))
		return shadow_atomic_new(op);
	return cell;
}

static inline void shadow_atomic_end(struct shadow_cell *cell, const struct op *op, uint64_t addr,
				     unsigned size, bool wrote)
{
	if (wrote)
		cell->bytes |= (uint32_t)BYTE_WRITTEN << (addr & 7) * 4;
	if (__builtin_expect(cell->race.write.mask | cell->race.read.mask | cell->race.write.split,
			     0))
		shadow_atomic_check(op, wrote);
	else if (size == 16)
		shadow_atomic_check(op, wrote);
}

#pragma GCC visibility pop

#endif
