/* SPDX-License-Identifier: BSD-2-Clause */
/* report.h - a bug of the program, or something that heddle cannot do: the end of the execution, or of all */
#ifndef HEDDLE_PRELOAD_REPORT_H
#define HEDDLE_PRELOAD_REPORT_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/*
 * Records a bug of the current execution and ends the execution there. sides[0] should be
 * the calling thread's (its call stack is taken here in replay when frames is 0). message
 * is one line without the place, which the controller adds.
 */
heddle_noreturn void report_bug(enum bug_kind kind, uint64_t addr, const char *message,
				const struct bug_side *sides, uint32_t nsides);

/* The same with one side: the calling thread at pc. */
heddle_noreturn void report_bug_here(enum bug_kind kind, uint64_t addr, uint64_t pc,
				     const char *message);

#pragma GCC visibility pop

#endif
