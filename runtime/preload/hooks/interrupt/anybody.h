/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * anybody.h - who takes a signal that a thread sends the process without blocking it (anybody.c)
 *
 * For deliver.c and signal_send.c; the caller is the thread that is meant, under the engine.
 */
#ifndef HEDDLE_PRELOAD_ANYBODY_H
#define HEDDLE_PRELOAD_ANYBODY_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The caller creates a thread that blocks these. */
void anybody_begins(uint32_t tid, uint64_t blocked);
/* The caller blocks these from now on, and no others. */
void anybody_blocks(uint64_t blocked);
/* Is there another thread that does not block the signal, for all that the caller knows? */
bool anybody_else(int sig);
/* Then: is it one of these that takes it? */
bool anybody_takes(int sig, uint64_t pc);
/* The others are told that it is there. */
void anybody_rings(int sig, uint64_t pc);
/* The caller blocks these now, which others may have thought it would take. */
void anybody_leaves(uint64_t bits);

#pragma GCC visibility pop

#endif
