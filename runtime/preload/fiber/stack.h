/* SPDX-License-Identifier: BSD-2-Clause */
/* stack.h - call stacks, in replay only */
#ifndef HEDDLE_PRELOAD_STACK_H
#define HEDDLE_PRELOAD_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* Call stack of the calling fiber, or of main before the root point, from the program's innermost frame
 * (return addresses); 0 frames when there is no libunwind or this is not a replay. */
uint32_t stack_take(uint64_t *frame, uint32_t max);

void stack_init(void);
/* Does one of these run? A fault in it is that of a stack that was written over: back to there. */
bool stack_walks(void);
heddle_noreturn void stack_walk_fails(void);
/* The next stack_take() is of the code that a signal interrupted (a ucontext_t). */
void stack_fault_context(void *uc);
/* Call stack of a fiber that waits in perform(). */
uint32_t stack_take_of(uint32_t tid, uint64_t *frame, uint32_t max);
/* The stack of the calling thread is where it created thread tid: noted, for reports. In replay only. */
void stack_note_creation(uint32_t tid);
/* How many frames were noted for it. */
uint32_t stack_of_creation(uint32_t tid, uint64_t frame[SHARED_MAX_FRAMES]);

#pragma GCC visibility pop

#endif
