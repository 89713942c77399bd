/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sent.h - signals that the threads of a program send one another
 *
 * Those that kill(), pthread_kill(), sigqueue(), raise() and the like generate, until they are delivered or accepted.
 * Internal to runtime/preload; sent.c has the semantics. All of it is for the calling thread at pc, and
 * under the engine, but for the first two.
 */
#ifndef HEDDLE_PRELOAD_SENT_H
#define HEDDLE_PRELOAD_SENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* At the root point: which signals the main thread blocks, and which are pending. */

/* The calling thread has created thread tid, which blocks what it does. */

/* What comes with a signal. */
struct sent {
	int code; /* SI_USER, SI_TKILL or SI_QUEUE */
	union sigval value;
};

enum {
	TO_PROCESS = -1
};

/* To a thread, or to the process; sig is a valid one and not 0. It may be handled before this returns. */
void sent_post(int to, int sig, struct sent with, uint64_t pc);

/* pthread_sigmask() with valid arguments; what is let in and pending is handled before this returns. */
void sent_mask(int how, const sigset_t *set, sigset_t *old, uint64_t pc);

/* The signals that the thread blocks and that are pending, for it or for the process. */
void sent_pending(sigset_t *set, uint64_t pc);

/* Takes one of the set that is pending; waits until there is one (a cancellation point). 0: there is none. */
int sent_take(const sigset_t *set, siginfo_t *info, uint64_t pc);
int sent_wait(const sigset_t *set, siginfo_t *info, uint64_t pc);

/* The signals that the calling thread blocks, as in masks. No operation. */
uint64_t sent_blocked(void);

/* Handles what is pending and not blocked: false if a handler does not ask for calls to be restarted. */
bool sent_let_in(uint64_t pc);

/* While the calling thread waits in a call that takes a mask, it blocks these instead (NULL: what it does). */
void sent_swap(const sigset_t *mask);
void sent_swap_back(void);

/* signalfd(): to send one of these would make a descriptor readable, which is refused. At any time. */
void sent_descriptor(const sigset_t *set);

/* sigsuspend() (mask NULL: pause()): until one was handled that the mask lets in. */
void sent_suspend(const sigset_t *mask, uint64_t pc);

#pragma GCC visibility pop

#endif
