/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_memory.h - what an instruction accesses that nobody else minds
 *
 * Internal to stretch.c and tail.c.
 */
#ifndef HEDDLE_PRELOAD_STRETCH_MEMORY_H
#define HEDDLE_PRELOAD_STRETCH_MEMORY_H

#include "preload/liveness/flow_code.h"

#pragma GCC visibility push(hidden)

/* Does nobody write there once the program runs? The addresses that the loader has put there, too. */
bool memory_is_constant(uint64_t addr);
/* Is it about the frame of the function, or what is constant? */
bool memory_needs_no_telling(const struct node *node);
/* Of a call or a jump; 0: the code does not say. A word that the program may write to says nothing. */
uint64_t memory_target_of(const struct insn *in);

#pragma GCC visibility pop

#endif
