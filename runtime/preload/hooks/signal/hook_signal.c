/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_signal.c - signals that the program handles
 *
 * Faults belong to signal.c: what the program installs for them is remembered, so that it
 * gets it back when it asks, but ours stays in front. Other handlers are installed as ever.
 * Alarms: hook_alarm.c.
 */
/*
 * intercepts: Signals
 *
 * internal sigaction signal - handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and
 *	SIGABRT are kept, but never called: heddle reports what they are for
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/signal/timers.h"

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

enum {
	FAULTS = sizeof(faults) / sizeof(*faults),
	SIGNALS = 65 /* SIGRTMAX is a call */
};

/* What the program wants done about each of them. */
HEDDLE_IMAGE_SELDOM static struct sigaction wanted[FAULTS];

bool signal_is_fault(int sig)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == sig)
			return true;
	return false;
}

static struct sigaction *fault(int sig)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == sig)
			return &wanted[i];
	return NULL;
}

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

static void heard(int sig, sighandler_t handler, uint64_t pc)
{
	if (handler != SIG_DFL && handler != SIG_IGN)
		timers_heard(signal_bit(sig), pc);
}

HEDDLE_HOOK int sigaction(int sig, const struct sigaction *restrict act,
			  struct sigaction *restrict old)
{
	struct sigaction before, *mine = fault(sig);
	int result;

	if (!init_active() || !mine) {
		if (act)
			about_to_change(sig);
		result = REAL(sigaction)(sig, act, old);
		if (act && !result)
			heard(sig, act->sa_handler, CALLER());
		return result;
	}
	before = *mine;
	if (act)
		*mine = *act;
	if (old)
		*old = before;
	return 0;
}

HEDDLE_HOOK sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction *mine = fault(sig);
	sighandler_t before;

	if (!init_active() || !mine) {
		about_to_change(sig);
		before = REAL(signal)(sig, handler);
		if (before != SIG_ERR)
			heard(sig, handler, CALLER());
		return before;
	}
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	before = mine->sa_handler;
	*mine = (struct sigaction){ .sa_handler = handler };
	return before;
}
