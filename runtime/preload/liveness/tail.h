/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail.h - may a function that was left by a jump be entered again, with the same frame?
 *
 * What a function jumps to at its end returns to its caller, so mostly it is left for good. But the code may go on elsewhere and come back (what gcc takes
 * for cold), or functions jump to each other in turn.
 *
 * Internal to stretch.c.
 */
#ifndef HEDDLE_PRELOAD_TAIL_H
#define HEDDLE_PRELOAD_TAIL_H

#include "preload/liveness/callee.h"

#pragma GCC visibility push(hidden)

/*
 * Control goes to `at`. May it come from there into the function, by jumps alone? careful: libraries, too, may jump to who
 * knows where; else they jump to none of the program's.
 */
bool tail_comes_back(uint64_t at, const struct function *to, bool careful);

#pragma GCC visibility pop

#endif
