/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_user.c - whose the process is: its users and groups
 *
 * The kernel keeps these for each of its threads. libc has every other thread make the call, too,
 * and waits for it; threads that are fibers never would. There is one thread of the kernel here, so
 * the kernel is asked once. It then forgets that the process is to die with the controller.
 */
/*
 * intercepts: Processes
 *
 * undone setuid setgid seteuid setegid setreuid setregid setresuid setresgid setgroups - of
 *	the whole process; executions run in children from then on
 * refused initgroups - once there are threads
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "preload/core/sys.h"
#include "preload/facts/needs.h"

static int change(long number, long a, long b, long c)
{
	int at_death = 0;
	long result;

	needs_fork("changes whose process it is");
	sys3(SYS_prctl, PR_GET_PDEATHSIG, (long)&at_death, 0);
	result = sys3(number, a, b, c);
	sys3(SYS_prctl, PR_SET_PDEATHSIG, at_death, 0);
	if (result >= 0)
		return 0;
	errno = (int)-result;
	return -1;
}

#define CHANGES(name, params, args, ...)          \
	HEDDLE_HOOK int name params               \
	{                                         \
		if (!under_engine())              \
			return REAL(name) args;   \
		return change(SYS_##__VA_ARGS__); \
	}

/* No id: leaves that one as it is, where there are several. */
#define NONE (-1l)

CHANGES(setuid, (uid_t user), (user), setuid, (long)user, 0, 0)
CHANGES(setgid, (gid_t group), (group), setgid, (long)group, 0, 0)
CHANGES(setreuid, (uid_t real, uid_t user), (real, user), setreuid, (long)real, (long)user, 0)
CHANGES(setregid, (gid_t real, gid_t group), (real, group), setregid, (long)real, (long)group, 0)
CHANGES(setresuid, (uid_t real, uid_t user, uid_t saved), (real, user, saved), setresuid,
	(long)real, (long)user, (long)saved)
CHANGES(setresgid, (gid_t real, gid_t group, gid_t saved), (real, group, saved), setresgid,
	(long)real, (long)group, (long)saved)
CHANGES(setgroups, (size_t n, const gid_t *groups), (n, groups), setgroups, (long)n, (long)groups,
	0)

HEDDLE_HOOK int seteuid(uid_t user)
{
	if (!under_engine() || user == (uid_t)NONE)
		return REAL(seteuid)(user);
	return change(SYS_setresuid, NONE, (long)user, NONE);
}

HEDDLE_HOOK int setegid(gid_t group)
{
	if (!under_engine() || group == (gid_t)NONE)
		return REAL(setegid)(group);
	return change(SYS_setresgid, NONE, (long)group, NONE);
}

HEDDLE_HOOK int initgroups(const char *user, gid_t group)
{
	if (under_engine())
		NOT_YET("initgroups() of a program with threads",
			"call it before the first thread is created");
	return REAL(initgroups)(user, group);
}
