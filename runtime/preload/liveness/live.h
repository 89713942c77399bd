/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live.h - what a thread left behind on its stack and will never look at again
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_LIVE_H
#define HEDDLE_PRELOAD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
	LIVE_REGISTERS = 6 /* rbx rbp r12..r15, as in struct entry */
};

/* A thread that has called a hook. */
struct live_state {
	const uint64_t *reg;
	const char *stack; /* from its stack pointer up, as the call will leave it */
};

/*
 * Two states at a call that returns to pc, `before` it has read what it is given, or behind that: is
 * every difference in a place that is written before it is read, whatever the thread does? To be
 * asked of states that do differ.
 */
bool live_same(uint64_t pc, bool before, uint64_t size, const struct live_state *a,
	       const struct live_state *b);

/* Makes a copy of the state such that it is the same bytes for all states that are the same. */
void live_wipe(uint64_t pc, bool before, uint64_t size, uint64_t *reg, char *stack);

/*
 * Is [addr, addr + size) part of the frame of the function that has called a hook, which returns
 * to pc and sp, and of no concern to anybody else?
 */
bool live_private(uint64_t pc, uint64_t sp, uint64_t addr, uint64_t size);

/*
 * Is what the atomic operation that returns to pc, and sp, has returned, in one register, of no concern to the program?
 * Functions may return it in turn, up to one that does not look at it.
 */
bool live_ignored(uint64_t pc, uint64_t sp);

/*
 * At inline assembly that is an operation, and ends at pc: which general registers, by number, have something that the thread
 * may look at again; whether all others may; and whether the byte so far below the stack pointer is such a place.
 */
uint16_t live_registers(uint64_t pc);
bool live_vectors(uint64_t pc);
bool live_below(uint64_t pc, uint64_t below);

#pragma GCC visibility pop

#endif
