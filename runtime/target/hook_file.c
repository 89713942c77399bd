/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_file.c - what a program does to the kernel, and rollback cannot undo
 *
 * Files, descriptors, mappings: each of these calls is made, and asks for the fork back end
 * from the next execution on (needs_fork()). Writing to the descriptors 1 and 2 is fine: they
 * are discarded. Offsets of regular files that were open at the root point (standard input
 * among them) are put back before each execution, since a child would share them too.
 */
#include "target/hook.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/driver.h"
#include "target/sys.h"

/* ---- Offsets ------------------------------------------------------------------------------------ */

enum {
	MAX_FILES = 64
};

static struct {
	int fd;
	long offset;
} file[MAX_FILES];
static unsigned nfiles;

void files_root(void)
{
	struct pollfd open[MAX_FILES];
	struct stat st;
	long offset;

	nfiles = 0;
	for (int fd = 0; fd < MAX_FILES; fd++)
		open[fd] = (struct pollfd){ .fd = fd };
	/* One call tells which are open. If it fails, all may be. */
	sys3(SYS_poll, (long)open, MAX_FILES, 0);
	for (int fd = 0; fd < MAX_FILES; fd++) {
		if (open[fd].revents & POLLNVAL || sys3(SYS_fstat, fd, (long)&st, 0) ||
		    !S_ISREG(st.st_mode))
			continue;
		offset = sys3(SYS_lseek, fd, 0, SEEK_CUR);
		if (offset < 0)
			continue;
		file[nfiles].fd = fd;
		file[nfiles++].offset = offset;
	}
}

void files_reset(void)
{
	for (unsigned i = 0; i < nfiles; i++)
		sys3(SYS_lseek, file[i].fd, file[i].offset, SEEK_SET);
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

#define DIRTY(type, name, params, args, what) \
	HEDDLE_HOOK type name params          \
	{                                     \
		if (under_engine())           \
			needs_fork(what);     \
		return REAL(name) args;       \
	}

/* The same where only descriptors that are not discarded count. */
#define DIRTY_FD(type, name, params, args, fd, what)          \
	HEDDLE_HOOK type name params                          \
	{                                                     \
		if (under_engine() && (fd) != 1 && (fd) != 2) \
			needs_fork(what);                     \
		return REAL(name) args;                       \
	}

/* open() and its variants: the mode is there when the flags say so. */
#define OPEN_MODE(flags, mode)                                            \
	do {                                                              \
		va_list ap;                                               \
                                                                          \
		va_start(ap, flags);                                      \
		mode = __OPEN_NEEDS_MODE(flags) ? va_arg(ap, mode_t) : 0; \
		va_end(ap);                                               \
	} while (0)

#define OPEN(name)                                             \
	HEDDLE_HOOK int name(const char *path, int flags, ...) \
	{                                                      \
		mode_t mode;                                   \
                                                               \
		OPEN_MODE(flags, mode);                        \
		if (under_engine())                            \
			needs_fork("opens a file");            \
		return REAL(name)(path, flags, mode);          \
	}
#define OPENAT(name)                                                    \
	HEDDLE_HOOK int name(int dir, const char *path, int flags, ...) \
	{                                                               \
		mode_t mode;                                            \
                                                                        \
		OPEN_MODE(flags, mode);                                 \
		if (under_engine())                                     \
			needs_fork("opens a file");                     \
		return REAL(name)(dir, path, flags, mode);              \
	}
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
DIRTY(int, creat, (const char *path, mode_t mode), (path, mode), "opens a file")
DIRTY(FILE *, fopen, (const char *restrict path, const char *restrict mode), (path, mode),
      "opens a file")
DIRTY(FILE *, fopen64, (const char *restrict path, const char *restrict mode), (path, mode),
      "opens a file")
DIRTY(FILE *, freopen, (const char *restrict path, const char *restrict mode, FILE *restrict f),
      (path, mode, f), "opens a file")
DIRTY(int, fclose, (FILE * f), (f), "closes a file")
DIRTY(int, close, (int fd), (fd), "closes a descriptor")
DIRTY(int, dup, (int fd), (fd), "duplicates a descriptor")
DIRTY(int, dup2, (int fd, int to), (fd, to), "duplicates a descriptor")
DIRTY(int, dup3, (int fd, int to, int flags), (fd, to, flags), "duplicates a descriptor")
DIRTY(int, unlink, (const char *path), (path), "removes a file")
DIRTY(int, rename, (const char *from, const char *to), (from, to), "renames a file")
DIRTY(int, mkdir, (const char *path, mode_t mode), (path, mode), "makes a directory")

DIRTY(int, pipe, (int fd[2]), (fd), "makes a pipe")
DIRTY(int, pipe2, (int fd[2], int flags), (fd, flags), "makes a pipe")
DIRTY(int, socket, (int domain, int type, int protocol), (domain, type, protocol), "makes a socket")
DIRTY(int, socketpair, (int domain, int type, int protocol, int fd[2]),
      (domain, type, protocol, fd), "makes sockets")
DIRTY(int, eventfd, (unsigned value, int flags), (value, flags), "makes an eventfd")
DIRTY(int, epoll_create1, (int flags), (flags), "makes an epoll descriptor")
DIRTY(int, timerfd_create, (clockid_t clock, int flags), (clock, flags), "makes a timerfd")

DIRTY_FD(ssize_t, write, (int fd, const void *buf, size_t n), (fd, buf, n), fd,
	 "writes to a descriptor")
DIRTY_FD(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at), fd,
	 "writes to a descriptor")
DIRTY_FD(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), fd,
	 "writes to a descriptor")

HEDDLE_HOOK ssize_t read(int fd, void *buf, size_t n)
{
	if (under_engine()) {
		note_hidden_state();
		snapshot_expect((uintptr_t)buf, n);
		if (fd > 2)
			needs_fork("reads from a descriptor");
	}
	return REAL(read)(fd, buf, n);
}

DIRTY(void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t off),
      (at, size, prot, flags, fd, off), "maps memory")
DIRTY(void *, mmap64, (void *at, size_t size, int prot, int flags, int fd, off64_t off),
      (at, size, prot, flags, fd, off), "maps memory")
DIRTY(int, munmap, (void *at, size_t size), (at, size), "unmaps memory")
DIRTY(int, mprotect, (void *at, size_t size, int prot), (at, size, prot), "protects memory")

HEDDLE_HOOK void *mremap(void *at, size_t old, size_t size, int flags, ...)
{
	void *to;
	va_list ap;

	va_start(ap, flags);
	to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (under_engine())
		needs_fork("maps memory");
	return REAL(mremap)(at, old, size, flags, to);
}

HEDDLE_HOOK void *dlopen(const char *path, int flags)
{
	if (under_engine())
		needs_fork("loads a library");
	return REAL(dlopen)(path, flags);
}
