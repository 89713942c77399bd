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
 * internal wait __wait wait3 wait4 waitpid __waitpid waitid - how a child ends is noted, since it had to
 *	end so where all went well
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "preload/core/active.h"
#include "preload/core/kin_end.h"
#include "preload/hooks/process/ended.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/loop/children.h"

/* Status: of one who has ended; as wait() has it. */
static int status_of(const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return W_EXITCODE(info->si_status, 0);
	return W_EXITCODE(0, info->si_status | (info->si_code == CLD_DUMPED ? WCOREFLAG : 0));
}

static pid_t wait_noted(pid_t which, int *status, int options, struct rusage *usage)
{
	idtype_t type = which == -1 ? P_ALL : which > 0 ? P_PID : P_PGID;
	siginfo_t info;

	if (ended_wait(type, (id_t)(which < 0 ? -which : which), &info, options | WEXITED, usage))
		return -1;
	*status = status_of(&info);
	return info.si_pid;
}

static bool is_end(const siginfo_t *info)
{
	return info->si_pid > 0 && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
				    info->si_code == CLD_DUMPED);
}

/*
 * Who ends next? Waits like waitid(), and leaves the child to be waited for; what the kernel knows of one that has ended is
 * looked at. Returns 0 or -1.
 */
static int look_first(idtype_t type, id_t which, siginfo_t *info, int options)
{
	info->si_pid = 0;
	if (REAL(waitid)(type, which, info, options | WNOWAIT))
		return -1;
	if (is_end(info))
		kin_end_look(info->si_pid);
	return 0;
}

static int waitid_looking(idtype_t type, id_t which, siginfo_t *info, int options)
{
	siginfo_t first;
	int result;

	if (!kin_end_known() || options & WNOWAIT)
		return REAL(waitid)(type, which, info, options);
	do {
		if (look_first(type, which, &first, options))
			return -1;
		if (!first.si_pid) {
			*info = first;
			return 0;
		}
		result = REAL(waitid)(P_PID, (id_t)first.si_pid, info, options);
	} while (result && errno == ECHILD); /* another thread was faster */
	return result;
}

enum {
	WAIT4_OPTIONS = WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE
};

static pid_t wait4_looking(pid_t which, int *status, int options, struct rusage *usage)
{
	idtype_t type = which == -1 ? P_ALL : which > 0 ? P_PID : P_PGID;
	siginfo_t first;
	pid_t pid;

	if (!kin_end_known() || which == INT_MIN || options & ~WAIT4_OPTIONS)
		return REAL(wait4)(which, status, options, usage);
	do {
		/* WSTOPPED is WUNTRACED */
		if (look_first(type, type == P_PGID ? (id_t)-which : (id_t)which, &first,
			       options | WEXITED))
			return -1;
		if (!first.si_pid)
			return 0;
		pid = REAL(wait4)(first.si_pid, status, options, usage);
	} while (pid < 0 && errno == ECHILD); /* another thread was faster */
	return pid;
}

/* libc's functions have a status that may be NULL. */
static pid_t wait_for(pid_t which, int *out, int options, struct rusage *usage, uint64_t pc)
{
	int now = 0;
	pid_t pid;

	cancellation_point(pc);
	if (under_engine() && ended_matters())
		pid = wait_noted(which, &now, options, usage);
	else
		pid = wait4_looking(which, &now, options, usage);
	if (pid > 0 && out)
		*out = now;
	if (pid > 0 && init_active() && (WIFEXITED(now) || WIFSIGNALED(now)))
		children_ended(pid, now);
	return pid;
}

HEDDLE_HOOK pid_t wait(int *out)
{
	return wait_for(-1, out, 0, NULL, CALLER());
}

HEDDLE_HOOK pid_t waitpid(pid_t which, int *out, int options)
{
	return wait_for(which, out, options, NULL, CALLER());
}

HEDDLE_HOOK pid_t wait3(int *out, int options, struct rusage *usage)
{
	return wait_for(-1, out, options, usage, CALLER());
}

HEDDLE_HOOK pid_t wait4(pid_t which, int *out, int options, struct rusage *usage)
{
	return wait_for(which, out, options, usage, CALLER());
}

HEDDLE_HOOK int waitid(idtype_t type, id_t which, siginfo_t *info, int options)
{
	siginfo_t own = { 0 }, *i = info ? info : &own;
	int result;

	cancellation_point(CALLER());
	if (under_engine() && ended_matters())
		result = ended_wait(type, which, i, options, NULL);
	else
		result = waitid_looking(type, which, i, options);
	if (!result && is_end(i) && !(options & WNOWAIT) && init_active())
		children_ended(i->si_pid, status_of(i));
	return result;
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__wait, wait);
ALSO_CALLED(__waitpid, waitpid);
