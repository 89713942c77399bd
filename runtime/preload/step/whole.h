/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole.h - accesses of several parts are done at one moment
 *
 * Where atomic accesses of several sizes meet, the engine explores the parts of an access as operations of
 * their own, so it comes to executions in which an access is torn: they are none. What has led a thread to where
 * it is says whether it is in one (engine_thread_is_whole()); then it goes no further, as after a
 * failed assume. An execution is asked once more as a whole: by engine_end(), and before a bug in it is
 * told. (engine/model/models.txt)
 *
 * No execution is lost: that a thread stops is a function of its own history, and no graph with that
 * history is an execution.
 */
#ifndef HEDDLE_PRELOAD_WHOLE_H
#define HEDDLE_PRELOAD_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* May there be such accesses? */
extern bool whole_asked;

/* The calling thread has done op, all of it. May not return. */
void whole_look(const struct op *op);

/*
 * Is the execution so far one, with all its events? Where that cannot be said it is noted that something is left
 * out, and false.
 */
bool whole_so_far(void);

/* It has ended, and engine_end() could not say. */
void whole_ended(bool unjudged);

/* It is none, and a thread cannot go on: the execution is left. What would have come of it is left out. */
__attribute__((noreturn)) void whole_leave(void);

#pragma GCC visibility pop

#endif
