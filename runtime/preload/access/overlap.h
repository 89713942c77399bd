/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overlap.h - the rest of a random execution in which atomic accesses of several sizes have met
 *
 * What is learned when they meet starts the search again (facts/split_marks.h), and there may be thousands of such places: memory
 * of a pool is a pointer in one object and a byte in the next. So the execution goes on, and learns of
 * more of them. It is none: it is not counted, nothing is told of it, and it may do what no model allows.
 *
 *	where sizes have met	memory is accessed as it is, behind an operation that comes after all others of the kind,
 *				so that threads take turns and know of each other
 *	elsewhere		as ever
 *
 * It ends like any other, with the first bug, or where there was nothing new for as long as it took to the last news.
 */
#ifndef HEDDLE_PRELOAD_OVERLAP_H
#define HEDDLE_PRELOAD_OVERLAP_H

#include "preload/race/shadow.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* The access overlaps a location of another size. Is that noted, and the execution goes on? Then overlap_op() is all of the access. */
bool overlap_goes_on(const struct op *op, struct shadow_location known);

/* split_learning: does the access take bytes where sizes have met? If so, its size is noted as well. */
bool overlap_takes(const struct op *op);

/* Does all of it, also what it stores; as parts_op(). */
void overlap_op(const struct op *op, struct op_result *res);

#pragma GCC visibility pop

#endif
