/* SPDX-License-Identifier: BSD-2-Clause */
/* atomic.h - atomic operations of the program, with their effect on memory */
#ifndef HEDDLE_PRELOAD_ATOMIC_H
#define HEDDLE_PRELOAD_ATOMIC_H

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* By the calling fiber. */
void atomic_op(const struct op *op, struct op_result *res);
/* The same of an access that the program has made since its last hook, and foreign_access() knows. */
void atomic_op_late(const struct op *op, struct op_result *res);
/* It was performed on what may_be_on_stack(). */
void atomic_on_stack(const struct op *op, bool wrote);
/* It has happened, while a location is watched (racereport.h). */
void watch_atomic(const struct op *op, bool wrote);

#pragma GCC visibility pop

#endif
