/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c - how opening, naming and removing files fails
 *
 * Permissions are not asked for: tests may run as root, to whom nothing is forbidden.
 *
 * ways open: ENOENT ENOTDIR EISDIR EEXIST ELOOP ENAMETOOLONG ENXIO EMFILE EFAULT EINVAL; not EACCES
 *	EROFS EPERM ETXTBSY ENFILE ENOSPC (permissions, and limits of the system)
 * ways open64: ENOENT EISDIR EFAULT
 * ways openat: ENOENT EBADF ENOTDIR
 * ways openat64: ENOENT EBADF ENOTDIR
 * ways creat: ENOENT EISDIR
 * ways fopen: ENOENT EINVAL EISDIR EMFILE
 * ways fopen64: ENOENT EINVAL
 * ways freopen: ENOENT
 * ways fdopen: EBADF EINVAL
 * ways fclose: EBADF
 * ways unlink: ENOENT EISDIR ENOTDIR
 * ways rename: ENOENT EISDIR ENOTDIR ENOTEMPTY EINVAL
 * ways mkdir: ENOENT EEXIST ENOTDIR
 * ways dlopen: NULL
 * ways dlclose: FAILS
 *
 * case open_ENOENT: ok 1
 * case open_ENOTDIR: ok 1
 * case open_EISDIR: ok 1
 * case open_EEXIST: ok 1
 * case open_ELOOP: ok 1
 * case open_ENAMETOOLONG: ok 1
 * case open_ENXIO: ok 1
 * case open_EMFILE: ok 1
 * case open_EFAULT: ok 1
 * case open_EINVAL: ok 1
 * case open64_ENOENT: ok 1
 * case open64_EISDIR: ok 1
 * case open64_EFAULT: ok 1
 * case openat_ENOENT: ok 1
 * case openat_EBADF: ok 1
 * case openat_ENOTDIR: ok 1
 * case openat64_ENOENT: ok 1
 * case openat64_EBADF: ok 1
 * case openat64_ENOTDIR: ok 1
 * case creat_ENOENT: ok 1
 * case creat_EISDIR: ok 1
 * case fopen_ENOENT: ok 1
 * case fopen_EINVAL: ok 1
 * case fopen_EINVAL_of_random_numbers: ok 1
 * case fopen_EISDIR: ok 1
 * case fopen_EMFILE: ok 1
 * case fopen64_ENOENT: ok 1
 * case fopen64_EINVAL: ok 1
 * case freopen_ENOENT: ok 1
 * case fdopen_EBADF: ok 1
 * case fdopen_EINVAL: ok 1
 * case fclose_EBADF: ok 1
 * case unlink_ENOENT: ok 1
 * case unlink_EISDIR: ok 1
 * case unlink_ENOTDIR: ok 1
 * case rename_ENOENT: ok 1
 * case rename_EISDIR: ok 1
 * case rename_ENOTDIR: ok 1
 * case rename_ENOTEMPTY: ok 1
 * case rename_EINVAL: ok 1
 * case mkdir_ENOENT: ok 1
 * case mkdir_EEXIST: ok 1
 * case mkdir_ENOTDIR: ok 1
 * case dlopen_NULL: ok 1
 * case dlclose_FAILS: ok 1
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "hooks/fails.h"

#define NOWHERE "no-such-folder/file"
#define BENEATH "program/file" /* the program is no folder */

static const char *volatile wild = (const char *)8;

EACH_FAILS(open_ENOENT, ENOENT, open(NOWHERE, O_RDONLY))
EACH_FAILS(open_ENOTDIR, ENOTDIR, open(BENEATH, O_RDONLY))
EACH_FAILS(open_EISDIR, EISDIR, open(".", O_WRONLY))
EACH_FAILS(open_EEXIST, EEXIST, open("program", O_CREAT | O_EXCL | O_WRONLY, 0600))
EACH_FAILS(open_EFAULT, EFAULT, open(wild, O_RDONLY))
EACH_FAILS(open_EINVAL, EINVAL, open(".", O_TMPFILE | O_RDONLY, 0600))
EACH_FAILS(open64_ENOENT, ENOENT, open64(NOWHERE, O_RDONLY))
EACH_FAILS(open64_EISDIR, EISDIR, open64(".", O_RDWR))
EACH_FAILS(open64_EFAULT, EFAULT, open64(wild, O_RDONLY))
EACH_FAILS(openat_ENOENT, ENOENT, openat(AT_FDCWD, NOWHERE, O_RDONLY))
EACH_FAILS(openat_EBADF, EBADF, openat(-1, "file", O_RDONLY))
EACH_FAILS(openat_ENOTDIR, ENOTDIR, openat(AT_FDCWD, "program", O_DIRECTORY))
EACH_FAILS(openat64_ENOENT, ENOENT, openat64(AT_FDCWD, NOWHERE, O_RDONLY))
EACH_FAILS(openat64_EBADF, EBADF, openat64(-1, "file", O_RDONLY))
EACH_FAILS(openat64_ENOTDIR, ENOTDIR, openat64(AT_FDCWD, "program", O_DIRECTORY))
EACH_FAILS(creat_ENOENT, ENOENT, creat(NOWHERE, 0600))
EACH_FAILS(creat_EISDIR, EISDIR, creat(".", 0600))
EACH_NONE(fopen_ENOENT, ENOENT, fopen(NOWHERE, "r"))
EACH_NONE(fopen_EINVAL, EINVAL, fopen("program", "q"))
EACH_NONE(fopen_EISDIR, EISDIR, fopen(".", "w"))
EACH_NONE(fopen64_ENOENT, ENOENT, fopen64(NOWHERE, "r"))
EACH_NONE(fopen64_EINVAL, EINVAL, fopen64("program", "q"))
EACH_NONE(fdopen_EBADF, EBADF, fdopen(250, "r"))
EACH_NONE(fdopen_EINVAL, EINVAL, fdopen(0, "q"))
EACH_FAILS(unlink_ENOENT, ENOENT, unlink(NOWHERE))
EACH_FAILS(unlink_EISDIR, EISDIR, unlink("."))
EACH_FAILS(unlink_ENOTDIR, ENOTDIR, unlink(BENEATH))
EACH_FAILS(rename_ENOENT, ENOENT, rename(NOWHERE, "file"))
EACH_FAILS(rename_ENOTDIR, ENOTDIR, rename(BENEATH, "file"))
EACH_FAILS(mkdir_ENOENT, ENOENT, mkdir(NOWHERE, 0700))
EACH_FAILS(mkdir_EEXIST, EEXIST, mkdir(".", 0700))
EACH_FAILS(mkdir_ENOTDIR, ENOTDIR, mkdir(BENEATH, 0700))

