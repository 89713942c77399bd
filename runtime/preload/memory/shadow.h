/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.h - what the runtime remembers about each eight bytes of the program
 *
 * Every granule of eight bytes has a cell: the plain accesses of the execution (race.h),
 * and which atomic locations lie in it. Cells are found by a table of chunks that are
 * mapped when first needed; a cell belongs to the execution whose stamp it carries and
 * counts as empty otherwise, so that starting an execution costs nothing.
 *
 * The hooks of plain accesses decide the common case inline:
 *
 *	struct shadow_cell *cell = shadow_cell(addr);
 *
 *	if (!shadow_quiet(cell) || !race_known_write(&cell->race, tid, clock, mask))
 *		shadow_plain(addr, size, true, pc);
 */
#ifndef HEDDLE_PRELOAD_SHADOW_H
#define HEDDLE_PRELOAD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/memory/race.h"
#include "wire/op.h"

/* Where the runtime keeps this: one mapping among the runtime's own (fiber.h). */
#define SHADOW_ADDR 0x180000000000ul
#define SHADOW_SIZE (1ul << 39)

/*
 * What a byte of the granule is, in four bits each (byte 0 lowest): the first byte of an
 * atomic location of 1, 2, 4, 8 or 16 bytes, a later byte of one, the first byte of a
 * library object (a mutex, ...), freed memory, or between two blocks of the heap.
 */
enum shadow_byte {
	BYTE_PLAIN = 0,
	BYTE_ATOMIC_1 = 1,
	BYTE_ATOMIC_16 = 5,
	BYTE_OBJECT = 6,
	BYTE_FREED = 7,
	BYTE_WRITTEN = 8, /* added to BYTE_ATOMIC_*: has a write event in this execution */
	BYTE_OUTSIDE = 8, /* by itself: in the heap, but in no block of it */
	BYTE_LOCKED = 14, /* BYTE_OBJECT that is a locked mutex */
	BYTE_INSIDE = 15,
};

struct shadow_cell {
	uint32_t stamp; /* of the execution that the rest is about */
	uint32_t bytes; /* enum shadow_byte of the eight */
	struct race_cell race;
};

#pragma GCC visibility push(hidden)

extern uint32_t shadow_stamp;

enum {
	SHADOW_CHUNK_BITS = 19
}; /* of program memory one chunk of cells stands for */
#define SHADOW_TOP ((struct shadow_cell **)SHADOW_ADDR)

/* Maps the chunk of an address. */
struct shadow_cell *shadow_grow(uint64_t addr);

/* Empties a cell that was left by an earlier execution. */
void shadow_fresh(struct shadow_cell *cell, uint64_t addr);

/* The cell of an address; what it says counts only when its stamp is shadow_stamp. */
static inline struct shadow_cell *shadow_cell(uint64_t addr)
{
	struct shadow_cell *chunk = SHADOW_TOP[(addr & 0x7fffffffffff) >> SHADOW_CHUNK_BITS];

	if (__builtin_expect(!chunk, 0))
		chunk = shadow_grow(addr);
	return &chunk[(addr & ((1ul << SHADOW_CHUNK_BITS) - 1)) >> 3];
}

/* The cell, emptied if it was left by an earlier execution. */
static inline struct shadow_cell *shadow_cell_now(uint64_t addr)
{
	struct shadow_cell *cell = shadow_cell(addr);

	if (cell->stamp != shadow_stamp)
		shadow_fresh(cell, addr);
	return cell;
}

/* True when the cell is of this execution and knows plain accesses only. */
static inline bool shadow_quiet(const struct shadow_cell *cell)
{
	return cell->stamp == shadow_stamp && !cell->bytes;
}

static inline enum shadow_byte shadow_byte(const struct shadow_cell *cell, uint64_t addr)
{
	return cell->bytes >> (addr & 7) * 4 & 15;
}

/* Once, before the root point. */
/* Forgets everything of the execution before: O(1). */

/*
 * A plain access of the calling fiber is about to happen. Reports a race with an earlier
 * access, and a use of freed memory; turns the access into an event where the location has
 * atomic events (promote.c). Any size.
 */
void shadow_plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc);

/* A block is freed: like a write of it all, and every later access is reported. */
void shadow_free(uint64_t addr, uint64_t size, uint64_t pc);

/*
 * The two halves of an atomic access. shadow_atomic_begin() makes the location known (and
 * refuses sizes that do not fit what is known); shadow_atomic_check(), after the operation,
 * reports a race of it with a plain access. addr and size are the operation's: the hooks know them, and
 * need not look them up in what they have handed out.
 */
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

/* Would a read by the calling fiber, of the operation's location, race with plain accesses so far? */
bool shadow_look_races(const struct op *op);

/* The atomic location that the byte at addr belongs to, in this execution. */
struct shadow_location {
	uint64_t addr;
	unsigned size; /* 0: none */
	bool written;
};
struct shadow_location shadow_location_of(uint64_t addr);

/* A library object: is one known at addr in this execution, and is it a locked mutex? */
enum shadow_byte shadow_object(uint64_t addr);
void shadow_object_set(uint64_t addr, enum shadow_byte what);

#pragma GCC visibility pop

#endif
