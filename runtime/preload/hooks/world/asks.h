/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asks.h - instructions of the program that ask the processor for the time, for a random number, or for a fence
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ASKS_H
#define HEDDLE_PRELOAD_ASKS_H

#include <stdbool.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/* Before main(), once: the program is given what heddle has for them, from now on. */
void asks_init(void);

/* Set later: *uc is behind one that asks for a fence, and the thread goes on as it says then. */
extern bool (*asks_fence)(ucontext_t *uc);
/* Likewise, when the program begins: one that accesses memory. */
struct inline_op;
extern bool (*asks_inline)(ucontext_t *uc, const struct inline_op *op);

#pragma GCC visibility pop

#endif
