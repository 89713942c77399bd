/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_meet.h - which accesses that nobody announces are in no order with those of another thread
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_BARE_MEET_H
#define HEDDLE_PRELOAD_BARE_MEET_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Threads have met. Nothing is looked at any more. */
extern bool bare_over;

/* At the root point, if anything is to be looked at. */
void bare_meet_root(void);
void bare_meet_begin(void);
/* The running thread accesses memory by the instruction at `at`. */
void bare_meet_access(uint64_t addr, uint64_t size, bool is_write, uint64_t at);
/* Says that threads have met: what, at addr (0: no matter where), by the instruction at `at`. */
void bare_met(const char *what, uint64_t addr, const char *how, uint64_t at);
/* Is no other thread there, and did all that others have done happen before? */
bool bare_is_alone(void);

#pragma GCC visibility pop

#endif
