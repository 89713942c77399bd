/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * path.c - how calls that change the file system fail
 *
 * What depends on who runs this, or on the file system, is left out everywhere: EACCES, EBUSY, EDQUOT,
 * EFBIG, EIO, ELOOP, EMLINK, ENAMETOOLONG, ENOSPC, EPERM, EROFS, ETXTBSY, EXDEV.
 *
 * ways rmdir: EINVAL ENOENT ENOTDIR ENOTEMPTY
 * ways remove: ENOENT ENOTDIR ENOTEMPTY
 * ways link: EEXIST ENOENT ENOTDIR
 * ways symlink: EEXIST ENOENT ENOTDIR
 * ways mkfifo: EEXIST ENOENT ENOTDIR
 * ways truncate: EINVAL EISDIR ENOENT ENOTDIR
 * ways ftruncate: EBADF EINVAL
 * ways chmod: ENOENT ENOTDIR
 * ways fchmod: EBADF
 *
 * case rmdir_EINVAL: ok 1
 * case rmdir_ENOENT: ok 1
 * case rmdir_ENOTDIR: ok 1
 * case rmdir_ENOTEMPTY: ok 1
 * case remove_ENOENT: ok 1
 * case remove_ENOTDIR: ok 1
 * case remove_ENOTEMPTY: ok 1
 * case link_EEXIST: ok 1
 * case link_ENOENT: ok 1
 * case link_ENOTDIR: ok 1
 * case symlink_EEXIST: ok 1
 * case symlink_ENOENT: ok 1
 * case symlink_ENOENT_of_nothing: ok 1
 * case symlink_ENOTDIR: ok 1
 * case mkfifo_EEXIST: ok 1
 * case mkfifo_ENOENT: ok 1
 * case mkfifo_ENOTDIR: ok 1
 * case truncate_EINVAL: ok 1
 * case truncate_EISDIR: ok 1
 * case truncate_ENOENT: ok 1
 * case truncate_ENOTDIR: ok 1
 * case ftruncate_EBADF: ok 1
 * case ftruncate_EINVAL: ok 1
 * case chmod_ENOENT: ok 1
 * case chmod_ENOTDIR: ok 1
 * case fchmod_EBADF: ok 1
 * case truncate_and_the_others_do_it: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/fails.h"

/* A directory with a file, and nothing behind it. */
static int file;

static void make(void)
{
	unlink("path.d/file");
	unlink("path.d/fifo");
	rmdir("path.d");
	assert(mkdir("path.d", 0700) == 0);
	file = open("path.d/file", O_RDWR | O_CREAT | O_EXCL, 0600);
	assert(file >= 0);
}

static void unmake(void)
{
	assert(close(file) == 0);
	assert(unlink("path.d/file") == 0);
	assert(rmdir("path.d") == 0);
	FAILS(ENOENT, rmdir("path.d"));
}

