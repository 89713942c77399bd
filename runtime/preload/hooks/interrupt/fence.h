/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fence.h - a fence on every thread, which one of them asks for
 *
 * Internal to runtime/preload; fence.c has the semantics.
 */
#ifndef HEDDLE_PRELOAD_FENCE_H
#define HEDDLE_PRELOAD_FENCE_H

#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/*
 * A sequentially consistent fence on the calling thread, and on all others at some time between the begin and the
 * end of the call. Under the engine.
 */
void fence_everywhere(uint64_t pc);
/* On the calling thread alone. */
void fence_here(uint64_t pc);

/* Does what others have asked the calling thread for, if self.fences is set. */
void fence_look(uint64_t pc);

#pragma GCC visibility pop

#endif
