/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quiet.h - random executions in which nothing seems to happen any more
 *
 * Internal to runtime/preload: await.c, and yield.c asks.
 */
#ifndef HEDDLE_PRELOAD_QUIET_H
#define HEDDLE_PRELOAD_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Before each execution. */
void quiet_begin(void);
/* After an operation that did no more than read, or one that did: is_quiet(). */
bool quiet_after(bool silent);
/* A thread does nothing but plain accesses: as good as many such operations. Not while it is_quiet(). */
void quiet_loops(void);
/* Are threads to be followed now? */
bool is_quiet(void);
/* Another number for each spell. */
uint64_t quiet_spell(void);

#pragma GCC visibility pop

#endif
