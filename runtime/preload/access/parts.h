/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - an atomic access to locations that others take in smaller pieces
 *
 *	cell = shadow_atomic_begin(&op, addr, size);
 *	if (cell == SHADOW_PARTS)
 *		parts_op(&op, &res);
 *
 * It is as many operations of the engine as there are locations; those that are in the same place as one access
 * are told by op_part() (wire/op.h). That such an access is done at one moment is asked behind it
 * (step/whole.h, engine/model/models.txt).
 */
#ifndef HEDDLE_PRELOAD_PARTS_H
#define HEDDLE_PRELOAD_PARTS_H

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/*
 * Does all of it: also what it stores, and the check for races with plain accesses. So res->wrote is false
 * behind it; whether a compare-and-swap succeeded is a matter of the value (cas_succeeded()).
 */
void parts_op(const struct op *op, struct op_result *res);

/* The plain store of a location that is an event (explored.c) is about to happen: to each location there. */
void parts_meet(const struct op *op);

#pragma GCC visibility pop

#endif
