/* SPDX-License-Identifier: BSD-2-Clause */
/* switch.h - from one stack to another */
#ifndef HEDDLE_PRELOAD_SWITCH_H
#define HEDDLE_PRELOAD_SWITCH_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* Where a stopped fiber goes on; known to the assembly in switch.c. */
struct context {
	uint64_t sp; /* callee-saved registers and the return address are on the stack */
	uint64_t fs;
};

/* Saves the caller into *from and goes on at *to. */
void switch_context(struct context *from, struct context *to);
/* Goes on at *to; the caller is abandoned. */
heddle_noreturn void jump_context(struct context *to);
/* Makes *c start entry() on the stack that ends at top, with FS base fs. */
void context_make(struct context *c, uint64_t top, uint64_t fs, void (*entry)(void));
/*
 * Calls fn(a, b, c, d) on a stack of its own, the engine's: the fiber's shows no trace of it.
 * fn must not switch fibers.
 */
long call_engine(void *fn, void *a, uint64_t b, const void *c, void *d);
/* Is that a stack pointer of what call_engine() calls? */
bool on_engine_stack(uint64_t sp);
/* Finds out how FS can be set, and makes the engine's stack. */
void switch_init(void);

#pragma GCC visibility pop

#endif
