/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow_plain.h - plain accesses of the program, and shadow memory
 *
 * The hooks of plain accesses decide the common case inline:
 *
 *	struct shadow_cell *cell = shadow_cell(addr);
 *
 *	if (!shadow_quiet(cell) || !race_known_write(&cell->race, tid, clock, mask))
 *		shadow_plain(addr, size, true, pc);
 */
#ifndef HEDDLE_PRELOAD_SHADOW_PLAIN_H
#define HEDDLE_PRELOAD_SHADOW_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/race/shadow.h"

#pragma GCC visibility push(hidden)

/*
 * A plain access of the calling fiber is about to happen. Reports a race with an earlier
 * access, and a use of freed memory; turns the access into an event where the location has
 * atomic events (promote.c). Any size.
 */
void shadow_plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc);

/* A library object at addr, of that size, is used: like a read of its first byte, which is never an event. */
void shadow_use(uint64_t addr, uint32_t size, uint64_t pc);

/* A block is freed: like a write of it all, and every later access is reported. */
void shadow_free(uint64_t addr, uint64_t size, uint64_t pc);

#pragma GCC visibility pop

#endif
