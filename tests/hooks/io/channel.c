/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel.c - how pipes, eventfds and socket pairs fail
 *
 * ways pipe: EMFILE EFAULT; not ENFILE (a limit of the system)
 * ways pipe2: EINVAL EMFILE EFAULT; not ENFILE ENOPKG (likewise)
 * ways eventfd: EINVAL EMFILE; not ENFILE ENODEV ENOMEM (likewise)
 * ways eventfd_read: EAGAIN EBADF EINVAL
 * ways eventfd_write: EBADF EINVAL; not EAGAIN (numbers of more than 62 bits are refused)
 * ways socketpair: EAFNOSUPPORT EOPNOTSUPP EPROTONOSUPPORT EINVAL EMFILE EFAULT; not ENFILE ENOBUFS
 *	ENOMEM EACCES (likewise)
 * ways signalfd: EBADF EINVAL EMFILE; not ENFILE ENODEV ENOMEM (likewise)
 * ways socket: EAFNOSUPPORT EPROTONOSUPPORT EINVAL EMFILE; not ENFILE ENOBUFS ENOMEM EACCES (likewise)
 * ways timerfd_create: EINVAL EMFILE; not ENFILE ENODEV ENOMEM EPERM (likewise)
 *
 * case pipe_EMFILE: ok 1
 * case pipe_EFAULT: ok 1
 * case pipe2_EINVAL: ok 1
 * case pipe2_EMFILE: ok 1
 * case pipe2_EFAULT: ok 1
 * case eventfd_EINVAL: ok 1
 * case eventfd_EMFILE: ok 1
 * case eventfd_begins_with_a_number: ok 1
 * case eventfd_read_EAGAIN: ok 1
 * case eventfd_read_EBADF: ok 1
 * case eventfd_read_EINVAL: ok 1
 * case eventfd_write_refused: refused more than 62 bits
 * case eventfd_write_EBADF: ok 1
 * case eventfd_write_EINVAL: ok 1
 * case socketpair_EAFNOSUPPORT: ok 1
 * case socketpair_EOPNOTSUPP: ok 1
 * case socketpair_EPROTONOSUPPORT: ok 1
 * case socketpair_EINVAL: ok 1
 * case socketpair_EMFILE: ok 1
 * case socketpair_EFAULT: ok 1
 * case socket_EAFNOSUPPORT: ok 1
 * case socket_EPROTONOSUPPORT: ok 1
 * case socket_EINVAL: ok 1
 * case socket_EMFILE: ok 1
 * case signalfd_EBADF: ok 1
 * case signalfd_EINVAL: ok 1
 * case signalfd_EMFILE: ok 1
 * case timerfd_create_EINVAL: ok 1
 * case timerfd_create_EMFILE: ok 1
 * case wild_pointers_lose_nothing: ok 1
 * case another_one_breaks_it: bug crash
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "descriptors.h"
#include "hooks/fails.h"

static int *volatile wild = (int *)8;

EACH_FAILS(pipe_EFAULT, EFAULT, pipe(wild))
EACH_FAILS(pipe2_EFAULT, EFAULT, pipe2(wild, O_CLOEXEC))
EACH_FAILS(eventfd_EINVAL, EINVAL, eventfd(0, 0x100))
EACH_FAILS(socketpair_EFAULT, EFAULT, socketpair(AF_UNIX, SOCK_STREAM, 0, wild))
EACH_FAILS(socket_EAFNOSUPPORT, EAFNOSUPPORT, socket(99, SOCK_STREAM, 0))
EACH_FAILS(socket_EPROTONOSUPPORT, EPROTONOSUPPORT, socket(AF_UNIX, SOCK_STREAM, 77))

