/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_identity.c - who the program is told that it is
 *
 * The kernel gives another process id to each run, to each child of the fork back end, and one
 * thread id to all threads of the program, since one kernel thread runs them. Here the process
 * always has the same id, larger than the kernel's can be, and each thread its own. Where a
 * program hands such an id back (kill()), it is translated.
 */
/*
 * intercepts: Processes
 *
 * deterministic getpid getppid gettid - the same in each run; every thread has an id of
 *	its own
 */
#include "target/hook.h"

#include <unistd.h>

#include "target/hooks.h"
#include "target/init.h"

enum {
	FIRST_ID = 4194400, /* PID_MAX_LIMIT of a 64-bit kernel is 4194304 */
	PARENT_ID = FIRST_ID - 1,
};

HEDDLE_HOOK pid_t getpid(void)
{
	return init_active() ? FIRST_ID : REAL(getpid)();
}

HEDDLE_HOOK pid_t getppid(void)
{
	return init_active() ? PARENT_ID : REAL(getppid)();
}

HEDDLE_HOOK pid_t gettid(void)
{
	if (!init_active())
		return REAL(gettid)();
	return FIRST_ID + (current ? (pid_t)current->tid : 0);
}

pid_t identity_real(pid_t id)
{
	if (!init_active())
		return id;
	if (id == PARENT_ID)
		return REAL(getppid)();
	return id >= FIRST_ID && id < FIRST_ID + HEDDLE_MAX_THREADS ? REAL(getpid)() : id;
}
