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
#include "preload/hooks/signal/signal_send.h"

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

enum {
	FAULTS = sizeof(faults) / sizeof(*faults)
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

HEDDLE_HOOK int sigaction(int sig, const struct sigaction *restrict act,
			  struct sigaction *restrict old)
{
	struct sigaction before, *mine = fault(sig);

	if (!init_active() || !mine)
		return REAL(sigaction)(sig, act, old);
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

	if (!init_active() || !mine)
		return REAL(signal)(sig, handler);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	before = mine->sa_handler;
	*mine = (struct sigaction){ .sa_handler = handler };
	return before;
}
