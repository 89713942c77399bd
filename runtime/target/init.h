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

/* 0 unknown, 1 the program runs alone, 2 under heddle. */
extern int init_state;

/* Looks at the environment and maps the shared memory; sets init_state. */
void init_early(void);

static inline bool init_active(void)
{
	if (unlikely(!init_state))
		init_early();
	return init_state == 2;
}

#pragma GCC visibility pop

#endif
