/* SPDX-License-Identifier: BSD-2-Clause */
/* yield.h - loops that yield */
#ifndef HEDDLE_PRELOAD_YIELD_H
#define HEDDLE_PRELOAD_YIELD_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Lets other threads go first, where that is of use. No event. */
void thread_yield(uint64_t pc);
/* The calling thread is about to fail: in a replay, those that have recorded steps to make go first. */
void yield_before_failure(uint64_t pc);

#pragma GCC visibility pop

#endif
