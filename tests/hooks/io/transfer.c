/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transfer.c - how reading and writing fails
 *
 * ways read: EBADF EISDIR EAGAIN EINVAL EFAULT EINTR; not EIO (no device fails)
 * ways readv: EBADF EAGAIN EINVAL EFAULT EINTR
 * ways write: EBADF EAGAIN EINVAL EFAULT EPIPE EFBIG EINTR; not EIO ENOSPC EDQUOT (likewise)
 * ways writev: EBADF EAGAIN EINVAL EPIPE EINTR
 * ways pwrite: EBADF EINVAL ESPIPE
 * ways pread: EBADF EFAULT EINVAL EISDIR ESPIPE; not EINTR EIO (it never waits; likewise)
 * ways pread64: EBADF EINVAL ESPIPE
 *
 * case read_EBADF: ok 1
 * case read_EBADF_of_random_numbers: ok 1
 * case read_EISDIR: ok 1
 * case read_EAGAIN: ok 1
 * case read_EINVAL: ok 1
 * case read_EFAULT: ok 1
 * case readv_EBADF: ok 1
 * case readv_EAGAIN: ok 1
 * case readv_EINVAL: ok 1
 * case readv_EINVAL_of_random_numbers: ok 1
 * case readv_EFAULT: ok 1
 * case write_EBADF: ok 1
 * case write_EAGAIN: ok 1
 * case write_EAGAIN_unless_it_fits: ok 1
 * case write_EINVAL: ok 1
 * case write_EFAULT: ok 1
 * case write_EPIPE: ok 1
 * case write_EFBIG: ok 1
 * case writev_EBADF: ok 1
 * case writev_EAGAIN: ok 1
 * case writev_EINVAL: ok 1
 * case writev_EPIPE: ok 1
 * case pwrite_EBADF: ok 1
 * case pwrite_EINVAL: ok 1
 * case pwrite_ESPIPE: ok 1
 * case pread_EBADF: ok 1
 * case pread_EFAULT: ok 1
 * case pread_EINVAL: ok 1
 * case pread_EISDIR: ok 1
 * case pread_ESPIPE: ok 1
 * case pread64_EBADF: ok 1
 * case pread64_EINVAL: ok 1
 * case pread64_ESPIPE: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	NONE_THERE = 250 /* no descriptor */
};

static char byte;
static char *volatile wild = (char *)8;

static void make_pipe(int fd[2])
{
	assert(pipe2(fd, O_NONBLOCK) == 0);
}

static void close_both(const int fd[2])
{
	assert(close(fd[0]) == 0 && close(fd[1]) == 0);
}

IN_EACH(read_EBADF)
{
	int fd[2];

	make_pipe(fd);
	FAILS(EBADF, read(-1, &byte, 1));
	FAILS(EBADF, read(NONE_THERE, &byte, 1));
	FAILS(EBADF, read(fd[1], &byte, 1));
	close_both(fd);
	FAILS(EBADF, read(fd[0], &byte, 1));
	return arg;
}

/* It is open for writing only. */
IN_EACH(read_EBADF_of_random_numbers)
{
	int fd = open("/dev/urandom", O_WRONLY);

	assert(fd >= 0);
	FAILS(EBADF, read(fd, &byte, 1));
	close(fd);
	return arg;
}

IN_EACH(read_EISDIR)
{
	int fd = open(".", O_RDONLY);

	FAILS(EISDIR, read(fd, &byte, 1));
	close(fd);
	return arg;
}

IN_EACH(read_EAGAIN)
{
	int fd[2];

	make_pipe(fd);
	FAILS(EAGAIN, read(fd[0], &byte, 1));
	assert(write(fd[1], "x", 1) == 1);
	assert(read(fd[0], &byte, 1) == 1 && byte == 'x');
	FAILS(EAGAIN, read(fd[0], &byte, 1));
	close_both(fd);
	return arg;
}

IN_EACH(read_EINVAL)
{
	int fd = eventfd(1, 0);
	char few[7];

	FAILS(EINVAL, read(fd, few, sizeof(few)));
	FAILS(EINVAL, read(fd, few, 0));
	close(fd);
	return arg;
}

IN_EACH(read_EFAULT)
{
	int device = open("/dev/urandom", O_RDONLY);

	FAILS(EFAULT, read(device, wild, 1));
	close(device);
	return arg;
}

