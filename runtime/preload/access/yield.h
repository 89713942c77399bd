/* SPDX-License-Identifier: BSD-2-Clause */
/* yield.h - loops that yield */
#ifndef HEDDLE_PRELOAD_YIELD_H
#define HEDDLE_PRELOAD_YIELD_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Lets other threads go first, where that is of use. No event. */
void thread_yield(uint64_t pc);
/* The same, of a thread that may be in a loop without operations. */
void yield_in_loop(void);

#pragma GCC visibility pop

#endif
