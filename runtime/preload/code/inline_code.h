/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline_code.h - inline assembly of what heddle-cc compiled: its instructions that access memory as operations do
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_INLINE_CODE_H
#define HEDDLE_PRELOAD_INLINE_CODE_H

#include "base/insn_access.h"
#include "preload/code/code.h"

#pragma GCC visibility push(hidden)

struct inline_op {
	struct breakpoint here;
	struct insn_access access;
};

/* Before main(), once: finds them in what is loaded, and puts a breakpoint in place of each. False: there are none. */
bool inline_init(void);
/* That at this address, or NULL. O(log n) */
const struct inline_op *inline_op_at(uint64_t at);
/* That which ends there. */
const struct inline_op *inline_op_before(uint64_t end);

#pragma GCC visibility pop

#endif
