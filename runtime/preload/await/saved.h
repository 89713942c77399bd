/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saved.h - is a thread that arrives at an operation back in a state that was saved?
 *
 * Internal to runtime/preload: probe.c. What others ask is in await.h.
 */
#ifndef HEDDLE_PRELOAD_SAVED_H
#define HEDDLE_PRELOAD_SAVED_H

#include "preload/await/arrival.h"

#pragma GCC visibility push(hidden)

/*
 * Is a thread that arrived now at the same operation where it was when it called the hook of that one? It was called from
 * the same place: same_op() compares that, see has_place().
 */
bool saved_is_back(const struct fiber *f, const struct arrival *now, const struct await_op *then);

/* The latest of the first `window` operations that it is back at, memory too, or NO_TWIN; see probe_came_back(). */
uint32_t saved_find_back(const struct fiber *f, const struct await *a, const struct arrival *now,
			 uint32_t window, uint64_t *unsaved);

#pragma GCC visibility pop

#endif
