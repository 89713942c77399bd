/* SPDX-License-Identifier: BSD-2-Clause */
/* bug.h - bugs and refusals, as the controller gets to see them */
#ifndef HEDDLE_PRELOAD_BUG_H
#define HEDDLE_PRELOAD_BUG_H

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/core/text.h"

#pragma GCC visibility push(hidden)

/* Fills the next free slot of shared->bugs (not yet released). */
void bug_record(enum bug_kind kind, uint64_t addr, const char *message,
		const struct bug_side *sides, uint32_t nsides);
/* Records a bug of two sides, or more, with which the execution does not end: the first of its calls. */
void bug_note(enum bug_kind kind, uint64_t addr, const char *message, const struct bug_side *sides,
	      uint32_t nsides);
/* The execution counts, and so do the bugs that it showed: how often each did. */
void bug_count(void);
/* The recorded bug is none after all. */
void bug_drop(void);
/* engine_end() was called: completes and releases the recorded bug, if there is one. */
void bug_release(uint64_t seed);
/* What the last bug that was recorded has in common with those of the same kind at the same calls. */
uint64_t bug_identity(void);
/* The search starts again: so do the numbers of executions with each bug. */
void bugs_count_anew(void);
/* Moves the steps to replay to private memory and tells where they are. */
const struct engine_step_record *bug_take_replay_steps(void);

#pragma GCC visibility pop

#endif
