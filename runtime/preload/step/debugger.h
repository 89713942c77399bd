/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debugger.h - where `heddle replay --gdb` stops, and what a debugger finds there
 *
 * Only if config.stop_at_bug is set. heddle_debugger, a table of words, is all that the debugger's helper
 * (gdb/libheddle-rt.so-gdb.py) knows of the runtime: it has to do without debug information.
 */
#ifndef HEDDLE_PRELOAD_DEBUGGER_H
#define HEDDLE_PRELOAD_DEBUGGER_H

#include "preload/core/context.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* A bug was recorded, as the last one, and shows in that thread. */
void debugger_bug(uint32_t tid);

/* The thread is about to ask the engine for op; it was done. The calling fiber's. */
void debugger_before(uint32_t tid, const struct op *op);
void debugger_behind(uint32_t tid);

#pragma GCC visibility pop

#endif
