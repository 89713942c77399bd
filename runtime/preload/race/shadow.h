/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.h - what the runtime remembers about each eight bytes of the program
 *
 * Every granule of eight bytes has a cell: the plain accesses of the execution (race.h),
 * and which atomic locations lie in it. Cells are found by a table of chunks that are
 * mapped when first needed; a cell belongs to the execution whose stamp it carries and
 * counts as empty otherwise, so that starting an execution costs nothing. Large ranges have one cell
 * for each chunk, until a part of it is touched.
 *
 * What accesses do with the cells: shadow_plain.c and shadow_atomic.c.
 */
#ifndef HEDDLE_PRELOAD_SHADOW_H
#define HEDDLE_PRELOAD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/memory/bytes.h"
#include "preload/race/race.h"
#include "wire/op.h"

/* Where the runtime keeps this: one mapping among the runtime's own (fiber.h). */
#define SHADOW_ADDR 0x180000000000ul
#define SHADOW_SIZE (1ul << 39)

struct shadow_cell {
	uint32_t stamp; /* of the execution that the rest is about */
	uint32_t bytes; /* enum shadow_byte of the eight */
	struct race_cell race;
};

#pragma GCC visibility push(hidden)

extern uint32_t shadow_stamp;

/* Where the cells' records of accesses come from. */
extern struct race_pool shadow_pool;

enum {
	SHADOW_CHUNK_BITS = 19
}; /* of program memory one chunk of cells stands for */
#define SHADOW_TOP ((struct shadow_cell **)SHADOW_ADDR)

#define SHADOW_CHUNK (1ul << SHADOW_CHUNK_BITS)

/* Maps the chunk of an address. */
struct shadow_cell *shadow_grow(uint64_t addr);

/*
 * The one cell that stands for all of a chunk, emptied if it was left by an earlier execution: as long as
 * whatever touched the chunk in this execution touched all of it, and no cell of it was asked for. addr is
 * where the chunk begins. NULL: there is none, the cells have to be asked for.
 */
struct shadow_cell *shadow_whole(uint64_t addr);

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

/* All eight bytes of a cell are that. */
#define SHADOW_EACH(byte) (0x11111111u * (byte))

/* The mask with each bit repeated four times: those bytes' part of shadow_cell.bytes. */
static inline uint32_t shadow_nibbles(uint8_t mask)
{
	uint32_t x = mask;

	x = (x | x << 12) & 0x000f000f;
	x = (x | x << 6) & 0x03030303;
	x = (x | x << 3) & 0x11111111;
	return x * 15;
}

/* Is one of the bytes marked so? */
bool shadow_any(const struct shadow_cell *cell, uint8_t mask, enum shadow_byte what);

/*
 * The first granule from g on in which the access, of the operation's bytes, is in a race; 0: none
 * is left.
 */
uint64_t shadow_next_race(const struct op *op, struct race_access *now, uint64_t g,
			  struct race_prior *prior);

/* Would a read by the calling fiber, of the operation's location, race with plain accesses so far? */
bool shadow_look_races(const struct op *op);

/* The atomic location that the byte at addr belongs to, in this execution. */
struct shadow_location {
	uint64_t addr;
	unsigned size; /* 0: none */
	bool written;
};
struct shadow_location shadow_location_of(uint64_t addr);

/*
 * A library object: is one known at addr in this execution, and is it a locked mutex? It may be where an atomic location was, or be
 * followed by one: what is known of either stays.
 */
enum shadow_object {
	OBJECT_NONE,
	OBJECT_KNOWN,
	OBJECT_LOCKED
};

enum shadow_object shadow_object(uint64_t addr);
void shadow_object_set(uint64_t addr, enum shadow_object what);

#pragma GCC visibility pop

#endif
