/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_file.c - what a program does to the kernel, and rollback cannot undo
 *
 * Files and descriptors: each of these calls is made, and asks for the fork back end
 * from the next execution on (needs_fork()). Writing to the descriptors 1 and 2 is fine: they
 * are discarded. Offsets of regular files that were open at the root point (standard input
 * among them) are put back before each execution, since a child would share them too.
 */
/*
 * intercepts: Files and descriptors
 *
 * explored read __read __read_chk readv write __write writev - on pipes, eventfds and socket pairs. Other
 *	descriptors are read and written, and refused where a thread would have to wait;
 *	what goes to standard output and error is discarded. The bytes they move are plain
 *	accesses, when instrumented code calls them (of pread and pwrite as well)
 * undone open __open open64 __open64 openat openat64 creat creat64 fopen _IO_fopen fopen64 freopen freopen64 fclose _IO_fclose close __close - made as
 *	they are
 * undone dup dup2 __dup2 dup3 fcntl __fcntl fcntl64 - made as they are; descriptors of pipes and the like
 *	stay known, and processes by the ids that getpid() and its kin tell
 * explored fdopen _IO_fdopen - streams of pipes, eventfds and socket pairs read, write and close these as
 *	read(), write() and close() do
 * undone unlink - made as it is; what it does to the file system stays
 * undone socket __socket - made as it is; a thread that would wait there ends the run
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/buffers.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/file_order.h"
#include "preload/hooks/io/flock.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/io/streams.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/proc_file.h"
#include "preload/hooks/world/proc_path.h"
#include "preload/hooks/world/random.h"
#include "preload/image/entered.h"
#include "preload/image/nameless.h"
#include "preload/image/snapshot.h"

/* A thread has set status flags of a descriptor. */
static LASTING(uint32_t, sets_flags);

/* ---- Offsets ------------------------------------------------------------------------------------ */

enum {
	MAX_FILES = 64
};

static struct {
	int fd;
	long offset;
} file[MAX_FILES];
static unsigned nfiles;

/* Status flags (O_NONBLOCK) are of what is open, too, not of the descriptor, so no child has its own: those
 * of each descriptor, or less than 0. They are put back once a thread has set any. */
static int status_flags[MAX_FILES];

static void flags_root(const struct pollfd *open)
{
	for (int fd = 0; fd < MAX_FILES; fd++)
		status_flags[fd] =
			open[fd].revents & POLLNVAL ? -1 : (int)sys3(SYS_fcntl, fd, F_GETFL, 0);
}

static void flags_reset(void)
{
	for (int fd = 0; *sets_flags && fd < MAX_FILES; fd++)
		if (status_flags[fd] >= 0)
			sys3(SYS_fcntl, fd, F_SETFL, status_flags[fd]);
}

