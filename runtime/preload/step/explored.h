/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored.h - accesses by ordinary instructions that count as relaxed atomic ones
 *
 * With --volatile=relaxed, volatile accesses of 1, 2, 4 or 8 aligned bytes are events like
 * those of atomic_load_explicit() and atomic_store_explicit() with memory_order_relaxed. The
 * compiler announces them just before the instruction.
 *
 * With --plain=explore, so are all plain accesses of locations where a race was found: then
 * the exploration starts again, with that location among the facts (facts.h).
 */
#ifndef HEDDLE_PRELOAD_EXPLORED_H
#define HEDDLE_PRELOAD_EXPLORED_H

#include "preload/step/promote.h"

#pragma GCC visibility push(hidden)

/* Can it be an event? */
static inline bool explored_fits(uint64_t addr, uint64_t size)
{
	return size && size <= 8 && !(size & (size - 1)) && !(addr & (size - 1));
}

/* The running fiber is about to read: makes it an event, and puts its value into memory. */
void explored_read(uint64_t addr, uint64_t size, uint64_t pc);

/* It is about to write; the event is made by its next hook, which knows the value. */
void explored_write(uint64_t addr, uint64_t size, uint64_t pc);

/* That event. For pending_flush(). */
void explored_flush(const struct access *access);

/* May there be any location whose plain accesses are events? */
extern bool explored_any;

/* Before each execution. */

/* The marks of a granule with such a location at addr. */
uint32_t explored_marks_with(uint32_t marks, uint64_t addr, uint32_t size);

/* What the bytes of a granule are in that respect, as in shadow_cell.bytes; 0: nothing. */
uint32_t explored_marks(uint64_t granule);

/* Is there such a location at addr? */
static inline bool explored_at(uint64_t addr)
{
	return unlikely(explored_any) && explored_marks(addr & ~7ul) >> (addr & 7) * 4 & 15;
}

/*
 * A race of the access, in [addr, addr + size), was found. With --plain=explore the location
 * is noted and the exploration starts again; else it returns.
 */
void explored_race(const struct access *access, uint64_t addr, uint64_t size);

/* An access writes only that part of a location: smaller ones take its place. */
heddle_noreturn void explored_split(uint64_t addr, uint64_t size);

#pragma GCC visibility pop

#endif
