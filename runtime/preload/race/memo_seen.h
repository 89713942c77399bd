/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_seen.h - what threads have read plainly in rounds of loops, for executions that the engine makes (facts/memo.h)
 *
 * Internal to runtime/preload/race: memo_shared.c.
 */
#ifndef HEDDLE_PRELOAD_MEMO_SEEN_H
#define HEDDLE_PRELOAD_MEMO_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The calling thread, which has a window, finds that in these bytes of the granule. */
void memo_note_seen(uint64_t granule, uint8_t mask, uint64_t value);
/* Has it read all of them when it had so many events or more, and do they still hold what it found: `now`? */
bool memo_has_seen(uint64_t granule, uint8_t mask, uint32_t behind, uint64_t now);
/* Bytes of a granule, each all ones or zero. */
uint64_t memo_bytes_in(uint8_t mask);

#pragma GCC visibility pop

#endif
