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

/*
 * The same for inline assembly that is an operation: `hook` is one that is entered (entry.h), with the context as its argument, and returns to
 * sigframe_behind, which goes on as *uc says. What lies from there up to the program's own stack:
 */
struct sigframe_front {
	uint64_t pc, size;
	uint64_t
		red_zone; /* what is its offset, and that of the registers of the FPU, which have so many bytes */
	uint64_t fpu, fpu_size;
	greg_t *gregs; /* in it */
};
bool sigframe_enter(ucontext_t *uc, uint64_t about, void (*hook)(void)); /* only returns false */
/* The end of that hook, which need not return then. It does where it has to. */
void sigframe_leave(const ucontext_t *uc);
/* About what it is. */
uint64_t sigframe_about(const ucontext_t *uc);
extern const char sigframe_behind[];
/* `front` begins behind that return address; it may be a copy. */
void sigframe_look(char *front, struct sigframe_front *f);
/* Makes the bytes of a copy the same that mean nothing: padding. */
void sigframe_wipe(char *front, const struct sigframe_front *f);

/* Calls fn on the stack that ends at top. */
void sigframe_call(sigframe_fn *fn, int sig, siginfo_t *info, void *uc, uint64_t top);

#pragma GCC visibility pop

#endif
