/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sigframe.h - handlers of signals on stacks of the program
 *
 * The kernel runs handlers of the runtime on a stack that is the runtime's. From there a handler of the
 * program is begun as the kernel would have begun it: on the stack where the signal came, or on the one
 * that the program has for signals.
 */
#ifndef HEDDLE_PRELOAD_SIGFRAME_H
#define HEDDLE_PRELOAD_SIGFRAME_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef void sigframe_fn(int sig, siginfo_t *info, void *uc); /* a ucontext_t */

/*
 * In a handler: *uc, to which it will return, becomes the beginning of fn on the stack below top, with
 * copies of *info and *uc, as the kernel has them (of uc_sigmask there is but the first word). Where fn
 * returns, its *uc goes on. False: that stack has no room, and nothing was changed.
 */
bool sigframe_begin(ucontext_t *uc, const siginfo_t *info, uint64_t top, sigframe_fn *fn);

/* Calls fn on the stack that ends at top. */
void sigframe_call(sigframe_fn *fn, int sig, siginfo_t *info, void *uc, uint64_t top);

#pragma GCC visibility pop

#endif