/* A case of a call that would need more descriptors than there may be. */
#define EACH_EMFILE(name, call)                                 \
	IN_EACH(name##_EMFILE)                                  \
	{                                                       \
		int fd[2] = { 77, 77 };                         \
		struct rlimit before = no_more_descriptors();   \
                                                                \
		FAILS(EMFILE, call);                            \
		assert(setrlimit(RLIMIT_NOFILE, &before) == 0); \
		assert(fd[0] == 77 && fd[1] == 77);             \
		return arg;                                     \
	}
EACH_EMFILE(pipe, pipe(fd))
EACH_EMFILE(pipe2, pipe2(fd, O_CLOEXEC))
EACH_EMFILE(eventfd, eventfd(0, 0))
EACH_EMFILE(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
EACH_EMFILE(socket, socket(AF_UNIX, SOCK_STREAM, 0))
EACH_EMFILE(timerfd_create, timerfd_create(CLOCK_MONOTONIC, 0))

IN_EACH(pipe2_EINVAL)
{
	int fd[2] = { 77, 77 };

	FAILS(EINVAL, pipe2(fd, O_APPEND));
	FAILS(EINVAL, pipe2(fd, -1));
	assert(fd[0] == 77 && fd[1] == 77);
	return arg;
}

IN_EACH(eventfd_begins_with_a_number)
{
	int fd = eventfd(5, EFD_NONBLOCK), one = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
	eventfd_t v = 0;

	assert(fd >= 0 && one >= 0);
	assert(eventfd_read(fd, &v) == 0 && v == 5);
	FAILS(EAGAIN, eventfd_read(fd, &v));
	assert(eventfd_write(fd, 3) == 0 && eventfd_read(fd, &v) == 0 && v == 3);
	assert(eventfd_read(one, &v) == 0 && v == 1 && eventfd_read(one, &v) == 0 && v == 1);
	FAILS(EAGAIN, eventfd_read(one, &v));
	close(fd);
	close(one);
	return arg;
}

IN_EACH(eventfd_read_EAGAIN)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	eventfd_t v = 77;

	FAILS(EAGAIN, eventfd_read(fd, &v));
	assert(v == 77);
	close(fd);
	return arg;
}

IN_EACH(eventfd_read_EBADF)
{
	eventfd_t v;

	FAILS(EBADF, eventfd_read(-1, &v));
	return arg;
}

/* A signalfd gives 128 bytes or none. */
IN_EACH(eventfd_read_EINVAL)
{
	sigset_t set;
	eventfd_t v;
	int fd;

	sigemptyset(&set);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	assert(fd >= 0);
	FAILS(EINVAL, eventfd_read(fd, &v));
	close(fd);
	return arg;
}

static void *write_nearly_all(void *arg)
{
	eventfd_write(eventfd(0, EFD_NONBLOCK), (eventfd_t)-2);
	return arg;
}

static void eventfd_write_refused(void)
{
	THREADS(1, write_nearly_all);
}

EACH_FAILS(eventfd_write_EBADF, EBADF, eventfd_write(-1, 1))

IN_EACH(eventfd_write_EINVAL)
{
	int fd = eventfd(0, 0);

	FAILS(EINVAL, eventfd_write(fd, (eventfd_t)-1));
	close(fd);
	return arg;
}

IN_EACH(socketpair_EAFNOSUPPORT)
{
	int fd[2];

	FAILS(EAFNOSUPPORT, socketpair(99, SOCK_STREAM, 0, fd));
	return arg;
}

/* Only sockets of one machine come in pairs. */
IN_EACH(socketpair_EOPNOTSUPP)
{
	int fd[2];

	FAILS(EOPNOTSUPP, socketpair(AF_INET, SOCK_STREAM, 0, fd));
	return arg;
}

IN_EACH(socketpair_EPROTONOSUPPORT)
{
	int fd[2];

	FAILS(EPROTONOSUPPORT, socketpair(AF_UNIX, SOCK_STREAM, 77, fd));
	return arg;
}

IN_EACH(socketpair_EINVAL)
{
	int fd[2];

	FAILS(EINVAL, socketpair(AF_UNIX, SOCK_STREAM | 0x100000, 0, fd));
	return arg;
}

EACH_FAILS(socket_EINVAL, EINVAL, socket(AF_UNIX, SOCK_STREAM | 0x100000, 0))

static const sigset_t no_signals;

EACH_EMFILE(signalfd, signalfd(-1, &no_signals, 0))
EACH_FAILS(signalfd_EBADF, EBADF, signalfd(250, &no_signals, 0))

IN_EACH(signalfd_EINVAL)
{
	FAILS(EINVAL, signalfd(-1, &no_signals, 0x100));
	FAILS(EINVAL, signalfd(0, &no_signals, 0)); /* is none */
	return arg;
}

IN_EACH(timerfd_create_EINVAL)
{
	FAILS(EINVAL, timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
	FAILS(EINVAL, timerfd_create(CLOCK_MONOTONIC, 0x100));
	return arg;
}

IN_EACH(wild_pointers_lose_nothing)
{
	int fd[2], event = eventfd(7, EFD_NONBLOCK);
	eventfd_t v = 0;
	char c = 0;

	assert(pipe2(fd, O_NONBLOCK) == 0 && write(fd[1], "x", 1) == 1);
	FAILS(EFAULT, read(fd[0], wild, 1));
	FAILS(EFAULT, write(fd[1], wild, 1));
	assert(read(fd[0], &c, 1) == 1 && c == 'x');
	FAILS(EAGAIN, read(fd[0], &c, 1));
	FAILS(EFAULT, read(event, wild, 8));
	FAILS(EFAULT, write(event, wild, 8));
	assert(write(event, &v, 8) == 8);
	close(fd[0]);
	close(fd[1]);
	close(event);
	return arg;
}

static int to_break[2];

static void *break_it(void *arg)
{
	assert(close(to_break[0]) == 0);
	return arg;
}

static void *write_to_it(void *arg)
{
	assert(write(to_break[1], "x", 1) == 1); /* bug: another_one_breaks_it */
	return arg;
}

/* It is who writes that has the bug. */
static void another_one_breaks_it(void)
{
	assert(pipe(to_break) == 0);
	RUN(write_to_it, break_it);
}

CASES(CASE(pipe_EMFILE), CASE(pipe_EFAULT), CASE(pipe2_EINVAL), CASE(pipe2_EMFILE),
      CASE(pipe2_EFAULT), CASE(eventfd_EINVAL), CASE(eventfd_EMFILE),
      CASE(eventfd_begins_with_a_number), CASE(eventfd_read_EAGAIN), CASE(eventfd_read_EBADF),
      CASE(eventfd_read_EINVAL), CASE(eventfd_write_refused), CASE(eventfd_write_EBADF),
      CASE(eventfd_write_EINVAL), CASE(socketpair_EAFNOSUPPORT), CASE(socketpair_EOPNOTSUPP),
      CASE(socketpair_EPROTONOSUPPORT), CASE(socketpair_EINVAL), CASE(socketpair_EMFILE),
      CASE(socketpair_EFAULT), CASE(socket_EAFNOSUPPORT), CASE(socket_EPROTONOSUPPORT),
      CASE(socket_EINVAL), CASE(socket_EMFILE), CASE(signalfd_EBADF), CASE(signalfd_EINVAL),
      CASE(signalfd_EMFILE), CASE(timerfd_create_EINVAL), CASE(timerfd_create_EMFILE),
      CASE(wild_pointers_lose_nothing), CASE(another_one_breaks_it))
