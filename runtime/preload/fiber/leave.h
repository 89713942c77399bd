/* SPDX-License-Identifier: BSD-2-Clause */
/* leave.h - an execution is left, for the loop over executions */
#ifndef HEDDLE_PRELOAD_LEAVE_H
#define HEDDLE_PRELOAD_LEAVE_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

enum leave_reason {
	LEAVE_OVER,   /* engine_next() said ENGINE_OVER */
	LEAVE_CUT,    /* STEP_CUT */
	LEAVE_FAILED, /* a bug was recorded and engine_fail() called */
	LEAVE_AGAIN,  /* repeat_execution(): no engine_end() */
	LEAVE_STOP,   /* the controller asked for the end */
};

/* Why the last execution was left. */
extern enum leave_reason left;

/* Leaves the calling fiber for the driver; the execution is over. */
heddle_noreturn void leave_execution(enum leave_reason why);
/*
 * Leaves the current execution, which is none: it is run once more, or the search starts again, if something
 * was learned that needs it (facts.h). Not in ENGINE_REPLAY.
 */
heddle_noreturn void repeat_execution(void);

/* Ends the exploration here and now, since the controller wants it. */
heddle_noreturn void stop_exploration(void);
/* Ends the process in good order before any thread was created. (driver.c) */
extern heddle_noreturn void (*leave_unrooted)(void);

#pragma GCC visibility pop

#endif
