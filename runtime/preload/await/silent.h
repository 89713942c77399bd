/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * silent.h - operations that do no more than read
 *
 * Internal to runtime/preload: await.c and await_ask.c.
 */
#ifndef HEDDLE_PRELOAD_SILENT_H
#define HEDDLE_PRELOAD_SILENT_H

#include <stdbool.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* Is it one of those that the engine knows as awaits? */
bool may_be_await(const struct op *op);
/* Was the operation, with that result, one that did no more than read? */
bool is_silent(const struct op *op, const struct op_result *res);
/* Would the read have been silent with value v? */
bool silent_with(const struct op *op, struct value v);
/* Would it have stored it again? */
bool stores_with(const struct op *op, struct value v);
/* Both reading v, silently: does r1 order, and store, no more than r2? */
bool may_repeat(const struct op *r1, const struct op *r2, struct value v);

#pragma GCC visibility pop

#endif
