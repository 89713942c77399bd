/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_signal.c - signals that the program handles or sends
 *
 * Faults belong to signal.c: what the program installs for them is remembered, so that it
 * gets it back when it asks, but ours stays in front. Other handlers are installed as ever;
 * nobody sends these signals while the program is explored, since sending is refused once
 * there are threads: when a signal arrives is not a schedule that heddle explores. Alarms never
 * ring (hook_alarm.c).
 */
/*
 * intercepts: Signals
 *
 * refused kill killpg tgkill raise sigqueue pthread_kill pthread_sigqueue - once there are
 *	threads, but for signal 0; raise(SIGABRT) is the bug abort
 * refused pause sigsuspend sigwait sigwaitinfo sigtimedwait - once there are threads
 * internal sigaction signal - handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and
 *	SIGABRT are kept, but never called: heddle reports what they are for
 * internal sigprocmask pthread_sigmask - these signals stay unblocked
 */
#include "target/hook.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "target/hooks.h"
#include "target/init.h"

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

enum {
	FAULTS = sizeof(faults) / sizeof(*faults)
};

/* What the program wants done about each of them. */
HEDDLE_IMAGE_SELDOM static struct sigaction wanted[FAULTS];

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

/* Faults stay unblocked: signal.c needs them. */
static const sigset_t *without_faults(const sigset_t *set, int how, sigset_t *copy)
{
	if (!init_active() || !set || how == SIG_UNBLOCK)
		return set;
	*copy = *set;
	for (int i = 0; i < FAULTS; i++)
		sigdelset(copy, faults[i]);
	return copy;
}

HEDDLE_HOOK int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t copy;

	return REAL(sigprocmask)(how, without_faults(set, how, &copy), old);
}

HEDDLE_HOOK int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t copy;

	return REAL(pthread_sigmask)(how, without_faults(set, how, &copy), old);
}

/* ---- Sending ---------------------------------------------------------------------------------- */

static void refuse_sending(const char *call, int sig)
{
	/* What there is not is not sent, but an error. */
	if (sig > 0 && sig <= SIGRTMAX && under_engine())
		refuse("the program sends a signal with ", call,
		       ", and signals are not explored: test the code without them", NULL);
}

HEDDLE_HOOK int raise(int sig)
{
	if (under_engine() && sig == SIGABRT)
		report_bug_here(BUG_ABORT, 0, CALLER(), "the program raised SIGABRT");
	refuse_sending("raise()", sig);
	return REAL(raise)(sig);
}

#define SENDER(name, params, args, sig)          \
	HEDDLE_HOOK int name params              \
	{                                        \
		refuse_sending(#name "()", sig); \
		return REAL(name) args;          \
	}

SENDER(kill, (pid_t pid, int sig), (identity_real(pid), sig), sig)
SENDER(killpg, (pid_t group, int sig), (group, sig), sig)
SENDER(tgkill, (pid_t group, pid_t tid, int sig), (identity_real(group), identity_real(tid), sig),
       sig)
SENDER(sigqueue, (pid_t pid, int sig, const union sigval value), (identity_real(pid), sig, value),
       sig)
SENDER(pthread_kill, (pthread_t thread, int sig), (thread, sig), sig)
SENDER(pthread_sigqueue, (pthread_t thread, int sig, const union sigval value),
       (thread, sig, value), sig)

/* ---- Waiting ------------------------------------------------------------------------------------ */

#define WAITER(name, params, args)                                            \
	HEDDLE_HOOK int name params                                           \
	{                                                                     \
		if (under_engine())                                           \
			refuse("the program waits for a signal with ", #name, \
			       "(), and signals are not explored", NULL);     \
		return REAL(name) args;                                       \
	}

WAITER(pause, (void), ())
WAITER(sigsuspend, (const sigset_t *set), (set))
WAITER(sigwait, (const sigset_t *restrict set, int *restrict sig), (set, sig))
WAITER(sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
WAITER(sigtimedwait,
       (const sigset_t *restrict set, siginfo_t *restrict info,
	const struct timespec *restrict timeout),
       (set, info, timeout))
