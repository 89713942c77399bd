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
 * undone mkdir rmdir remove rename link symlink mkfifo truncate truncate64 ftruncate ftruncate64 chmod fchmod - made as they
 *	are; what they do to the file system stays
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

HEDDLE_HOOK int rename(const char *from, const char *to)
{
	int result;

	if (under_engine())
		needs_fork_for("renames a file", to);
	path_used(from, true, false, CALLER());
	path_used(to, true, false, CALLER());
	result = REAL(rename)(from, to);
	return changed(from, changed(to, result));
}

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
