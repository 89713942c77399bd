/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hang.h - threads that wait for ever, as a bug
 */
#ifndef HEDDLE_PRELOAD_HANG_H
#define HEDDLE_PRELOAD_HANG_H

#include <stdint.h>

struct bug_side;
struct engine_outcome;

#pragma GCC visibility push(hidden)

/* The threads that wait, and how many; must be asked before engine_end(). Room for HEDDLE_MAX_THREADS. */
uint32_t hang_sides(struct bug_side *sides);
/* They wait for ever, by a deadlock or in a loop. */
void hang_bug(const struct engine_outcome *o, struct bug_side *sides, uint32_t n);

#pragma GCC visibility pop

#endif
