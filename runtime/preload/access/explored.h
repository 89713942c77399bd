/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored.h - accesses by ordinary instructions that count as relaxed atomic ones
 *
 * With --volatile=relaxed, volatile accesses of 1, 2, 4 or 8 aligned bytes are events like
 * those of atomic_load_explicit() and atomic_store_explicit() with memory_order_relaxed. The
 * compiler announces them just before the instruction.
 *
 * With --plain=explore, so are all plain accesses of locations where a race was found
 * (explored_marks.h).
 */
#ifndef HEDDLE_PRELOAD_EXPLORED_H
#define HEDDLE_PRELOAD_EXPLORED_H

#include "preload/access/promote.h"

#pragma GCC visibility push(hidden)

/* The running fiber is about to read: makes it an event, and puts its value into memory. */
void explored_read(uint64_t addr, uint64_t size, uint64_t pc);

/* It is about to write; the event is made by its next hook, which knows the value. */
void explored_write(uint64_t addr, uint64_t size, uint64_t pc);

/* That event. For pending_flush(). */
void explored_flush(const struct access *access);

#pragma GCC visibility pop

#endif
