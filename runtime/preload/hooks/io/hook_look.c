/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_look.c - calls that look what there is of some name or file, and do nothing else
 *
 * Ids in paths below /proc are those that the program was told (proc_path.h).
 */
/*
 * intercepts: Files and descriptors
 *
 * explored access faccessat stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 readlink opendir - made as they are; where another thread makes
 *	or removes the name, or writes to the file, before and after that. What they tell is a plain write, when
 *	instrumented code calls them. In paths below /proc they know ids of the program and its threads
 */
#include "preload/hooks/announce.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/refuse.h"
#include "preload/core/text.h"
#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/file_order.h"
#include "preload/hooks/world/proc_file.h"
#include "preload/hooks/world/proc_path.h"

HEDDLE_HOOK int access(const char *path, int mode)
{
	struct proc_path room;

	path_used(path, true, false, CALLER());
	return REAL(access)(proc_path(path, &room), mode);
}

HEDDLE_HOOK int faccessat(int dir, const char *path, int mode, int flags)
{
	struct proc_path room;

	path_used(path, true, false, CALLER());
	return REAL(faccessat)(dir, proc_path(path, &room), mode, flags);
}

/* looks: of what is asked. call: with `into` in the place of what the program wants filled. */
#define STAT(name, type, params, looks, call)                   \
	HEDDLE_HOOK int name params                             \
	{                                                       \
		const uint64_t pc = CALLER();                   \
		struct type st = { 0 }, *into = to;             \
		int result;                                     \
                                                                \
		looks;                                          \
		into = may_fill(to, sizeof(st), pc) ? &st : to; \
		result = call;                                  \
		if (!result && into != to)                      \
			fill(to, into, sizeof(st), pc);         \
		return result;                                  \
	}
#define STAT_PATH(name, type)                                                   \
	STAT(name, type, (const char *restrict path, struct type *restrict to), \
	     struct proc_path room;                                             \
	     path_used(path, true, true, pc), REAL(name)(proc_path(path, &room), into))
#define STAT_AT(name, type)                                                             \
	STAT(name, type,                                                                \
	     (int dir, const char *restrict path, struct type *restrict to, int flags), \
	     struct proc_path room;                                                     \
	     path_used(path, true, dir == AT_FDCWD, pc),                                \
	     REAL(name)(dir, proc_path(path, &room), into, flags))
#define STAT_FILE(name, type)                                                      \
	STAT(name, type, (int fd, struct type *to), file_used(fd, FILE_LOOKS, pc), \
	     REAL(name)(fd, into))
STAT_PATH(stat, stat)
STAT_PATH(stat64, stat64)
STAT_PATH(lstat, stat)
STAT_PATH(lstat64, stat64)
STAT_AT(fstatat, stat)
STAT_AT(fstatat64, stat64)
STAT_FILE(fstat, stat)
STAT_FILE(fstat64, stat64)

/* Where the links /proc/self and /proc/thread-self lead to, as the program knows it; false: it is neither. */
static bool proc_link(const char *path, struct text *to)
{
	static const char process[] = "/proc/self", thread[] = "/proc/thread-self";
	char copy[sizeof(thread) + 1] = "";

	copy_safely(copy, path, sizeof(copy));
	if (strcmp(copy, process) != 0 && strcmp(copy, thread) != 0)
		return false;
	text_int(to, getpid());
	if (!strcmp(copy, thread)) {
		text_str(to, "/task/");
		text_int(to, gettid());
	}
	return true;
}

static ssize_t link_of(const char *path, char *to, size_t size)
{
	struct text t = text_in(to, size);
	struct proc_path room;

	return proc_link(path, &t) ? (ssize_t)strlen(to)
				   : REAL(readlink)(proc_path(path, &room), to, size);
}

HEDDLE_HOOK ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	const uint64_t pc = CALLER();
	char text[PATH_MAX];
	struct proc_path room;
	ssize_t result;

	path_used(path, true, false, pc);
	if (!shared || !size || !memory_writable(to, size))
		return REAL(readlink)(proc_path(path, &room), to, size);
	result = link_of(path, text, sizeof(text));
	if (result > (ssize_t)size)
		result = (ssize_t)size;
	if (result > 0 && seen(pc))
		writes(to, (size_t)result, pc);
	if (result > 0)
		memcpy(to, text, (size_t)result);
	return result;
}

HEDDLE_HOOK DIR *opendir(const char *path)
{
	struct proc_path room;

	if (under_engine())
		needs_fork_for("opens a directory", path);
	path_used(path, true, false, CALLER());
	path = proc_path(path, &room);
	if (under_engine() && proc_lists_threads(path) && proc_threads() > 1)
		refuse("the program lists its threads in /proc/self/task while others may run, which "
		       "heddle cannot show: let it know by other means, pthread_join() say",
		       NULL);
	return REAL(opendir)(path);
}
