/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_look.c - calls that look what there is of some name, and do nothing else
 *
 * Ids in paths below /proc are those that the program was told (proc_path.h).
 */
/*
 * intercepts: Files and descriptors
 *
 * explored access stat stat64 lstat lstat64 readlink opendir - made as they are; where another thread makes or
 *	removes the name, or writes to the file, before and after that. In paths below /proc they know ids
 *	of the program and its threads
 */
#include "preload/hooks/hook.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/refuse.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/file_order.h"
#include "preload/hooks/world/proc_file.h"
#include "preload/hooks/world/proc_path.h"

#define LOOKS(type, name, params, ...)                                  \
	HEDDLE_HOOK type name params                                    \
	{                                                               \
		struct proc_path room;                                  \
                                                                        \
		path_used(path, true, true, CALLER());                  \
		return REAL(name)(proc_path(path, &room), __VA_ARGS__); \
	}

LOOKS(int, access, (const char *path, int mode), mode)
LOOKS(int, stat, (const char *restrict path, struct stat *restrict to), to)
LOOKS(int, stat64, (const char *restrict path, struct stat64 *restrict to), to)
LOOKS(int, lstat, (const char *restrict path, struct stat *restrict to), to)
LOOKS(int, lstat64, (const char *restrict path, struct stat64 *restrict to), to)
LOOKS(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t size), to, size)

HEDDLE_HOOK DIR *opendir(const char *path)
{
	struct proc_path room;

	if (under_engine())
		needs_fork_for("opens a directory", path);
	path = proc_path(path, &room);
	if (under_engine() && proc_lists_threads(path) && proc_threads() > 1)
		refuse("the program lists its threads in /proc/self/task while others may run, which "
		       "heddle cannot show: let it know by other means, pthread_join() say",
		       NULL);
	return REAL(opendir)(path);
}
