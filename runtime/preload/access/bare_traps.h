/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_traps.h - threads that meet in memory which they access without announcing it
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_BARE_TRAPS_H
#define HEDDLE_PRELOAD_BARE_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/* SIGTRAP: true if it is one of these, and the thread is to go on there. code: si_code. */
bool bare_trap(ucontext_t *uc, int code);
/* The instruction has failed. */
void bare_steps_no_more(ucontext_t *uc);

/* Is there a library that is not instrumented, of which it matters what it does? */
extern bool bare_asks;
/*
 * Is pc in one, and may the running thread meet others there? Then: a function of libc that it has called is about to access
 * memory for it, which counts as done there.
 */
bool bare_is_in(uint64_t pc);
void bare_passes(const volatile void *p, uint64_t size, bool is_write, uint64_t pc);

#pragma GCC visibility pop

#endif
