/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sole.h - is this process one that heddle has made?
 *
 * A program may fork by a system call that no hook sees. The child would go on as the same threads, in the
 * same mapping that its parent writes to.
 */
#ifndef HEDDLE_PRELOAD_SOLE_H
#define HEDDLE_PRELOAD_SOLE_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* In a page that the kernel clears in children; not 0: it is. */
extern const volatile uint32_t *sole_mark;

/* It is: in every child that heddle makes. */
void sole_begin(void);
/* It is not: the end of it, and of its parent. */
heddle_noreturn void sole_not(void);

static inline void sole_check(void)
{
	if (unlikely(!*sole_mark))
		sole_not();
}

#pragma GCC visibility pop

#endif