IN_EACH(readv_EBADF)
{
	struct iovec v = { &byte, 1 };

	FAILS(EBADF, readv(-1, &v, 1));
	FAILS(EBADF, readv(NONE_THERE, &v, 1));
	return arg;
}

IN_EACH(readv_EAGAIN)
{
	struct iovec v = { &byte, 1 };
	int fd[2];

	make_pipe(fd);
	FAILS(EAGAIN, readv(fd[0], &v, 1));
	close_both(fd);
	return arg;
}

IN_EACH(readv_EINVAL)
{
	struct iovec v = { &byte, 1 }, many[IOV_MAX + 1] = { 0 };
	int fd[2];

	assert(pipe(fd) == 0);
	FAILS(EINVAL, readv(fd[0], &v, -1));
	FAILS(EINVAL, readv(fd[0], many, IOV_MAX + 1));
	assert(readv(fd[0], &v, 0) == 0);
	close_both(fd);
	return arg;
}

IN_EACH(readv_EINVAL_of_random_numbers)
{
	struct iovec v = { &byte, 1 };
	int fd = open("/dev/urandom", O_RDONLY);

	FAILS(EINVAL, readv(fd, &v, -1));
	assert(readv(fd, &v, 1) == 1);
	close(fd);
	return arg;
}

IN_EACH(readv_EFAULT)
{
	int fd[2];

	make_pipe(fd);
	FAILS(EFAULT, readv(fd[0], (struct iovec *)wild, 1));
	close_both(fd);
	return arg;
}

IN_EACH(write_EBADF)
{
	int fd[2];

	make_pipe(fd);
	FAILS(EBADF, write(-1, "x", 1));
	FAILS(EBADF, write(NONE_THERE, "x", 1));
	FAILS(EBADF, write(fd[0], "x", 1));
	close_both(fd);
	FAILS(EBADF, write(fd[1], "x", 1));
	return arg;
}

static char pages[65536];

IN_EACH(write_EAGAIN)
{
	int fd[2];

	make_pipe(fd);
	assert(write(fd[1], pages, sizeof(pages)) == (ssize_t)sizeof(pages));
	FAILS(EAGAIN, write(fd[1], "x", 1));
	assert(read(fd[0], pages, sizeof(pages)) == (ssize_t)sizeof(pages));
	close_both(fd);
	return arg;
}

/* Of more than PIPE_BUF bytes, some may go; of others all or none. */
IN_EACH(write_EAGAIN_unless_it_fits)
{
	int fd[2];

	make_pipe(fd);
	assert(write(fd[1], pages, sizeof(pages) - PIPE_BUF) == (ssize_t)sizeof(pages) - PIPE_BUF);
	assert(write(fd[1], pages, 2 * PIPE_BUF) == PIPE_BUF);
	FAILS(EAGAIN, write(fd[1], pages, PIPE_BUF));
	close_both(fd);
	return arg;
}

IN_EACH(write_EINVAL)
{
	int fd = eventfd(0, 0);
	unsigned long all = -1;

	FAILS(EINVAL, write(fd, &all, sizeof(all)));
	FAILS(EINVAL, write(fd, &all, 7));
	close(fd);
	return arg;
}

