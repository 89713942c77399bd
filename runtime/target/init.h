/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * init.h - whether the program runs under heddle
 *
 * Internal to runtime/target.
 */
#ifndef HEDDLE_TARGET_INIT_H
#define HEDDLE_TARGET_INIT_H

#include "target/perform.h"

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

/* Looks at the environment and maps the shared memory; sets init_state. */
void init_early(void);

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
