/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored_marks.h - locations whose plain accesses are all events (--plain=explore)
 *
 * Where a race was found the exploration starts again, with that location among the facts (facts.h).
 */
#ifndef HEDDLE_PRELOAD_EXPLORED_MARKS_H
#define HEDDLE_PRELOAD_EXPLORED_MARKS_H

#include "preload/core/context.h"
#include "preload/memory/access.h"

#pragma GCC visibility push(hidden)

/* Can it be an event? */
static inline bool explored_fits(uint64_t addr, uint64_t size)
{
	return size && size <= 8 && !(size & (size - 1)) && !(addr & (size - 1));
}

/* May there be any location whose plain accesses are events? */
extern bool explored_any;

/* What the bytes of a granule are in that respect, as in shadow_cell.bytes; 0: nothing. */
uint32_t explored_marks(uint64_t granule);

/* Those bytes of it of which there is one. */
uint8_t explored_bytes(uint64_t granule);

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

/*
 * Accesses of the location, of an execution that is over, may race, and some were left out: in the next search
 * its plain accesses are events. False: it has no name, or is not aligned, so it cannot be noted.
 */
bool explored_note(uint64_t addr, uint64_t size);

/* An access writes only that part of a location: smaller ones take its place. */
heddle_noreturn void explored_split(uint64_t addr, uint64_t size);

#pragma GCC visibility pop

#endif