IN_EACH(write_EFAULT)
{
	int fd = open("file", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	FAILS(EFAULT, write(fd, wild, 1));
	close(fd);
	unlink("file");
	return arg;
}

IN_EACH(write_EPIPE)
{
	int fd[2];

	signal(SIGPIPE, SIG_IGN);
	make_pipe(fd);
	assert(close(fd[0]) == 0);
	FAILS(EPIPE, write(fd[1], "x", 1));
	assert(write(fd[1], "", 0) == 0);
	close(fd[1]);
	return arg;
}

/* No file may be larger than nothing. */
IN_EACH(write_EFBIG)
{
	struct rlimit before, nothing;
	int fd = open("empty", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	signal(SIGXFSZ, SIG_IGN);
	assert(fd >= 0 && getrlimit(RLIMIT_FSIZE, &before) == 0);
	nothing = before;
	nothing.rlim_cur = 0;
	assert(setrlimit(RLIMIT_FSIZE, &nothing) == 0);
	FAILS(EFBIG, write(fd, "x", 1));
	assert(setrlimit(RLIMIT_FSIZE, &before) == 0);
	close(fd);
	unlink("empty");
	return arg;
}

IN_EACH(writev_EBADF)
{
	struct iovec v = { &byte, 1 };

	FAILS(EBADF, writev(-1, &v, 1));
	FAILS(EBADF, writev(NONE_THERE, &v, 1));
	return arg;
}

IN_EACH(writev_EAGAIN)
{
	struct iovec v = { pages, sizeof(pages) };
	int fd[2];

	make_pipe(fd);
	assert(writev(fd[1], &v, 1) == (ssize_t)sizeof(pages));
	FAILS(EAGAIN, writev(fd[1], &v, 1));
	close_both(fd);
	return arg;
}

IN_EACH(writev_EINVAL)
{
	struct iovec v = { &byte, 1 };
	int fd[2];

	make_pipe(fd);
	FAILS(EINVAL, writev(fd[1], &v, -1));
	FAILS(EINVAL, writev(fd[1], &v, IOV_MAX + 1));
	FAILS(EAGAIN, read(fd[0], &byte, 1));
	close_both(fd);
	return arg;
}

IN_EACH(writev_EPIPE)
{
	struct iovec v = { &byte, 1 };
	int fd[2];

	signal(SIGPIPE, SIG_IGN);
	make_pipe(fd);
	assert(close(fd[0]) == 0);
	FAILS(EPIPE, writev(fd[1], &v, 1));
	close(fd[1]);
	return arg;
}

EACH_FAILS(pwrite_EBADF, EBADF, pwrite(NONE_THERE, "x", 1, 0))

IN_EACH(pwrite_EINVAL)
{
	int fd = open("file", O_CREAT | O_RDWR, 0600);

	FAILS(EINVAL, pwrite(fd, "x", 1, -1));
	close(fd);
	unlink("file");
	return arg;
}

IN_EACH(pwrite_ESPIPE)
{
	int fd[2];

	make_pipe(fd);
	FAILS(ESPIPE, pwrite(fd[1], "x", 1, 0));
	close_both(fd);
	return arg;
}

EACH_FAILS(pread_EBADF, EBADF, pread(NONE_THERE, &byte, 1, 0))
EACH_FAILS(pread64_EBADF, EBADF, pread64(-1, &byte, 1, 0))

IN_EACH(pread_EFAULT)
{
	int fd = open("program", O_RDONLY);

	FAILS(EFAULT, pread(fd, wild, 1, 0));
	close(fd);
	return arg;
}

IN_EACH(pread_EINVAL)
{
	int fd = open("program", O_RDONLY);

	FAILS(EINVAL, pread(fd, &byte, 1, -1));
	close(fd);
	return arg;
}

IN_EACH(pread64_EINVAL)
{
	int fd = open("program", O_RDONLY);

	FAILS(EINVAL, pread64(fd, &byte, 1, -1));
	close(fd);
	return arg;
}

IN_EACH(pread_EISDIR)
{
	int fd = open(".", O_RDONLY);

	FAILS(EISDIR, pread(fd, &byte, 1, 0));
	close(fd);
	return arg;
}

IN_EACH(pread_ESPIPE)
{
	int fd[2];

	make_pipe(fd);
	FAILS(ESPIPE, pread(fd[0], &byte, 1, 0));
	close_both(fd);
	return arg;
}

IN_EACH(pread64_ESPIPE)
{
	int fd[2];

	make_pipe(fd);
	FAILS(ESPIPE, pread64(fd[0], &byte, 1, 0));
	close_both(fd);
	return arg;
}

CASES(CASE(read_EBADF), CASE(read_EBADF_of_random_numbers), CASE(read_EISDIR), CASE(read_EAGAIN),
      CASE(read_EINVAL), CASE(read_EFAULT), CASE(readv_EBADF), CASE(readv_EAGAIN),
      CASE(readv_EINVAL), CASE(readv_EINVAL_of_random_numbers), CASE(readv_EFAULT),
      CASE(write_EBADF), CASE(write_EAGAIN), CASE(write_EAGAIN_unless_it_fits), CASE(write_EINVAL),
      CASE(write_EFAULT), CASE(write_EPIPE), CASE(write_EFBIG), CASE(writev_EBADF),
      CASE(writev_EAGAIN), CASE(writev_EINVAL), CASE(writev_EPIPE), CASE(pwrite_EBADF),
      CASE(pwrite_EINVAL), CASE(pwrite_ESPIPE), CASE(pread_EBADF), CASE(pread_EFAULT),
      CASE(pread_EINVAL), CASE(pread_EISDIR), CASE(pread_ESPIPE), CASE(pread64_EBADF),
      CASE(pread64_EINVAL), CASE(pread64_ESPIPE))
