/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sigset.c - signals as System V and BSD had them
 *
 * libc makes these of its own sigaction(), sigprocmask() and sigsuspend(), past our hooks.
 */
/*
 * intercepts: Signals
 *
 * checked sighold sigrelse sigset sigignore sigblock sigsetmask siggetmask siginterrupt - as by sigprocmask() and
 *	sigaction()
 * explored sigpause __sigpause __xpg_sigpause - as by sigsuspend()
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>

#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/signal/signal_send.h"
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

/* What the thread blocked before. */
static sigset_t change_masks(int how, const sigset_t *set, uint64_t pc)
{
	sigset_t before;

	signal_mask(how, set, &before, pc);
	if (how != SIG_UNBLOCK)
		timers_heard(signal_bits(set), pc);
	return before;
}

/* Did the thread block it before? */
static bool change_mask(int how, int sig, uint64_t pc)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, sig);
	before = change_masks(how, &set, pc);
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

/* ---- BSD's: a mask is an int, with a bit for each of the first signals ----------------------------- */

static sigset_t set_of(int mask)
{
	sigset_t set;

	sigemptyset(&set);
	set.__val[0] = (unsigned)mask;
	return set;
}

static int mask_of(sigset_t set)
{
	return (int)set.__val[0];
}

#define MASKS(name, how)                                           \
	HEDDLE_HOOK int name(int mask)                             \
	{                                                          \
		sigset_t set = set_of(mask);                       \
                                                                   \
		if (!signals_are_ours())                           \
			return REAL(name)(mask);                   \
		return mask_of(change_masks(how, &set, CALLER())); \
	}

MASKS(sigblock, SIG_BLOCK)
MASKS(sigsetmask, SIG_SETMASK)

HEDDLE_HOOK int siggetmask(void)
{
	sigset_t before;

	if (!signals_are_ours())
		return REAL(siggetmask)();
	signal_mask(SIG_BLOCK, NULL, &before, CALLER());
	return mask_of(before);
}

HEDDLE_HOOK int siginterrupt(int sig, int interrupts)
{
	struct sigaction action;

	if (!signals_are_ours())
		return REAL(siginterrupt)(sig, interrupts);
	if (sigaction(sig, NULL, &action))
		return -1;
	action.sa_flags &= ~SA_RESTART;
	action.sa_flags |= interrupts ? 0 : SA_RESTART;
	return sigaction(sig, &action, NULL);
}

/* With what the thread blocks, but for that signal. */
static int pause_for(int sig, uint64_t pc)
{
	sigset_t set;

	if (!valid(sig))
		return -1;
	signal_mask(SIG_BLOCK, NULL, &set, pc);
	sigdelset(&set, sig);
	return signal_suspend_any(&set, pc);
}

static int pause_with(int mask, uint64_t pc)
{
	sigset_t set = set_of(mask);

	return signal_suspend_any(&set, pc);
}

int __sigpause(int sig_or_mask, int is_sig);
HEDDLE_HOOK int __sigpause(int sig_or_mask, int is_sig)
{
	if (!signals_are_ours())
		return REAL(__sigpause)(sig_or_mask, is_sig);
	return is_sig ? pause_for(sig_or_mask, CALLER()) : pause_with(sig_or_mask, CALLER());
}

int __xpg_sigpause(int sig);
HEDDLE_HOOK int __xpg_sigpause(int sig)
{
	return signals_are_ours() ? pause_for(sig, CALLER()) : REAL(__xpg_sigpause)(sig);
}

/* The headers call that of System V by this name. */
int bsd_sigpause(int mask) __asm__("sigpause");
HEDDLE_HOOK int bsd_sigpause(int mask)
{
	return signals_are_ours() ? pause_with(mask, CALLER()) : REAL(__sigpause)(mask, 0);
}
