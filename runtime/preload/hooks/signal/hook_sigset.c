/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sigset.c - signals as System V had them
 *
 * libc makes these of its own sigaction() and sigprocmask(), past our hooks.
 */
/*
 * intercepts: Signals
 *
 * checked sighold sigrelse sigset sigignore - as by sigprocmask() and sigaction()
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>

#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/signal/timers.h"

/* They are old, and so are programs. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static bool valid(int sig)
{
	if (sig > 0 && sig <= SIGRTMAX)
		return true;
	errno = EINVAL;
	return false;
}

/* Did the thread block it before? */
static bool change_mask(int how, int sig, uint64_t pc)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, sig);
	signal_mask(how, &set, &before, pc);
	if (how == SIG_BLOCK)
		timers_heard(signal_bits(&set), pc);
	return sigismember(&before, sig);
}

#define CHANGES(name, how)                       \
	HEDDLE_HOOK int name(int sig)            \
	{                                        \
		if (!signals_are_ours())         \
			return REAL(name)(sig);  \
		if (!valid(sig))                 \
			return -1;               \
		change_mask(how, sig, CALLER()); \
		return 0;                        \
	}

CHANGES(sighold, SIG_BLOCK)
CHANGES(sigrelse, SIG_UNBLOCK)

HEDDLE_HOOK int sigignore(int sig)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	return signals_are_ours() ? sigaction(sig, &ignore, NULL) : REAL(sigignore)(sig);
}

HEDDLE_HOOK sighandler_t sigset(int sig, sighandler_t handler)
{
	struct sigaction to = { .sa_handler = handler }, before;
	bool holds = handler == SIG_HOLD;

	if (!signals_are_ours())
		return REAL(sigset)(sig, handler);
	if (handler == SIG_ERR || !valid(sig)) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (sigaction(sig, holds ? NULL : &to, &before))
		return SIG_ERR;
	if (change_mask(holds ? SIG_BLOCK : SIG_UNBLOCK, sig, CALLER()))
		return SIG_HOLD;
	return before.sa_handler;
}
