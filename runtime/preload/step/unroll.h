/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unroll.h - the rounds of loops are bounded, on request (--unroll)
 *
 * Internal to runtime/preload: perform.c.
 */
#ifndef HEDDLE_PRELOAD_UNROLL_H
#define HEDDLE_PRELOAD_UNROLL_H

#include "wire/op.h"
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* How many rounds of a loop are followed; 0: all. */
extern uint32_t unroll_rounds;

/* If there is a bound: the calling fiber is at this operation of its own, whether it is in the graph or not. */
void unroll_arrives(const struct op *op);
/* Then: the operation to perform, op or one that stops the thread. */
const struct op *unroll_before(const struct op *op);

#pragma GCC visibility pop

#endif
