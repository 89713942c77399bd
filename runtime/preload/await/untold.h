/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.h - by values: what threads do that nobody tells
 *
 * Code that is not instrumented, and functions of the libraries with a state of their own, pass on what no read returns. By
 * reads-from that is a matter of happens-before: who comes later finds what came before. Executions with the same values may
 * differ in that. So where a thread does such things beside another one, neither before the other in all of these (value_clock()), the program
 * is explored by reads-from (facts/values.h).
 */
#ifndef HEDDLE_PRELOAD_UNTOLD_H
#define HEDDLE_PRELOAD_UNTOLD_H

#include "preload/core/context.h"

struct op;

#pragma GCC visibility push(hidden)

/* Is the program explored by values? */
extern bool untold_watched;

/* The calling thread is about to do an operation; and has done it. */
void untold_arrives(const struct op *op);
void untold_leaves(const struct op *op);
/* It calls what has a state of its own. */
void untold_does(void);

#pragma GCC visibility pop

#endif
