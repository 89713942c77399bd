/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_traps.h - threads that meet in memory which they access without announcing it
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_BARE_TRAPS_H
#define HEDDLE_PRELOAD_BARE_TRAPS_H

#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/* SIGTRAP: true if it is one of these, and the thread is to go on there. */
bool bare_trap(ucontext_t *uc);

#pragma GCC visibility pop

#endif
