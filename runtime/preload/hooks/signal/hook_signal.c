/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_signal.c - signals that the program handles
 *
 * What it wants done about faults is kept in fault.c: heddle's handler stays in front, and calls the
 * program's. Other handlers are installed as ever, but on no stack for signals: which one the kernel
 * knows is the runtime's (altstack.h). Alarms: hook_alarm.c.
 */
/*
 * intercepts: Signals
 *
 * internal sigaction __sigaction signal bsd_signal ssignal __sysv_signal sysv_signal - handlers of SIGSEGV, SIGBUS,
 *	SIGFPE, SIGILL, SIGTRAP and SIGABRT are called by heddle, which reports what has none
 * checked sigaltstack - each thread has its own
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/touch.h"
#include "preload/hooks/interrupt/altstack.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/interrupt/pending.h"
#include "preload/hooks/signal/timers.h"

/* Handlers of the program that are to run on the stack for signals. */
static HEDDLE_IMAGE_SELDOM uint64_t on_altstack = 0;

/*
 * Actions are the kernel's. Those that threads change are put back before the next execution; with the fork back
 * end, the process that makes the children has none of them changed.
 */
static struct sigaction root_action[SIGNALS];
KEPT(root_action);
static uint64_t changed;

static void about_to_change(int sig)
{
	if (!under_engine() || sig < 1 || sig >= SIGNALS || changed & signal_bit(sig))
		return;
	if (REAL(sigaction)(sig, NULL, &root_action[sig]) == 0)
		changed |= signal_bit(sig);
}

static void put_back_actions(void)
{
	for (int sig = 1; changed && sig < SIGNALS; sig++)
		if (changed & signal_bit(sig))
			REAL(sigaction)(sig, &root_action[sig], NULL);
	changed = 0;
}

AT_BEGIN(put_back_actions);

/* What deliver.c asks is part of another operation. */
static void in_order(int sig, uint64_t pc)
{
	bool part = deliver_asks;

	deliver_asks = false;
	if (under_engine() && !part && sig > 0 && sig < SIGNALS && sig != SIGKILL && sig != SIGSTOP)
		signal_action_order(sig, pc);
}

/* Faults are handled by the thread that has them, whatever else happens. */
static void changes(int sig)
{
	if (under_engine() && sig > 0 && sig < SIGNALS && !signal_is_fault(sig))
		deliver_changes(sig);
}

static void heard(int sig, sighandler_t handler, uint64_t pc)
{
	if (handler != SIG_DFL && handler != SIG_IGN)
		timers_heard(signal_bit(sig), pc);
	else
		deliver_discard(sig, pc);
}

/* As the kernel is to have it. */
static int install(int sig, const struct sigaction *act, struct sigaction *old)
{
	uint64_t before = on_altstack;
	struct sigaction ours;

	if (act) {
		ours = *act;
		ours.sa_flags &= ~SA_ONSTACK;
	}
	if (act)
		about_to_change(sig);
	if (REAL(sigaction)(sig, act ? &ours : NULL, old))
		return -1;
	if (old && before & signal_bit(sig))
		old->sa_flags |= SA_ONSTACK;
	if (act && act->sa_flags & SA_ONSTACK)
		write_noted(&on_altstack, before | signal_bit(sig));
	else if (act && before & signal_bit(sig))
		write_noted(&on_altstack, before & ~signal_bit(sig));
	return 0;
}

static int set_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	const struct sigaction *mine = fault_action(sig);
	struct sigaction before;

	if (!mine)
		return install(sig, act, old);
	before = *mine;
	if (act)
		fault_set_action(sig, act);
	if (old)
		*old = before;
	return 0;
}

HEDDLE_HOOK int sigaction(int sig, const struct sigaction *restrict act,
			  struct sigaction *restrict old)
{
	int error;

	if (!init_active())
		return REAL(sigaction)(sig, act, old);
	if (act && !deliver_asks)
		interrupt_point(CALLER()); /* the handler that there is may begin until then */
	in_order(sig, CALLER());
	if (act)
		changes(sig);
	touching_pc = CALLER();
	error = set_action(sig, act, old);
	touching_pc = 0;
	if (act && !error)
		heard(sig, act->sa_handler, CALLER());
	return error;
}

/* As libc has it: siginterrupt() changes what it does. */
static sighandler_t libcs(sighandler_t (*real)(int, sighandler_t), int sig, sighandler_t handler,
			  uint64_t pc)
{
	sighandler_t before;

	in_order(sig, pc);
	changes(sig);
	about_to_change(sig);
	before = real(sig, handler);
	if (before == SIG_ERR)
		return before;
	if (on_altstack & signal_bit(sig))
		write_noted(&on_altstack, on_altstack & ~signal_bit(sig));
	heard(sig, handler, pc);
	return before;
}

/* Of faults only. */
static sighandler_t set_handler(int sig, sighandler_t handler, int flags, uint64_t pc)
{
	struct sigaction to = { .sa_handler = handler, .sa_flags = flags }, before;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	in_order(sig, pc);
	if (flags & SA_RESTART)
		sigaddset(&to.sa_mask, sig);
	set_action(sig, &to, &before);
	heard(sig, handler, pc);
	return before.sa_handler;
}

#define SIGNAL(name, flags)                                               \
	sighandler_t name(int sig, sighandler_t handler);                 \
	HEDDLE_HOOK sighandler_t name(int sig, sighandler_t handler)      \
	{                                                                 \
		if (!init_active())                                       \
			return REAL(name)(sig, handler);                  \
		interrupt_point(CALLER());                                \
		if (!signal_is_fault(sig))                                \
			return libcs(REAL(name), sig, handler, CALLER()); \
		return set_handler(sig, handler, flags, CALLER());        \
	}

SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
/* signal() of programs that are compiled with -std=c11 and the like */
SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

HEDDLE_HOOK int sigaltstack(const stack_t *restrict set, stack_t *restrict old)
{
	int error;

	if (!init_active())
		return REAL(sigaltstack)(set, old);
	error = altstack_set(set, old, (uintptr_t)__builtin_frame_address(0));
	if (error)
		errno = error;
	return error ? -1 : 0;
}

/* A child that runs alone has the kernel's stack for signals again (altstack.c). */
static void handlers_detach(uint32_t goes_on)
{
	struct sigaction a;

	(void)goes_on;
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		if (!(on_altstack & signal_bit(sig)) || REAL(sigaction)(sig, NULL, &a))
			continue;
		a.sa_flags |= SA_ONSTACK;
		REAL(sigaction)(sig, &a, NULL);
	}
}

AT_DETACH(handlers_detach);

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__sigaction, sigaction);
