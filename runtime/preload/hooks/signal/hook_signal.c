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
 * internal sigaction signal bsd_signal ssignal __sysv_signal sysv_signal - handlers of SIGSEGV, SIGBUS,
 *	SIGFPE, SIGILL, SIGTRAP and SIGABRT are called by heddle, which reports what has none
 * checked sigaltstack - each thread has its own
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/touch.h"
#include "preload/hooks/interrupt/altstack.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/interrupt/pending.h"

/* Handlers of the program that are to run on the stack for signals. */
static HEDDLE_IMAGE_SELDOM uint64_t on_altstack = 0;

/* As the kernel is to have it. */
static int install(int sig, const struct sigaction *act, struct sigaction *old)
{
	uint64_t before = on_altstack;
	struct sigaction ours;

	if (act) {
		ours = *act;
		ours.sa_flags &= ~SA_ONSTACK;
	}
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
	touching_pc = CALLER();
	error = set_action(sig, act, old);
	touching_pc = 0;
	return error;
}

/* Faults only: siginterrupt() changes what libc does for the others. */
static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
	struct sigaction to = { .sa_handler = handler, .sa_flags = flags }, before;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (flags & SA_RESTART)
		sigaddset(&to.sa_mask, sig);
	set_action(sig, &to, &before);
	return before.sa_handler;
}

#define SIGNAL(name, flags)                                          \
	sighandler_t name(int sig, sighandler_t handler);            \
	HEDDLE_HOOK sighandler_t name(int sig, sighandler_t handler) \
	{                                                            \
		if (!init_active() || !signal_is_fault(sig))         \
			return REAL(name)(sig, handler);             \
		return set_handler(sig, handler, flags);             \
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
