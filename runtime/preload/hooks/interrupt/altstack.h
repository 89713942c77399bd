/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * altstack.h - stacks that the program has for handlers of signals
 *
 * Of each thread, as sigaltstack() set it. The kernel knows of none: the one it has is the runtime's, on
 * which faults are looked at (loop/signal.c). Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ALTSTACK_H
#define HEDDLE_PRELOAD_ALTSTACK_H

#include <signal.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* sigaltstack() for the calling thread, whose stack pointer is sp: 0, or an error. */
int altstack_set(const stack_t *set, stack_t *old, uint64_t sp);

/* Where the stack ends that a handler with these flags begins on; 0: at sp, where the thread is. */
uint64_t altstack_top(int flags, uint64_t sp);

#pragma GCC visibility pop

#endif
