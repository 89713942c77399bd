/* SPDX-License-Identifier: BSD-2-Clause */
/* needs.h - what the program does that only another back end can undo */
#ifndef HEDDLE_PRELOAD_NEEDS_H
#define HEDDLE_PRELOAD_NEEDS_H

#include "preload/core/context.h"
#include "preload/core/text.h"

#pragma GCC visibility push(hidden)

/* The program does what rollback cannot undo: the next executions use the fork back end, and
 * `what` (e.g. "opens a file") is noted. Nothing happens before the root point. */
void needs_fork(const char *what);
/* The same of what is undone only where the child has memory of its own. */
void needs_fork_of_memory(const char *what);
/* The thread changes what is mapped, and each back end undoes that. */
void needs_nothing_for_memory(const char *what);
/* As needs_fork(), and which file (or NULL). */
void needs_fork_for(const char *what, const char *path);
/* What the thread asked of the system last in this execution, as a clause for a message. */
void asked_text(struct text *t, uint32_t tid);

#pragma GCC visibility pop

#endif
