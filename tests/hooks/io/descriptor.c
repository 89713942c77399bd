/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * descriptor.c - how closing and duplicating descriptors, and asking for what they are, fails
 *
 * ways close: EBADF; not EINTR EIO (signals may come at any time, and no device fails)
 * ways dup: EBADF EMFILE
 * ways dup2: EBADF; not EINTR EIO (likewise)
 * ways dup3: EBADF EINVAL
 * ways fcntl: EBADF EINVAL EMFILE; not EACCES EDEADLK EINTR ENOLCK (locks of other processes)
 * ways fcntl64: EBADF EINVAL
 *
 * case close_EBADF: ok 1
 * case dup_EBADF: ok 1
 * case dup_EMFILE: ok 1
 * case dup2_EBADF: ok 1
 * case dup2_leaves_what_is_the_same: ok 1
 * case dup3_EBADF: ok 1
 * case dup3_EINVAL: ok 1
 * case fcntl_EBADF: ok 1
 * case fcntl_EINVAL: ok 1
 * case fcntl_EMFILE: ok 1
 * case fcntl64_EBADF: ok 1
 * case fcntl64_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "descriptors.h"
#include "hooks/fails.h"

enum {
	NONE_THERE = 250 /* no descriptor */
};

static char byte;

static void make_pipe(int fd[2])
{
	assert(pipe2(fd, O_NONBLOCK) == 0);
}

static void close_both(const int fd[2])
{
	assert(close(fd[0]) == 0 && close(fd[1]) == 0);
}

IN_EACH(close_EBADF)
{
	int fd = dup(0);

	FAILS(EBADF, close(-1));
	assert(fd >= 0 && close(fd) == 0);
	FAILS(EBADF, close(fd));
	return arg;
}

EACH_FAILS(dup_EBADF, EBADF, dup(-1))

IN_EACH(dup_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	FAILS(EMFILE, dup(0));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

IN_EACH(dup2_EBADF)
{
	FAILS(EBADF, dup2(-1, 0));
	FAILS(EBADF, dup2(NONE_THERE, NONE_THERE));
	FAILS(EBADF, dup2(0, -1));
	FAILS(EBADF, dup2(0, 1 << 30));
	return arg;
}

IN_EACH(dup2_leaves_what_is_the_same)
{
	int fd[2], device = open("/dev/urandom", O_RDONLY);
	char first[8], second[8];

	make_pipe(fd);
	assert(write(fd[1], "x", 1) == 1 && dup2(fd[0], fd[0]) == fd[0]);
	assert(read(fd[0], &byte, 1) == 1 && byte == 'x');
	assert(dup2(device, device) == device);
	assert(read(device, first, 8) == 8 && read(device, second, 8) == 8);
	assert(memcmp(first, second, 8));
	close_both(fd);
	close(device);
	return arg;
}

IN_EACH(dup3_EBADF)
{
	FAILS(EBADF, dup3(-1, 100, 0));
	FAILS(EBADF, dup3(0, -1, 0));
	return arg;
}

IN_EACH(dup3_EINVAL)
{
	FAILS(EINVAL, dup3(0, 0, 0));
	FAILS(EINVAL, dup3(0, 100, O_APPEND));
	return arg;
}

IN_EACH(fcntl_EBADF)
{
	FAILS(EBADF, fcntl(-1, F_GETFL));
	FAILS(EBADF, fcntl(NONE_THERE, F_DUPFD, 0));
	return arg;
}

IN_EACH(fcntl_EINVAL)
{
	FAILS(EINVAL, fcntl(0, F_DUPFD, -1));
	FAILS(EINVAL, fcntl(0, F_DUPFD_CLOEXEC, 1 << 30));
	FAILS(EINVAL, fcntl(0, 9999));
	return arg;
}

IN_EACH(fcntl_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	FAILS(EMFILE, fcntl(0, F_DUPFD, 0));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

EACH_FAILS(fcntl64_EBADF, EBADF, fcntl64(NONE_THERE, F_GETFD))
EACH_FAILS(fcntl64_EINVAL, EINVAL, fcntl64(0, F_DUPFD, -1))

CASES(CASE(close_EBADF), CASE(dup_EBADF), CASE(dup_EMFILE), CASE(dup2_EBADF),
      CASE(dup2_leaves_what_is_the_same), CASE(dup3_EBADF), CASE(dup3_EINVAL), CASE(fcntl_EBADF),
      CASE(fcntl_EINVAL), CASE(fcntl_EMFILE), CASE(fcntl64_EBADF), CASE(fcntl64_EINVAL))