static void files_root(void)
{
	struct pollfd open[MAX_FILES];
	struct stat st;
	long offset;

	nfiles = 0;
	nameless_forget();
	for (int fd = 0; fd < MAX_FILES; fd++)
		open[fd] = (struct pollfd){ .fd = fd };
	/* One call tells which are open. If it fails, all may be. */
	sys3(SYS_poll, (long)open, MAX_FILES, 0);
	flags_root(open);
	for (int fd = 0; fd < MAX_FILES; fd++) {
		if (open[fd].revents & POLLNVAL || sys3(SYS_fstat, fd, (long)&st, 0) ||
		    !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			continue;
		offset = sys3(SYS_lseek, fd, 0, SEEK_CUR);
		if (offset < 0)
			continue;
		file[nfiles].fd = fd;
		file[nfiles++].offset = offset;
		if (S_ISREG(st.st_mode) && !st.st_nlink)
			nameless_keep(fd, (uint64_t)st.st_size);
	}
}

AT_ROOT(files_root);

static void files_reset(void)
{
	for (unsigned i = 0; i < nfiles; i++)
		sys3(SYS_lseek, file[i].fd, file[i].offset, SEEK_SET);
	nameless_reset();
	flags_reset();
}

AT_BEGIN(files_reset);

/* ---- Waiting ------------------------------------------------------------------------------------ */

/*
 * A thread that waits in the kernel would hold up all others, who may be the ones it waits for.
 * What its descriptor leads to is outside what is explored, so nothing can be said.
 */
void must_not_wait(int fd, short events, const char *call)
{
	struct pollfd p = { .fd = fd, .events = events };
	char number[16];
	struct text t = text_in(number, sizeof(number));

	if (sys3(SYS_poll, (long)&p, 1, 0) != 0 || (sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK))
		return;
	text_int(&t, fd);
	refuse("the program waits in ", call, " for descriptor ", number,
	       ", which is no pipe, eventfd or socketpair of its own, and what happens outside it is "
	       "not explored: let a thread of it be the other side",
	       NULL);
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

#define DIRTY(type, name, params, args, what) \
	HEDDLE_HOOK type name params          \
	{                                     \
		if (under_engine())           \
			needs_fork(what);     \
		return REAL(name) args;       \
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

static void open_made(const char *path, int flags, bool done)
{
	if (done && flags & (O_CREAT | O_TRUNC))
		path_changed(path);
}

/* The descriptor of an open file is there; descriptors of random numbers are ours (hook_random.c). */
static int opened(const char *path, int flags, int fd)
{
	bool reads = (flags & O_ACCMODE) != O_WRONLY && !(flags & O_PATH);

	open_made(path, flags, fd >= 0);
	if (shared && fd >= 0 && reads && random_is_device(path))
		random_opened(fd);
	return fd;
}

/* The name is looked up, made, or both. */
static void about_to_open(const char *path, int flags, uint64_t pc)
{
	if (!under_engine())
		return;
	needs_fork_for("opens a file", path);
	path_used(path, !(flags & O_CREAT) || flags & O_EXCL, false, pc);
}

/*
 * open() of a FIFO waits for the other side, in the kernel. A pipe that has a name in /proc is no such file: it is that
 * which heddle writes to, say (/dev/stderr).
 */
static void about_to_wait_for_side(int dir, const char *path, int flags)
{
	struct stat st;
	struct statfs fs;

	if (!under_engine() || (flags & O_ACCMODE) == O_RDWR || flags & (O_NONBLOCK | O_PATH) ||
	    sys4(SYS_newfstatat, dir, (long)path, (long)&st, 0) != 0 || !S_ISFIFO(st.st_mode))
		return;
	if (sys3(SYS_statfs, (long)path, (long)&fs, 0) == 0 && fs.f_type == PIPEFS_MAGIC)
		return;
	refuse("the program opens the FIFO ", path,
	       ", and may wait there for who opens the other side, which is not explored: let "
	       "threads of it use pipe()",
	       NULL);
}

#define OPEN(name, at, params, ...)                                        \
	HEDDLE_HOOK int name params                                        \
	{                                                                  \
		const char *real;                                          \
		struct proc_path room;                                     \
		mode_t mode;                                               \
		int told;                                                  \
                                                                           \
		OPEN_MODE(flags, mode);                                    \
		cancellation_point(CALLER());                              \
		about_to_open(path, flags, CALLER());                      \
		about_to_wait_for_side(at, path, flags);                   \
		real = proc_path(path, &room);                             \
		told = proc_file(path, real, flags);                       \
		if (told >= 0)                                             \
			return told;                                       \
		path = real;                                               \
		return opened(path, flags, REAL(name)(__VA_ARGS__, mode)); \
	}
OPEN(open, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPEN(openat, dir, (int dir, const char *path, int flags, ...), dir, path, flags)
OPEN(openat64, dir, (int dir, const char *path, int flags, ...), dir, path, flags)

HEDDLE_HOOK int creat(const char *path, mode_t mode)
{
	cancellation_point(CALLER());
	about_to_open(path, O_CREAT | O_WRONLY | O_TRUNC, CALLER());
	about_to_wait_for_side(AT_FDCWD, path, O_WRONLY);
	return opened(path, O_CREAT | O_WRONLY | O_TRUNC, REAL(creat)(path, mode));
}

static FILE *random_stream(const char *mode)
{
	int fd = random_file(), error;
	FILE *f = fd < 0 ? NULL : REAL(fdopen)(fd, mode);

	if (f || fd < 0)
		return f;
	error = errno;
	random_closed(fd);
	sys3(SYS_close, fd, 0, 0);
	errno = error;
	return NULL;
}

/* As far as the order of threads is concerned. */
static int flags_of(const char *mode)
{
	if (!memory_readable(mode, 1) || *mode == 'r')
		return 0;
	return O_CREAT | (strchr(mode, 'x') ? O_EXCL : 0) | (*mode == 'w' ? O_TRUNC : 0);
}

#define FOPEN(name)                                                                  \
	HEDDLE_HOOK FILE *name(const char *restrict path, const char *restrict mode) \
	{                                                                            \
		const char *real;                                                    \
		struct proc_path room;                                               \
		FILE *f;                                                             \
		int told = -1;                                                       \
                                                                                     \
		if (memory_readable(mode, 1) && !strchr(mode, 'c'))                  \
			cancellation_point(CALLER());                                \
		about_to_open(path, flags_of(mode), CALLER());                       \
		if (memory_readable(mode, 1) && !strchr(mode, '+'))                  \
			about_to_wait_for_side(AT_FDCWD, path, O_RDONLY);            \
		if (shared && random_is_device(path))                                \
			return random_stream(mode);                                  \
		real = proc_path(path, &room);                                       \
		if (*mode == 'r' && !strchr(mode, '+'))                              \
			told = proc_file(path, real, O_RDONLY);                      \
		f = told < 0 ? REAL(name)(real, mode) : REAL(fdopen)(told, mode);    \
		open_made(path, flags_of(mode), f != NULL);                          \
		return f;                                                            \
	}
FOPEN(fopen)
FOPEN(fopen64)

HEDDLE_HOOK FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict f)
{
	if (under_engine())
		needs_fork("opens a file");
	if (shared && channel_has(fileno(f)))
		NOT_YET("freopen() of a stream of a pipe or the like",
			"close it, and open another one");
	return IN_STREAM(f, REAL(freopen)(path, mode, f));
}

void descriptor_forget(int fd, uint64_t pc)
{
	random_closed(fd);
	channel_closed(fd, pc);
}

HEDDLE_HOOK int fclose(FILE *f)
{
	if (under_engine())
		needs_fork("closes a file");
	/* Else it is written out first (stream_calls.c). */
	if (shared && !(under_engine() && streams_seen))
		descriptor_forget(fileno(f), CALLER());
	return IN_STREAM(f, REAL(fclose)(f));
}

HEDDLE_HOOK FILE *fdopen(int fd, const char *mode)
{
	if (under_engine() && channel_has(fd) && !streams_seen)
		refuse("the program makes a stream of a pipe or the like with fdopen(), and this libc "
		       "has other streams than heddle knows: use read() and write()",
		       NULL);
	return REAL(fdopen)(fd, mode);
}

HEDDLE_HOOK int close(int fd)
{
	cancellation_point(CALLER());
	if (under_engine())
		needs_fork("closes a descriptor");
	if (shared)
		descriptor_forget(fd, CALLER());
	return REAL(close)(fd);
}

/* After the new descriptor is there, and what it led to before was closed. */
static int duplicated(int fd, int to, uint64_t pc)
{
	if (!shared || to < 0 || to == fd)
		return to;
	if (epoll_is(fd))
		NOT_YET("a second descriptor for one of epoll", "use the one that there is");
	channel_duplicated(fd, to, pc);
	random_closed(to);
	if (random_is(fd))
		random_opened(to);
	return to;
}

HEDDLE_HOOK int dup(int fd)
{
	if (under_engine())
		needs_fork("duplicates a descriptor");
	return duplicated(fd, REAL(dup)(fd), CALLER());
}

HEDDLE_HOOK int dup2(int fd, int to)
{
	if (under_engine())
		needs_fork("duplicates a descriptor");
	return duplicated(fd, REAL(dup2)(fd, to), CALLER());
}

HEDDLE_HOOK int dup3(int fd, int to, int flags)
{
	if (under_engine())
		needs_fork("duplicates a descriptor");
	return duplicated(fd, REAL(dup3)(fd, to, flags), CALLER());
}

/* What is told of the size of a pipe, or of its change. Other changes are noted. */
static int changed(int fd, int command, int result)
{
	if (!shared)
		return result;
	if (command == F_SETFL && under_engine())
		*sets_flags = 1;
	if (command == F_SETPIPE_SZ)
		channel_resized(fd, result);
	return command == F_GETPIPE_SZ ? channel_size(fd, result) : result;
}

static bool duplicates(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

static bool waits_for_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

/* Locks are asked for, and not waited for. */
static int without_wait(int command)
{
	return command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
}

/* Whom the kernel is told, or tells, of: who has a lock, and who gets signals of a descriptor (a process, or less than 0 a group). */
static long told_to_kernel(int command, long arg, struct f_owner_ex *room)
{
	const struct f_owner_ex *owner = (const void *)arg;

	if (command == F_SETOWN)
		return identity_real((pid_t)arg);
	if (command != F_SETOWN_EX || !memory_readable(owner, sizeof(*owner)))
		return arg;
	*room = *owner;
	if (room->type != F_OWNER_PGRP)
		room->pid = identity_real(room->pid);
	return (long)room;
}

static int told_by_kernel(int command, long arg, int result)
{
	if (result >= 0 && (command == F_GETLK || command == F_OFD_GETLK)) {
		struct flock *lock = (struct flock *)arg;

		if (lock->l_type != F_UNLCK && lock->l_pid > 0)
			lock->l_pid = identity_shown(lock->l_pid);
	} else if (result >= 0 && command == F_GETOWN_EX) {
		struct f_owner_ex *owner = (struct f_owner_ex *)arg;

		if (owner->type != F_OWNER_PGRP)
			owner->pid = identity_shown(owner->pid);
	}
	return command == F_GETOWN && result > 0 ? identity_shown(result) : result;
}

/* The call as the kernel has it, but for descriptors that it makes. */
static int told(__typeof__(&fcntl) real, int fd, int command, long arg)
{
	struct f_owner_ex owner;
	int asked = under_engine() ? without_wait(command) : command;
	int result = real(fd, asked, told_to_kernel(command, arg, &owner));

	if (asked != command)
		flock_must_not_wait(result, "fcntl()");
	if (under_engine() && asked == F_OFD_SETLK)
		flock_done(fd, result || ((const struct flock *)arg)->l_type != F_UNLCK, result,
			   "fcntl()");
	return changed(fd, command, told_by_kernel(command, arg, result));
}

#define FCNTL(name)                                                            \
	HEDDLE_HOOK int name(int fd, int command, ...)                         \
	{                                                                      \
		va_list ap;                                                    \
		long arg;                                                      \
                                                                               \
		va_start(ap, command);                                         \
		arg = va_arg(ap, long);                                        \
		va_end(ap);                                                    \
		if (waits_for_lock(command))                                   \
			cancellation_point(CALLER());                          \
		if (!duplicates(command))                                      \
			return told(REAL(name), fd, command, arg);             \
		if (under_engine())                                            \
			needs_fork("duplicates a descriptor");                 \
		return duplicated(fd, REAL(name)(fd, command, arg), CALLER()); \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

HEDDLE_HOOK int unlink(const char *path)
{
	int result;

	if (!memory_readable(path, 1))
		return REAL(unlink)(path); /* to be told so */
	if (under_engine())
		needs_fork_for("removes a file", path);
	path_used(path, true, false, CALLER());
	result = socket_unlink(path, CALLER());
	if (!result)
		path_changed(path);
	return result;
}

DIRTY(int, socket, (int domain, int type, int protocol), (domain, type, protocol), "makes a socket")

/* What readv() and writev() do with a bad vector is the kernel's to say. */
static bool vector_is_there(const struct iovec *v, int n)
{
	return n >= 0 && n <= IOV_MAX && memory_readable(v, (uint64_t)n * sizeof(*v));
}

HEDDLE_HOOK ssize_t write(int fd, const void *buf, size_t n)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	cancellation_point(CALLER());
	if ((shared && channel_is_timer(fd)) || (under_engine() && channel_has(fd)))
		return channel_write(fd, &v, 1, false, false, CALLER());
	if (under_engine() && fd != 1 && fd != 2) {
		needs_fork("writes to a descriptor");
		must_not_wait(fd, POLLOUT, "write()");
		file_used(fd, FILE_WRITES, CALLER());
	}
	buffers_sent(&v, 1, CALLER());
	return socket_waited_alone(fd, REAL(write)(fd, buf, n), 0, true);
}

HEDDLE_HOOK ssize_t writev(int fd, const struct iovec *v, int n)
{
	cancellation_point(CALLER());
	if (under_engine() && !vector_is_there(v, n))
		return REAL(writev)(fd, v, n);
	if ((shared && channel_is_timer(fd)) || (under_engine() && channel_has(fd)))
		return channel_write(fd, v, n, false, false, CALLER());
	if (under_engine() && fd != 1 && fd != 2) {
		needs_fork("writes to a descriptor");
		must_not_wait(fd, POLLOUT, "writev()");
		file_used(fd, FILE_WRITES, CALLER());
	}
	if (under_engine())
		buffers_sent(v, n, CALLER());
	return socket_waited_alone(fd, REAL(writev)(fd, v, n), 0, true);
}

static void about_to_read(int fd, const struct iovec *v, int n, const char *call, uint64_t pc)
{
	file_used(fd, FILE_MOVES, pc);
	values_give_up("files are used");
	note_hidden_state();
	for (int i = 0; i < n; i++)
		snapshot_expect((uintptr_t)v[i].iov_base, v[i].iov_len);
	if (fd > 2)
		needs_fork("reads from a descriptor");
	must_not_wait(fd, POLLIN, call);
}

/* Before there are threads, by a timer. */
static ssize_t interrupted(void)
{
	errno = EINTR;
	return -1;
}

ENTERED static ssize_t hook_read(int fd, void *buf, size_t n)
{
	struct iovec v = { buf, n };

	cancellation_point(ENTRY_CALLER());
	if (random_is(fd))
		return buffers_received(&v, 1, random_read(&v, 1), ENTRY_CALLER());
	if (shared && channel_is_of_signals(fd))
		return signalfd_read(fd, &v, 1, ENTRY_CALLER());
	if (under_engine() && channel_has(fd))
		return channel_read(fd, &v, 1, 0, ENTRY_CALLER());
	if (under_engine())
		about_to_read(fd, &v, 1, "read()", ENTRY_CALLER());
	if (channel_rings_alone(fd))
		return interrupted();
	return buffers_received(&v, 1, socket_waited_alone(fd, REAL(read)(fd, buf, n), 0, false),
				ENTRY_CALLER());
}
HOOK_ENTRY(read, hook_read, 3);

ssize_t __read_chk(int fd, void *buf, size_t n, size_t room); /* as -D_FORTIFY_SOURCE calls it */
ENTERED static ssize_t hook_read_chk(int fd, void *buf, size_t n, size_t room)
{
	return n > room ? REAL(__read_chk)(fd, buf, n, room) : hook_read(fd, buf, n);
}
HOOK_ENTRY(__read_chk, hook_read_chk, 4);

ENTERED static ssize_t hook_readv(int fd, const struct iovec *v, int n)
{
	cancellation_point(ENTRY_CALLER());
	if ((under_engine() || random_is(fd)) && !vector_is_there(v, n))
		return REAL(readv)(fd, v, n);
	if (random_is(fd))
		return buffers_received(v, n, random_read(v, n), ENTRY_CALLER());
	if (shared && channel_is_of_signals(fd) && vector_is_there(v, n))
		return signalfd_read(fd, v, n, ENTRY_CALLER());
	if (under_engine() && channel_has(fd))
		return channel_read(fd, v, n, 0, ENTRY_CALLER());
	if (under_engine())
		about_to_read(fd, v, n, "readv()", ENTRY_CALLER());
	if (channel_rings_alone(fd))
		return interrupted();
	return buffers_received(v, n, socket_waited_alone(fd, REAL(readv)(fd, v, n), 0, false),
				ENTRY_CALLER());
}
HOOK_ENTRY(readv, hook_readv, 3);

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__close, close);
ALSO_CALLED(__dup2, dup2);
ALSO_CALLED(__fcntl, fcntl);
ALSO_CALLED(__open, open);
ALSO_CALLED(__open64, open64);
ALSO_CALLED(__read, read);
ALSO_CALLED(__socket, socket);
ALSO_CALLED(__write, write);
ALSO_CALLED(creat64, creat);
ALSO_CALLED(freopen64, freopen);
ALSO_CALLED(_IO_fclose, fclose);
ALSO_CALLED(_IO_fdopen, fdopen);
ALSO_CALLED(_IO_fopen, fopen);
