/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * active.h - whether the program runs under heddle
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ACTIVE_H
#define HEDDLE_PRELOAD_ACTIVE_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* Under heddle, unless the process is a child that runs alone (INIT_DETACHED): it only keeps
 * the heap that it was born with. */
enum {
	INIT_UNKNOWN,
	INIT_ALONE,
	INIT_ACTIVE,
	INIT_DETACHED
};
extern int init_state;

/* Looks at the environment and maps the shared memory; sets init_state, and calls what is to be called then. */
void init_early(void);

/* At the top level of a file: fn, a void (*)(void), is called then. In what order is not said. */
#define AT_WAKING(fn) \
	static void (*const waking_##fn)(void) __attribute__((section("heddle_waking"), used)) = fn

static inline bool init_active(void)
{
	if (unlikely(!init_state))
		init_early();
	return init_state == INIT_ACTIVE;
}

/* True when the program's heap is ours. */
static inline bool init_our_heap(void)
{
	return init_active() || init_state == INIT_DETACHED;
}

/* In a child that the program made with fork(): from now on it runs alone. */
void init_detach(void);

#pragma GCC visibility pop

#endif
