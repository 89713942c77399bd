/* SPDX-License-Identifier: BSD-2-Clause */
/* dump.h - executions that the controller wants to have (--dump-executions) */
#ifndef HEDDLE_PRELOAD_DUMP_H
#define HEDDLE_PRELOAD_DUMP_H

#include "engine/engine.h"

#pragma GCC visibility push(hidden)

/* engine_end() was called: hands the execution to the controller, if it wants to have it. */
void dump_execution(enum engine_ending ending);
/* The exploration starts again: those handed over so far will come once more. */
void dump_forget(void);

#pragma GCC visibility pop

#endif
