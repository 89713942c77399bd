/* SPDX-License-Identifier: BSD-2-Clause */
/* signals.h - a fault is a bug of the program, not the end of heddle */
#ifndef HEDDLE_PRELOAD_SIGNALS_H
#define HEDDLE_PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "wire/shared.h"

enum {
	SIGNAL_TEXT = SHARED_TEXT
};

#pragma GCC visibility push(hidden)

/* What is said of a signal, if it is a bug. */
struct signal_cause {
	enum bug_kind kind;
	uint64_t addr, pc;
	uint64_t touched; /* touching_pc, when it came */
	const char *text;
};

void signals_init(void);

/*
 * Set when the runtime wakes up: does the program handle it? Then *uc is where that begins. Called in the
 * handler of the signal.
 */
extern bool (*signals_taker)(int sig, const siginfo_t *info, ucontext_t *uc,
			     const struct signal_cause *cause);
/* SIGSEGV, once it is set: was it no fault, and the thread goes on as *uc says? */
extern bool (*signals_asks)(ucontext_t *uc);

#pragma GCC visibility pop

#endif
