/* SPDX-License-Identifier: BSD-2-Clause */
/* yield.h - loops that yield */
#ifndef HEDDLE_PRELOAD_YIELD_H
#define HEDDLE_PRELOAD_YIELD_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Lets other threads go first, where that is of use. No event. */
void thread_yield(uint64_t pc);
/*
 * The same, of a thread that has made very many accesses without an operation, the last at pc: a loop may be all that it
 * does. for_good: nothing that heddle leaves out would end it, so it may be found to go on for ever.
 */
void yield_in_loop(uint64_t pc, bool for_good);

#pragma GCC visibility pop

#endif
