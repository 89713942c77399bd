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

/*
 * The program did what heddle cannot run: PHASE_REFUSED with one line that names what and
 * the cure, and the process ends. The pieces are strings, ended by NULL.
 */
heddle_noreturn void refuse(const char *piece, ...) __attribute__((sentinel));
/* PHASE_NONDET and PHASE_INTERNAL likewise. */
heddle_noreturn void nondeterminism(const char *piece, ...) __attribute__((sentinel));
heddle_noreturn void internal_error(const char *piece, ...) __attribute__((sentinel));

/* The program does what rollback cannot undo: the next executions use the fork back end, and
 * `what` (e.g. "opens a file") is noted. Nothing happens before the root point. */
void needs_fork(const char *what);
/* The same of what is undone only where the child has memory of its own. */
void needs_fork_of_memory(const char *what);
/* As needs_fork(), and which file (or NULL). */
void needs_fork_for(const char *what, const char *path);

#pragma GCC visibility pop

#endif