#define FAILING(name, error, call)        \
	static void *do_##name(void *arg) \
	{                                 \
		FAILS(error, call);       \
		return arg;               \
	}                                 \
	static void name(void)            \
	{                                 \
		make();                   \
		BOTH(do_##name);          \
		unmake();                 \
	}

FAILING(rmdir_EINVAL, EINVAL, rmdir("path.d/."))
FAILING(rmdir_ENOENT, ENOENT, rmdir("path.d/none"))
FAILING(rmdir_ENOTDIR, ENOTDIR, rmdir("path.d/file"))
FAILING(rmdir_ENOTEMPTY, ENOTEMPTY, rmdir("path.d"))
FAILING(remove_ENOENT, ENOENT, remove("path.d/none"))
FAILING(remove_ENOTDIR, ENOTDIR, remove("path.d/file/none"))
FAILING(remove_ENOTEMPTY, ENOTEMPTY, remove("path.d"))
FAILING(link_EEXIST, EEXIST, link("path.d/file", "path.d/file"))
FAILING(link_ENOENT, ENOENT, link("path.d/none", "path.d/other"))
FAILING(link_ENOTDIR, ENOTDIR, link("path.d/file", "path.d/file/other"))
FAILING(symlink_EEXIST, EEXIST, symlink("anything", "path.d/file"))
FAILING(symlink_ENOENT, ENOENT, symlink("anything", "path.d/none/other"))
FAILING(symlink_ENOENT_of_nothing, ENOENT, symlink("", "path.d/other"))
FAILING(symlink_ENOTDIR, ENOTDIR, symlink("anything", "path.d/file/other"))
FAILING(mkfifo_EEXIST, EEXIST, mkfifo("path.d/file", 0600))
FAILING(mkfifo_ENOENT, ENOENT, mkfifo("path.d/none/fifo", 0600))
FAILING(mkfifo_ENOTDIR, ENOTDIR, mkfifo("path.d/file/fifo", 0600))
FAILING(truncate_EINVAL, EINVAL, truncate("path.d/file", -1))
FAILING(truncate_EISDIR, EISDIR, truncate("path.d", 0))
FAILING(truncate_ENOENT, ENOENT, truncate("path.d/none", 0))
FAILING(truncate_ENOTDIR, ENOTDIR, truncate("path.d/file/none", 0))
FAILING(ftruncate_EBADF, EBADF, ftruncate(-1, 0))
FAILING(ftruncate_EINVAL, EINVAL, ftruncate(file, -1))
FAILING(chmod_ENOENT, ENOENT, chmod("path.d/none", 0600))
FAILING(chmod_ENOTDIR, ENOTDIR, chmod("path.d/file/none", 0600))
FAILING(fchmod_EBADF, EBADF, fchmod(-1, 0600))

static struct stat now(const char *path)
{
	struct stat s;

	assert(lstat(path, &s) == 0);
	return s;
}

/* And what they do when they do not fail. */
static void *change_it_all(void *arg)
{
	assert(ftruncate(file, 7) == 0 && now("path.d/file").st_size == 7);
	assert(truncate("path.d/file", 3) == 0 && now("path.d/file").st_size == 3);
	assert(fchmod(file, 0640) == 0 && (now("path.d/file").st_mode & 0777) == 0640);
	assert(chmod("path.d/file", 0600) == 0 && (now("path.d/file").st_mode & 0777) == 0600);
	assert(link("path.d/file", "path.d/link") == 0 && now("path.d/file").st_nlink == 2);
	assert(remove("path.d/link") == 0 && now("path.d/file").st_nlink == 1);
	assert(symlink("file", "path.d/link") == 0 && S_ISLNK(now("path.d/link").st_mode));
	assert(remove("path.d/link") == 0);
	assert(mkfifo("path.d/fifo", 0600) == 0 && S_ISFIFO(now("path.d/fifo").st_mode));
	assert(remove("path.d/fifo") == 0);
	return arg;
}

static void truncate_and_the_others_do_it(void)
{
	make();
	change_it_all(NULL);
	THREADS(1, change_it_all);
	unmake();
}

CASES(CASE(rmdir_EINVAL), CASE(rmdir_ENOENT), CASE(rmdir_ENOTDIR), CASE(rmdir_ENOTEMPTY),
      CASE(remove_ENOENT), CASE(remove_ENOTDIR), CASE(remove_ENOTEMPTY), CASE(link_EEXIST),
      CASE(link_ENOENT), CASE(link_ENOTDIR), CASE(symlink_EEXIST), CASE(symlink_ENOENT),
      CASE(symlink_ENOENT_of_nothing), CASE(symlink_ENOTDIR), CASE(mkfifo_EEXIST),
      CASE(mkfifo_ENOENT), CASE(mkfifo_ENOTDIR), CASE(truncate_EINVAL), CASE(truncate_EISDIR),
      CASE(truncate_ENOENT), CASE(truncate_ENOTDIR), CASE(ftruncate_EBADF), CASE(ftruncate_EINVAL),
      CASE(chmod_ENOENT), CASE(chmod_ENOTDIR), CASE(fchmod_EBADF),
      CASE(truncate_and_the_others_do_it))
