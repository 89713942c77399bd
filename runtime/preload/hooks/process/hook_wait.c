/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_wait.c - waiting for other processes
 *
 * What the program learns of the end of a child is noted (children.c): where all went well, that was
 * how the child had to end.
 */
/*
 * intercepts: Processes
 *
 * internal wait wait3 wait4 waitpid waitid - how a child ends is noted, since it had to
 *	end so where all went well
 */
#include "preload/hooks/hook.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "preload/core/active.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/loop/children.h"

/* libc's functions have a status that may be NULL. */
static pid_t noted(pid_t pid, int status, int *out)
{
	if (out)
		*out = status;
	if (pid > 0 && init_active() && (WIFEXITED(status) || WIFSIGNALED(status)))
		children_ended(pid, status);
	return pid;
}

HEDDLE_HOOK pid_t wait(int *out)
{
	int now = 0;
	pid_t pid;

	cancellation_point(CALLER());
	pid = REAL(wait)(&now);
	return noted(pid, now, pid > 0 ? out : NULL);
}

HEDDLE_HOOK pid_t waitpid(pid_t which, int *out, int options)
{
	int now = 0;
	pid_t pid;

	cancellation_point(CALLER());
	pid = REAL(waitpid)(which, &now, options);
	return noted(pid, now, pid > 0 ? out : NULL);
}

HEDDLE_HOOK pid_t wait3(int *out, int options, struct rusage *usage)
{
	int now = 0;
	pid_t pid;

	cancellation_point(CALLER());
	pid = REAL(wait3)(&now, options, usage);
	return noted(pid, now, pid > 0 ? out : NULL);
}

HEDDLE_HOOK pid_t wait4(pid_t which, int *out, int options, struct rusage *usage)
{
	int now = 0;
	pid_t pid;

	cancellation_point(CALLER());
	pid = REAL(wait4)(which, &now, options, usage);
	return noted(pid, now, pid > 0 ? out : NULL);
}

HEDDLE_HOOK int waitid(idtype_t type, id_t which, siginfo_t *info, int options)
{
	siginfo_t own = { 0 };
	const siginfo_t *i = info ? info : &own;
	int result;

	cancellation_point(CALLER());
	result = REAL(waitid)(type, which, info ? info : &own, options);
	if (!result && i->si_pid > 0 && init_active()) {
		if (i->si_code == CLD_EXITED)
			children_ended(i->si_pid, W_EXITCODE(i->si_status, 0));
		else if (i->si_code == CLD_KILLED || i->si_code == CLD_DUMPED)
			children_ended(i->si_pid, W_EXITCODE(0, i->si_status));
	}
	return result;
}
