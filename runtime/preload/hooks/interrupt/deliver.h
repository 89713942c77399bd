/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deliver.h - which signals a thread blocks, and what becomes of one that it does not block
 *
 * Internal to runtime/preload; deliver.c has the semantics. All of it is for the calling thread at pc, and
 * under the engine, or before there are threads.
 */
#ifndef HEDDLE_PRELOAD_DELIVER_H
#define HEDDLE_PRELOAD_DELIVER_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/active.h"
#include "preload/hooks/interrupt/pending.h"

enum {
	SIGNALS = 65 /* SIGRTMAX is a call */
};

#pragma GCC visibility push(hidden)

/* Is it the program that calls, under heddle? Not when a library does, on the runtime's behalf (libunwind). */
static inline bool signals_are_ours(void)
{
	return under_engine() || (init_active() && !rooted);
}

/* pthread_sigmask() with valid arguments; what is let in and pending is handled before this returns. */
void signal_mask(int how, const sigset_t *set, sigset_t *old, uint64_t pc);

/* The signals that the thread blocks and that are pending, for it or for the process. */
void signal_pending(sigset_t *set, uint64_t pc);

/* The signals that the calling thread blocks, as in masks. No operation. */
uint64_t signal_blocked(void);

/* Handles what is pending and not blocked: false if a handler does not ask for calls to be restarted. */
bool signal_let_in(uint64_t pc);

/* While the calling thread waits in a call that takes a mask, it blocks these instead (NULL: what it does). */
void signal_mask_swap(const sigset_t *mask);
void signal_mask_swap_back(void);

/* The program has a new action for it. If that is to ignore it, what is pending is dropped, whoever blocks it. */
void deliver_discard(int sig, uint64_t pc);

/* Puts the caller in one order with all calls that set or ask for the action of that signal, or send it. Under the engine. */
void signal_action_order(int sig, uint64_t pc);

/* "TERM", "RTMIN" (of all real-time signals). */
const char *signal_name(int sig);

/* ---- For signal_send.c ---- */

enum {
	TO_PROCESS = -1
};

/* Guards what is pending. */
extern pthread_mutex_t signals_guard;

/* The next one of these that is pending, with what came with it; 0: there is none. With the guard held; without. */
int deliver_take(uint64_t wanted, struct signal_info *with);
int deliver_take_now(uint64_t wanted, struct signal_info *with, uint64_t pc);

/* The call of sigaction() that comes is this file's own, and part of the operation that is under way. */
extern bool deliver_asks;

/* Runs its handler. False if the signal is ignored. *restarts is cleared by handlers without SA_RESTART. */
bool deliver(int sig, const struct signal_info *with, bool *restarts, uint64_t pc);
/* The same for a fault, with what the kernel says of it: *context goes on then. It is not ignored. */
void deliver_fault(const struct sigaction *a, int sig, siginfo_t *info, void *context);
/* It came from the kernel, and is blocked: now it is pending. */
void deliver_holds(int sig, const struct signal_info *with);
void deliver_inform(siginfo_t *info, int sig, const struct signal_info *with);

/*
 * It was sent there, to a thread or TO_PROCESS. Those who may take it learn, with the guard held, that it can
 * interrupt them; then the bells of those who know are rung.
 */
void deliver_learn(int to, int sig, uint64_t pc);
void deliver_ring(int to, int sig, uint64_t pc);

/*
 * The caller, who does not block the signal, sends it to the process: is it left to others, who do not block it either? Under the engine.
 */
bool deliver_may_leave(int sig, uint64_t pc);

/* The caller takes no signal any more, since it ends. */
void deliver_ends(void);

/* Is a signal pending that may interrupt a thread, now or later, or is there something else that may (interrupt.h)? */
bool deliver_may_interrupt(void);

/* A thread changes its action, from now on. */
void deliver_changes(int sig);

/* Is it gone at once, since the program ignores it, and the receiver (of those to the process the first thread) does not block it? */
bool deliver_drops(int to, int sig);

/*
 * The thread takes these by itself now, so that none interrupts it (0: nothing any more). Which are those that may: neither
 * blocked nor so.
 */
void deliver_takes(uint64_t bits);
uint64_t deliver_hears(uint32_t tid);

/* From now on the thread blocks these. */
void deliver_block(uint64_t bits);
/* A thread that was created, and has not begun, blocks these, whatever its creator does. */
void deliver_begins_with(uint32_t tid, const sigset_t *set);

#pragma GCC visibility pop

#endif
