/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_empty.h - the temporary that std::thread's constructor makes is empty when it is destroyed
 *
 * The constructor hands what the thread is to run to libstdc++, in a std::unique_ptr that nobody else knows and that is empty behind that (HOOK_TAKES).
 * Its destructor comes next: a call, or a look whether there is anything, in place. It would call a virtual function, nobody knows
 * which, and never does.
 *
 * Internal to stretch.c.
 */
#ifndef HEDDLE_PRELOAD_STRETCH_EMPTY_H
#define HEDDLE_PRELOAD_STRETCH_EMPTY_H

#include "preload/liveness/flow_code.h"

#pragma GCC visibility push(hidden)

/* What is known of it before an instruction. */
struct empty_pointer {
	int32_t at;   /* where in the frame it is; FOREIGN: there is none */
	uint8_t zero; /* the register that holds what it has; INSN_NONE: none */
	bool tested;  /* the latest instruction has compared that with 0 */
};

#define EMPTY_NONE ((struct empty_pointer){ .at = FOREIGN, .zero = INSN_NONE })

/* What holds by both ways goes to *p; true: that is less than before. */
bool empty_meet(struct empty_pointer *p, const struct empty_pointer *other);
/* An instruction that is no call. */
void empty_follow(const struct node *node, struct empty_pointer *p);
/* Does the branch, with that known before it, never go to its target? Or never on? */
bool empty_never_jumps(const struct insn *in, const struct empty_pointer *p);
bool empty_always_jumps(const struct insn *in, const struct empty_pointer *p);

#pragma GCC visibility pop

#endif
