/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal_send.h - signals that the threads of a program send one another
 *
 * Those that kill(), pthread_kill(), sigqueue(), raise() and the like generate, until they are delivered or accepted.
 * Internal to runtime/preload; signal_send.c has the semantics. All of it is for the calling thread at pc, and
 * under the engine; signal_post() and signal_take() also before there are threads, of what pending.c has.
 */
#ifndef HEDDLE_PRELOAD_SIGNAL_SEND_H
#define HEDDLE_PRELOAD_SIGNAL_SEND_H

#include <signal.h>
#include <stdint.h>

#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/fault.h"

#pragma GCC visibility push(hidden)

/* To a thread, or TO_PROCESS; sig is a valid one and not 0. It may be handled before this returns. */
void signal_post(int to, int sig, struct signal_info with, uint64_t pc);

/* The same with signals_guard held, and it is not handled here; not handled at all where nobody has a handler for it. */
void signal_put(int to, int sig, struct signal_info with, bool handled, uint64_t pc);

/* Takes one of the set that is pending; waits until there is one (a cancellation point). 0: there is none. */
int signal_take(const sigset_t *set, siginfo_t *info, uint64_t pc);
int signal_wait(const sigset_t *set, siginfo_t *info, uint64_t pc);

/* The same of sigwaitinfo() for a handler: it runs, and EINTR is to be returned (-1), or the call to begin again (-2); or
 * one of the set is there. 0: no handler comes. */
enum {
	SIGNAL_ENDS = -1,
	SIGNAL_RESTARTS = -2
};
int signal_interrupted(const sigset_t *set, siginfo_t *info, bool restarts, uint64_t pc);

/* The program waits for a signal: no other process may live that could send it. */
void signal_only_from_threads(void);

/* sigsuspend() (mask NULL: pause()): until one was handled that the mask lets in. */
void signal_suspend(const sigset_t *mask, uint64_t pc);

/* sigsuspend(), by the program at pc, whether or not there are threads. */
int signal_suspend_any(const sigset_t *mask, uint64_t pc);

/* Before there are threads: sigsuspend(), if a signal is pending for it that the kernel knows nothing of. */
bool signal_suspend_early(const sigset_t *mask, uint64_t pc);

/* If the signal came now, with the stack pointer at sp, would its handler run, and on another stack? */
bool signal_wants_stack(int sig, uint64_t sp);

#pragma GCC visibility pop

#endif
