/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault.h - faults, and signals that are else: the program's own handlers come first
 *
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT are heddle's (loop/signal.c), which has a handler of its
 * own for each at all times. What the program wants done about them is kept here. Internal to
 * runtime/preload; fault.c has the semantics.
 */
#ifndef HEDDLE_PRELOAD_FAULT_H
#define HEDDLE_PRELOAD_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/shared.h"

#pragma GCC visibility push(hidden)

#define FAULT_BIT(sig) (1ul << ((sig)-1))
#define fault_bits                                                                        \
	(FAULT_BIT(SIGSEGV) | FAULT_BIT(SIGBUS) | FAULT_BIT(SIGFPE) | FAULT_BIT(SIGILL) | \
	 FAULT_BIT(SIGTRAP) | FAULT_BIT(SIGABRT))

bool signal_is_fault(int sig);

/* What the program wants done about one of them; NULL: it is another signal. */
const struct sigaction *fault_action(int sig);
/* From now on that. */
void fault_set_action(int sig, const struct sigaction *to);

/* The program raised it at pc, and has no handler for it. */
_Noreturn void fault_ends(int sig, uint64_t pc);

/*
 * abort(), and what calls it: the program's handler of SIGABRT runs. If it has none, or that returns, what is
 * said of this is the bug.
 */
_Noreturn void fault_abort(enum bug_kind kind, const char *message, uint64_t pc);

/* The program would end at pc, and end badly: if a handler of such a signal does that, the signal's cause is the bug. */
void fault_at_end(void);

/* A jump leaves all handlers of the calling thread, and what they interrupted. */
void fault_jumps(void);

#pragma GCC visibility pop

#endif
