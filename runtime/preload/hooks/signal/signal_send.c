/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal_send.c - signals that the threads of a program send one another
 *
 * A signal that the receiver blocks is pending, for it or for the process, until a thread
 * takes it: by sigwait(), in sigsuspend(), or when it unblocks it. What is pending is guarded by a mutex
 * and a condition variable as a program would have them, so that all orders are explored: all
 * threads that wait look again when something was posted. One that a thread sends itself and does
 * not block is handled at once, as POSIX asks of raise(); one that it sends the process, too, or is left to others (anybody.c). Others: deliver.c.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/signal/signal_send.h"

#include "preload/core/refuse.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/altstack.h"
#include "preload/hooks/interrupt/anybody.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/sync/cond.h"
#include "preload/hooks/thread/cancel.h"

static HEDDLE_IMAGE_SELDOM pthread_cond_t signals_posted = PTHREAD_COND_INITIALIZER;

/* ---- Taking and sending -------------------------------------------------------------------------- */

static int take_later(uint64_t wanted, struct signal_info *with, uint64_t pc)
{
	int sig;

	cancellation_point(pc);
	mutex_lock(&signals_guard, pc);
	while (!(sig = deliver_take(wanted, with))) {
		if (cond_wait_interrupted(&signals_posted, &signals_guard, pc)) {
			mutex_unlock(&signals_guard, pc);
			deliver_takes(0);
			cancel_act();
		}
	}
	mutex_unlock(&signals_guard, pc);
	return sig;
}

static void put(int to, int sig, const struct signal_info *with, bool handled, uint64_t pc)
{
	/* What is pending passes between threads, and nobody reads that as a value. */
	values_give_up("signals are sent");
	pending_put(to == TO_PROCESS ? PENDING_PROCESS : to, sig, with);
	/* In one step with that: signal_mask_swap() looks at what is pending in one step with its mask. */
	if (handled)
		deliver_learn(to, sig, pc);
	cond_broadcast(&signals_posted, pc);
}

/* The sender's own bell is rung by who leaves it to others in turn. */
static void leave_to_others(int sig, const struct signal_info *with, uint64_t pc)
{
	mutex_lock(&signals_guard, pc);
	put(TO_PROCESS, sig, with, true, pc);
	mutex_unlock(&signals_guard, pc);
	anybody_rings(sig, pc);
}

void signal_post(int to, int sig, struct signal_info with, uint64_t pc)
{
	bool restarts = true, drops;

	if (!(signal_blocked() & signal_bit(sig)) &&
	    (to == TO_PROCESS || (uint32_t)to == self_id())) {
		if (to == TO_PROCESS && under_engine() && deliver_may_leave(sig, pc))
			leave_to_others(sig, &with, pc);
		else
			deliver(sig, &with, &restarts, pc);
		return;
	}
	if (!under_engine()) {
		pending_put(to == TO_PROCESS ? PENDING_PROCESS : to, sig, &with);
		return;
	}
	mutex_lock(&signals_guard, pc);
	signal_action_order(sig, pc);
	drops = deliver_drops(to, sig);
	if (!drops)
		put(to, sig, &with, true, pc);
	mutex_unlock(&signals_guard, pc);
	if (!drops)
		deliver_ring(to, sig, pc);
}

void signal_put(int to, int sig, struct signal_info with, bool handled, uint64_t pc)
{
	put(to, sig, &with, handled, pc);
	if (handled)
		deliver_ring(to, sig, pc);
}

/* ---- What calls do -------------------------------------------------------------------------------- */

static int answer(int sig, const struct signal_info *with, siginfo_t *info)
{
	if (sig && info)
		deliver_inform(info, sig, with);
	return sig;
}

int signal_take(const sigset_t *set, siginfo_t *info, uint64_t pc)
{
	struct signal_info with;
	int sig;

	if (under_engine())
		cancellation_point(pc);
	sig = deliver_take_now(signal_bits(set), &with, pc);
	return answer(sig, &with, info);
}

int signal_wait(const sigset_t *set, siginfo_t *info, uint64_t pc)
{
	struct signal_info with;
	int sig = take_later(signal_bits(set), &with, pc);

	return answer(sig, &with, info);
}

void signal_suspend(const sigset_t *mask, uint64_t pc)
{
	uint64_t before = signal_blocked();
	uint64_t blocked = mask ? signal_bits(mask) : before;
	bool handled, restarts = true;
	struct signal_info with;
	int sig;

	interrupt_point(pc); /* what comes before the call does not end it */
	do {
		deliver_takes(~blocked);
		sig = take_later(~blocked, &with, pc);
		deliver_takes(0);
		deliver_block(blocked);
		handled = deliver(sig, &with, &restarts, pc);
		deliver_block(before);
	} while (!handled);
}

bool signal_suspend_early(const sigset_t *mask, uint64_t pc)
{
	uint64_t before = signal_blocked();

	if (!((pending_of(0) | pending_of(PENDING_PROCESS)) & ~signal_bits(mask)))
		return false;
	deliver_block(signal_bits(mask));
	signal_let_in(pc);
	deliver_block(before);
	return true;
}

bool signal_wants_stack(int sig, uint64_t sp)
{
	struct sigaction a;

	return !sigaction(sig, NULL, &a) && a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN &&
	       altstack_top(a.sa_flags, sp) && !(signal_blocked() & signal_bit(sig));
}
