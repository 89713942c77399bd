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
CHANGES(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit),
	"changes its limits")
CHANGES(int, setrlimit64, (__rlimit_resource_t what, const struct rlimit64 *limit), (what, limit),
	"changes its limits")
