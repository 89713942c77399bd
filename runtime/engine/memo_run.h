/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_run.h - an execution is made without the program
 */
#ifndef HEDDLE_ENGINE_MEMO_RUN_H
#define HEDDLE_ENGINE_MEMO_RUN_H

#include "engine/run/state.h"

/* Makes the next execution, where it is known what all threads do, judges and counts it; false: the program has to run. */
bool memo_makes(struct engine *e, struct engine_outcome *o);

/* value_made.c: the same by values, of the execution that is next and over by what is known of its threads. */
bool value_makes(struct engine *e, struct engine_outcome *o);

/* All that the graph has has happened. (In which order nobody asks, of an execution that is made.) */
void memo_repeat_all(struct engine *e);
/* The thread has come to that operation, or stops there. */
void memo_waits(struct engine *e, uint32_t tid, const struct op *op);
/* Is that all there is to say of it? What is a bug, or may be one, the program has to show. */
bool memo_is_plain(const struct engine_outcome *o);

/* engine.c: engine_step() of an execution that is made: shorter, where the thread has the turn anyway. */
enum step_status engine_step_made(struct engine *e, uint32_t tid, const struct op *op,
				  struct op_result *r);

#endif
