/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_state.c - what the kernel keeps for the process as a whole
 *
 * Where it is, its mask for new files, its limits: all threads share them, and a next execution would
 * begin with what the last one left. So executions run in children once they are changed.
 */
/*
 * intercepts: Processes
 *
 * undone chdir fchdir umask nice setrlimit setrlimit64 - executions run in children from then on
 * internal getrlimit __getrlimit getrlimit64 - of memory the program has the limits that it has set: malloc(), mmap()
 *	and pthread_create() fail beyond them
 */
#include "preload/hooks/hook.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/facts/needs.h"

#define CHANGES(type, name, params, args, what) \
	HEDDLE_HOOK type name params            \
	{                                       \
		if (under_engine())             \
			needs_fork(what);       \
		return REAL(name) args;         \
	}

CHANGES(int, chdir, (const char *path), (path), "changes its working directory")
CHANGES(int, fchdir, (int fd), (fd), "changes its working directory")
CHANGES(mode_t, umask, (mode_t mask), (mask), "changes its mask for new files")
CHANGES(int, nice, (int by), (by), "changes its priority")

/* ---- Limits: those of memory are kept by us (memory/limit.h) ------------------------------------- */

#define LIMITS(set, get, change, type)                                          \
	HEDDLE_HOOK int set(__rlimit_resource_t what, const struct type *limit) \
	{                                                                       \
		return change(0, (enum __rlimit_resource)what, limit, NULL);    \
	}                                                                       \
	HEDDLE_HOOK int get(__rlimit_resource_t what, struct type *limit)       \
	{                                                                       \
		return change(0, (enum __rlimit_resource)what, NULL, limit);    \
	}

LIMITS(setrlimit, getrlimit, prlimit, rlimit)
LIMITS(setrlimit64, getrlimit64, prlimit64, rlimit64)

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__getrlimit, getrlimit);