IN_EACH(open_ELOOP)
{
	unlink("ring");
	assert(symlink("ring", "ring") == 0);
	FAILS(ELOOP, open("ring", O_RDONLY));
	FAILS(ELOOP, open("ring", O_RDONLY | O_NOFOLLOW));
	assert(unlink("ring") == 0);
	return arg;
}

IN_EACH(open_ENAMETOOLONG)
{
	char name[5001];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	FAILS(ENAMETOOLONG, open(name, O_RDONLY));
	name[300] = 0;
	FAILS(ENAMETOOLONG, open(name, O_RDONLY));
	return arg;
}

/* Nobody reads from the pipe. */
IN_EACH(open_ENXIO)
{
	unlink("fifo");
	assert(mkfifo("fifo", 0600) == 0);
	FAILS(ENXIO, open("fifo", O_WRONLY | O_NONBLOCK));
	assert(unlink("fifo") == 0);
	return arg;
}

IN_EACH(open_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	FAILS(EMFILE, open("program", O_RDONLY));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

IN_EACH(fopen_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	NONE(EMFILE, fopen("program", "r"));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

/* However often: nothing is left open. */
IN_EACH(fopen_EINVAL_of_random_numbers)
{
	int before = dup(0), after;

	NONE(EINVAL, fopen("/dev/urandom", "q"));
	after = dup(0);
	assert(before >= 0 && after == before + 1);
	close(before);
	close(after);
	return arg;
}

IN_EACH(freopen_ENOENT)
{
	FILE *f = fopen("program", "r");

	assert(f);
	NONE(ENOENT, freopen(NOWHERE, "r", f));
	return arg;
}

IN_EACH(fclose_EBADF)
{
	FILE *f = fopen("program", "r");

	assert(f && close(fileno(f)) == 0);
	FAILS(EBADF, fclose(f));
	return arg;
}

IN_EACH(rename_EISDIR)
{
	close(creat("file", 0600));
	mkdir("folder", 0700);
	FAILS(EISDIR, rename("file", "folder"));
	unlink("file");
	rmdir("folder");
	return arg;
}

IN_EACH(rename_ENOTEMPTY)
{
	mkdir("one", 0700);
	mkdir("two", 0700);
	mkdir("two/three", 0700);
	errno = 0;
	assert(rename("one", "two") == -1 && (errno == ENOTEMPTY || errno == EEXIST));
	rmdir("two/three");
	rmdir("two");
	rmdir("one");
	return arg;
}

IN_EACH(rename_EINVAL)
{
	mkdir("folder", 0700);
	FAILS(EINVAL, rename("folder", "folder/within"));
	rmdir("folder");
	return arg;
}

IN_EACH(dlopen_NULL)
{
	assert(!dlopen("no-such-library.so", RTLD_NOW));
	assert(dlerror());
	return arg;
}

/* The C library is there, but nobody has opened it. */
IN_EACH(dlclose_FAILS)
{
	void *libc;
	Dl_info info;

	assert(dladdr1(stdout, &info, &libc, RTLD_DL_LINKMAP));
	assert(dlclose(libc) && dlerror());
	return arg;
}

CASES(CASE(open_ENOENT), CASE(open_ENOTDIR), CASE(open_EISDIR), CASE(open_EEXIST), CASE(open_ELOOP),
      CASE(open_ENAMETOOLONG), CASE(open_ENXIO), CASE(open_EMFILE), CASE(open_EFAULT),
      CASE(open_EINVAL), CASE(open64_ENOENT), CASE(open64_EISDIR), CASE(open64_EFAULT),
      CASE(openat_ENOENT), CASE(openat_EBADF), CASE(openat_ENOTDIR), CASE(openat64_ENOENT),
      CASE(openat64_EBADF), CASE(openat64_ENOTDIR), CASE(creat_ENOENT), CASE(creat_EISDIR),
      CASE(fopen_ENOENT), CASE(fopen_EINVAL), CASE(fopen_EINVAL_of_random_numbers),
      CASE(fopen_EISDIR), CASE(fopen_EMFILE), CASE(fopen64_ENOENT), CASE(fopen64_EINVAL),
      CASE(freopen_ENOENT), CASE(fdopen_EBADF), CASE(fdopen_EINVAL), CASE(fclose_EBADF),
      CASE(unlink_ENOENT), CASE(unlink_EISDIR), CASE(unlink_ENOTDIR), CASE(rename_ENOENT),
      CASE(rename_EISDIR), CASE(rename_ENOTDIR), CASE(rename_ENOTEMPTY), CASE(rename_EINVAL),
      CASE(mkdir_ENOENT), CASE(mkdir_EEXIST), CASE(mkdir_ENOTDIR), CASE(dlopen_NULL),
      CASE(dlclose_FAILS))
