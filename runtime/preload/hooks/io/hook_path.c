/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_path.c - calls that change the file system, and nothing else
 *
 * They are made as they are, and stay made: a next execution that finds what they did is told apart
 * from the first, and the message says what was changed last (needs_fork_for()).
 */
/*
 * intercepts: Files and descriptors
 *
 * explored mkdir mkdirat rmdir remove unlinkat rename renameat renameat2 link linkat symlink symlinkat mkfifo mkfifoat truncate truncate64
 *	ftruncate ftruncate64 chmod - made as they are, before and after other threads that look; what they do to
 *	the file system stays
 * undone fchmod - made as it is; what it does to the file system stays
 */
#include "preload/hooks/hook.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/facts/needs.h"
#include "preload/hooks/io/file_order.h"

/* A name was made or removed, or not: who was there before shows in that. */
static int changed(const char *path, int result)
{
	if (!result)
		path_changed(path);
	return result;
}

#define CHANGES(name, params, args, what, path)         \
	HEDDLE_HOOK int name params                     \
	{                                               \
		if (under_engine())                     \
			needs_fork_for(what, path);     \
		path_used(path, true, false, CALLER()); \
		return changed(path, REAL(name) args);  \
	}

CHANGES(mkdir, (const char *path, mode_t mode), (path, mode), "makes a directory", path)
CHANGES(rmdir, (const char *path), (path), "removes a directory", path)
CHANGES(remove, (const char *path), (path), "removes a file", path)
CHANGES(link, (const char *from, const char *to), (from, to), "makes a link", to)
CHANGES(symlink, (const char *from, const char *to), (from, to), "makes a link", to)
CHANGES(mkfifo, (const char *path, mode_t mode), (path, mode), "makes a pipe", path)
CHANGES(truncate, (const char *path, off_t size), (path, size), "sets the size of a file", path)
CHANGES(chmod, (const char *path, mode_t mode), (path, mode), "sets the mode of a file", path)

static void about_to_rename(const char *from, const char *to, uint64_t pc)
{
	if (under_engine())
		needs_fork_for("renames a file", to);
	path_used(from, true, false, pc);
	path_used(to, true, false, pc);
}

HEDDLE_HOOK int rename(const char *from, const char *to)
{
	about_to_rename(from, to, CALLER());
	return changed(from, changed(to, REAL(rename)(from, to)));
}

/* A path is one object, whatever folder it is looked up in. */
HEDDLE_HOOK int renameat(int dir, const char *from, int dir_to, const char *to)
{
	about_to_rename(from, to, CALLER());
	return changed(from, changed(to, REAL(renameat)(dir, from, dir_to, to)));
}

HEDDLE_HOOK int renameat2(int dir, const char *from, int dir_to, const char *to, unsigned flags)
{
	about_to_rename(from, to, CALLER());
	return changed(from, changed(to, REAL(renameat2)(dir, from, dir_to, to, flags)));
}

CHANGES(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), "makes a directory",
	path)
CHANGES(unlinkat, (int dir, const char *path, int flags), (dir, path, flags), "removes a file",
	path)
CHANGES(linkat, (int dir, const char *from, int dir_to, const char *to, int flags),
	(dir, from, dir_to, to, flags), "makes a link", to)
CHANGES(symlinkat, (const char *from, int dir, const char *to), (from, dir, to), "makes a link", to)
CHANGES(mkfifoat, (int dir, const char *path, mode_t mode), (dir, path, mode), "makes a pipe", path)

HEDDLE_HOOK int ftruncate(int fd, off_t size)
{
	if (under_engine()) {
		needs_fork("sets the size of a file");
		file_used(fd, FILE_WRITES, CALLER());
	}
	return REAL(ftruncate)(fd, size);
}

HEDDLE_HOOK int fchmod(int fd, mode_t mode)
{
	if (under_engine())
		needs_fork("sets the mode of a file");
	return REAL(fchmod)(fd, mode);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(ftruncate64, ftruncate);
ALSO_CALLED(truncate64, truncate);
