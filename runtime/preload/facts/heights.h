/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heights.h - by values: a thread uses a place on the stack of another one where a function may have been left
 *
 * That a function has been left is seen from where its thread is (access/foreign.h). If it is in another function at the same place of the stack
 * meanwhile, it is not seen, and where it is when the place is used is no matter of values: by reads-from more executions are visited.
 */
#ifndef HEDDLE_PRELOAD_HEIGHTS_H
#define HEDDLE_PRELOAD_HEIGHTS_H

#include "preload/core/context.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* Programs are explored by values. */
extern bool heights_watched;

/* The calling thread is about to do op, where sp is. */
void heights_arrive(const struct op *op, uint64_t sp);

/* Has the thread `owner` been above that byte of its stack at an operation since thread `by` was created? */
bool heights_were_above(uint32_t owner, uint32_t by, uint64_t addr);

#pragma GCC visibility pop

#endif
