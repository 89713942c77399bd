/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.h - the loop over executions, for the rest of the core
 *
 * Internal to runtime/preload; hooks see perform.h only.
 */
#ifndef HEDDLE_PRELOAD_DRIVER_H
#define HEDDLE_PRELOAD_DRIVER_H

#include "engine/engine.h"
#include "preload/await/rounds.h"
#include "preload/facts/facts.h"
#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/* Of the executions of this process; outlives those that run in children. */
struct driver_state {
	uint32_t done;      /* the child ran to the end of driver_execution() */
	uint32_t more;      /* another execution follows */
	uint32_t discarded; /* the execution is beyond the limit, and does not count */
};

extern struct driver_state *state;

/* Main's stack pointer at the root point. */
extern uint64_t root_sp;

/* The root point, if it was not reached before (e.g. heddle_choose() before any thread). */
void root_point(void);
/* engine_end() was called: prepares what follows. True: another execution does. */
bool driver_advance(struct engine_outcome *o);
/* Runs one execution on the restored program, up to and with engine_end(). */
void driver_execution(void);
/* Ends the process in good order. */
heddle_noreturn void driver_finish(void);

#pragma GCC visibility pop

#endif
