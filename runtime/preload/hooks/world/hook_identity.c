/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_identity.c - who the program is told that it is
 *
 * The kernel gives another process id to each run, to each child of the fork back end, and one
 * thread id to all threads of the program, since one kernel thread runs them. Here the process
 * always has the same id, larger than the kernel's can be, and each thread its own. Where a
 * program hands such an id back (here, and to kill()), it is translated.
 */
/*
 * intercepts: Processes
 *
 * deterministic getpid __getpid getppid gettid - the same in each run; every thread has an id of
 *	its own
 * internal getpgid __getpgid getpgrp getsid getpriority - know these ids
 * undone prlimit prlimit64 setpriority - likewise; executions run in children once
 *	something is changed
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/world/identity.h"
#include "preload/loop/children.h"
#include "preload/memory/limit.h"

enum {
	FIRST_ID = 4194400, /* PID_MAX_LIMIT of a 64-bit kernel is 4194304 */
	PARENT_ID = FIRST_ID - 1,
	IDS_EACH = 100 /* of a process and its threads */
};

/* A child that is explored is not its parent. */
static pid_t process_id(void)
{
	return FIRST_ID + (pid_t)children_level() * IDS_EACH;
}

static pid_t parent_id(void)
{
	return children_level() ? process_id() - IDS_EACH : PARENT_ID;
}

/*
 * A process that lets go of heddle: its parent is known to the program by the id it had there, and so
 * is the process itself, if it goes on (children.c). So is one process at most; its children find
 * the same here.
 */
static pid_t kept_real, kept_id;

static void identity_detach(uint32_t goes_on)
{
	kept_real = goes_on ? REAL(getpid)() : REAL(getppid)();
	kept_id = process_id();
}

AT_DETACH(identity_detach);

static pid_t kept(pid_t real)
{
	return kept_id && real == kept_real ? kept_id : real;
}

HEDDLE_HOOK pid_t getpid(void)
{
	return init_active() ? process_id() : kept(REAL(getpid)());
}

HEDDLE_HOOK pid_t getppid(void)
{
	return init_active() ? parent_id() : kept(REAL(getppid)());
}

HEDDLE_HOOK pid_t gettid(void)
{
	if (!init_active())
		return kept(REAL(gettid)());
	return process_id() + (current ? (pid_t)current->tid : 0);
}

pid_t identity_real(pid_t id)
{
	if (id < -1) /* a group */
		return -identity_real(-id);
	if (!init_active())
		return kept_id && id == kept_id ? kept_real : id;
	if (id == parent_id())
		return REAL(getppid)();
	return id >= process_id() && id < process_id() + HEDDLE_MAX_THREADS ? REAL(getpid)() : id;
}

pid_t identity_shown(pid_t real)
{
	if (!init_active())
		return kept(real);
	if (real == REAL(getpid)())
		return process_id();
	return real == REAL(getppid)() ? parent_id() : real;
}

int identity_thread(pid_t id)
{
	int tid = id - process_id();

	return tid >= 0 && tid < HEDDLE_MAX_THREADS && fibers[tid].existing ? tid : -1;
}

pid_t identity_of(uint32_t tid)
{
	return process_id() + (pid_t)tid;
}

/* ---- Calls about a process or thread ---------------------------------------------------------- */

#define ABOUT(type, name, params, args) \
	HEDDLE_HOOK type name params    \
	{                               \
		return REAL(name) args; \
	}

/* The same, if it changes what a next execution would find. */
#define CHANGES(type, name, params, args, changes)                                     \
	HEDDLE_HOOK type name params                                                   \
	{                                                                              \
		if (under_engine() && (changes))                                       \
			needs_fork("changes the priority or the limits of a process"); \
		return REAL(name) args;                                                \
	}

HEDDLE_HOOK pid_t getpgid(pid_t id)
{
	return identity_shown(REAL(getpgid)(identity_real(id)));
}

HEDDLE_HOOK pid_t getsid(pid_t id)
{
	return identity_shown(REAL(getsid)(identity_real(id)));
}

HEDDLE_HOOK pid_t getpgrp(void)
{
	return identity_shown(REAL(getpgrp)());
}

/* Of memory, and the program itself: limit.h has the limits. */
_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "64 bits, both");

static bool is_kept(pid_t real, int what)
{
	return init_our_heap() && limit_is_ours(what) && (real == 0 || real == REAL(getpid)());
}

static int change_kept(int what, const struct rlimit *limit, struct rlimit *old)
{
	int error = EFAULT;

	note_hidden_state();
	if ((!limit || memory_readable(limit, sizeof(*limit))) &&
	    (!old || memory_writable(old, sizeof(*old))))
		error = limit_change(what, limit, old);
	if (error)
		errno = error;
	return error ? -1 : 0;
}

#define PRLIMIT(name, type)                                                                   \
	HEDDLE_HOOK int name(pid_t id, enum __rlimit_resource what, const struct type *limit, \
			     struct type *old)                                                \
	{                                                                                     \
		if (is_kept(identity_real(id), (int)what))                                    \
			return change_kept((int)what, (const struct rlimit *)limit,           \
					   (struct rlimit *)old);                             \
		if (under_engine() && limit)                                                  \
			needs_fork("changes the priority or the limits of a process");        \
		return REAL(name)(identity_real(id), what, limit, old);                       \
	}

PRLIMIT(prlimit, rlimit)
PRLIMIT(prlimit64, rlimit64)

/* Ids of groups and users are those of the system. */
static id_t real_for(__priority_which_t which, id_t id)
{
	return which == PRIO_PROCESS ? (id_t)identity_real((pid_t)id) : id;
}

ABOUT(int, getpriority, (__priority_which_t which, id_t id), (which, real_for(which, id)))
CHANGES(int, setpriority, (__priority_which_t which, id_t id, int value),
	(which, real_for(which, id), value), true)

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__getpgid, getpgid);
ALSO_CALLED(__getpid, getpid);
