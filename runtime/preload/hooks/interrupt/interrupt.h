/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt.h - handlers that interrupt a thread, since another one sent it a signal
 *
 * Internal to runtime/preload; interrupt.c has the semantics. A hook that the program calls on its own
 * stack, and that may be interrupted before it, begins with
 *
 *	interrupt_point(pc);
 *
 * (cancellation_point() does that), those that are entered (entry.h) have it. A call that waits, and
 * that a handler ends with EINTR, asks where it would begin to wait:
 *
 *	while (interrupt_comes(pc)) {
 *		if (it need not wait) {
 *			interrupt_too_early(pc);
 *			break;
 *		}
 *		if (!interrupt_ends(-1, EINTR, true, pc))
 *			return fail(EINTR);
 *	}
 */
#ifndef HEDDLE_PRELOAD_INTERRUPT_H
#define HEDDLE_PRELOAD_INTERRUPT_H

#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/* Is the signal known to interrupt the thread, in some execution? */
bool interrupt_known(uint32_t tid, int sig);
/* Now it is: the exploration starts again. Returns in a replay, where all is known. */
void interrupt_learn(uint32_t tid, int sig);
/* The signal is pending now, for the thread or for the process. An operation, if it is known to interrupt it. */
void interrupt_ring(uint32_t tid, int sig, uint64_t pc);

/* Is any signal known to interrupt the calling thread? */
bool interrupt_may_come(void);

/*
 * What else may come there, of what stands above this file (hooks/thread/hook_cancel.c); set at the root point. comes(): an operation, if
 * it may come to the calling thread; true: acts(), on the program's stack. is_due(): is there a thread that waits, and did not hear of it?
 */
extern struct interrupt_other {
	bool (*comes)(uint64_t pc);
	void (*acts)(void);
	bool (*is_due)(void);
} interrupt_other;

void interrupt_look(uint64_t pc);
static inline void interrupt_point(uint64_t pc)
{
	if (unlikely(current && current->interrupted))
		interrupt_look(pc);
}

/* Of the hook that a thread is in: it has done nothing but look so far. Whoever looks says so, if that is so, when it has. */
bool interrupt_has_done_nothing(void);
void interrupt_comes_to_hook(void);

bool interrupt_rings(uint64_t pc);
/* Does a signal come while the calling thread waits here? */
static inline bool interrupt_comes(uint64_t pc)
{
	return unlikely(current && current->interrupted) && interrupt_rings(pc);
}

/*
 * Behind OP_COND_WOKEN with WOKEN_OR_ENDED, at random: a signal came, and the thread has taken itself out by OP_COND_LEAVE, or found
 * that it was woken before.
 */
bool interrupt_left(void);

/* It need not wait: then the signal comes later, and in exploration that is another execution. */
void interrupt_too_early(uint64_t pc);

/*
 * Runs the handlers. Then the call is over: false, and the caller returns that result, with that error (0: errno
 * stays). restarts: if all handlers ask for that (SA_RESTART), the call begins again instead: true. In a
 * hook that was entered it does not return: handlers run on the program's stack, and both is done from there.
 */
bool interrupt_ends(long result, int error, bool restarts, uint64_t pc);

#pragma GCC visibility pop

#endif
