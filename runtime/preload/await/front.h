/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * front.h - what lies between the return address of a hook and the program's frame
 *
 * Nothing, as a rule. Where a look for handlers comes before the hook, what the call has (entry.h). Where the hook stands for
 * inline assembly, the registers of the program and its red zone (sigframe.h).
 *
 * Internal to runtime/preload/await.
 */
#ifndef HEDDLE_PRELOAD_FRONT_H
#define HEDDLE_PRELOAD_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* How many bytes, of a hook that returns to *pc; then that becomes where the program goes on. stack: a copy of what lies behind the return address. */
uint64_t front_of(uint64_t *pc, const char *stack);
/* Are `size` of two of them the same, but for what nobody looks at again, and registers that calls keep? */
bool front_same(uint64_t pc, const char *a, const char *b, uint64_t size);
/* Makes a copy the same bytes for all that are the same. */
void front_wipe(uint64_t pc, char *stack);

#pragma GCC visibility pop

#endif
