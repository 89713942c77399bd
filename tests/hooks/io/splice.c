/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * splice.c - what is done to pipes and the like past read(), write() and close()
 *
 * case splice_to_a_pipe: refused calls splice()
 * case splice_from_a_pipe: refused calls splice()
 * case tee_to_a_pipe: refused calls tee()
 * case vmsplice_to_a_pipe: refused calls vmsplice()
 * case sendfile_to_a_pipe: refused calls sendfile()
 * case sendfile64_to_a_pipe: refused calls sendfile64()
 * case sendmmsg_to_a_thread: refused calls sendmmsg()
 * case recvmmsg_from_a_thread: refused calls recvmmsg()
 * case recvmmsg_from_outside: refused waits in recvmmsg()
 * case asks_how_much_is_there: refused FIONREAD
 * case by_number: refused uses a pipe or the like by syscall()
 * case waits_by_number: refused waits for descriptors by syscall()
 * case files_by_number: ok 1
 * case from_file_to_file: ok 1
 * case before_there_are_threads: ok 1
 * case a_range_is_closed: ok 1
 * case a_range_by_number: ok 1
 * case all_from_one_on_are_closed: ok 1
 * case a_range_that_stays: bug deadlock at RUN(read_to_the_end, mark_one)
 * case nonblocking_by_ioctl: ok 2
 * case blocking_in_each_execution: ok 4
 *
 * ways splice: EBADF; not EINVAL ENOMEM ESPIPE EAGAIN (made as it is)
 * ways tee: EBADF EINVAL; not ENOMEM EAGAIN (likewise)
 * ways vmsplice: EBADF; not EINVAL ENOMEM EAGAIN (likewise)
 * ways sendfile: EBADF; not EAGAIN EFAULT EINVAL EIO ENOMEM EOVERFLOW ESPIPE (likewise)
 * ways sendfile64: EBADF; not EAGAIN EFAULT EINVAL EIO ENOMEM EOVERFLOW ESPIPE (likewise)
 * ways sendmmsg: EBADF ENOTSOCK; not EAGAIN EINVAL (likewise)
 * ways recvmmsg: EBADF ENOTSOCK; not EAGAIN EINVAL (likewise)
 * ways close_range: EINVAL; not EMFILE ENOMEM (limits of the system)
 * ways ioctl: EBADF ENOTTY; not EFAULT EINVAL (made as it is)
 * never fails: closefrom
 *
 * case splice_EBADF: ok 1
 * case tee_EBADF: ok 1
 * case tee_EINVAL: ok 1
 * case vmsplice_EBADF: ok 1
 * case sendfile_EBADF: ok 1
 * case sendfile64_EBADF: ok 1
 * case sendmmsg_EBADF: ok 1
 * case sendmmsg_ENOTSOCK: ok 1
 * case recvmmsg_EBADF: ok 1
 * case recvmmsg_ENOTSOCK: ok 1
 * case close_range_EINVAL: ok 1
 * case ioctl_EBADF: ok 1
 * case ioctl_ENOTTY: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	NONE_THERE = 250,
	FIRST = 100
};

static int fd[2];
static char letters[] = "abc";
static struct iovec three = { letters, 3 };

/* While there is another thread, which does nothing. */
static void *nothing(void *arg)
{
	return arg;
}

static void beside(void (*fn)(void))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, nothing, NULL) == 0);
	fn();
	assert(pthread_join(t, NULL) == 0);
}

#define BESIDE(name, before)           \
	static void name##_now(void);  \
	static void name(void)         \
	{                              \
		assert((before) == 0); \
		beside(name##_now);    \
	}                              \
	static void name##_now(void)

static int a_file(void)
{
	int file = open("program", O_RDONLY);

	if (file < 0)
		file = open("/proc/self/exe", O_RDONLY);
	assert(file >= 0);
	return file;
}

static int a_null(void)
{
	return open("/dev/null", O_RDWR);
}

BESIDE(splice_to_a_pipe, pipe(fd))
{
	assert(splice(a_file(), NULL, fd[1], NULL, 3, 0) == 3);
}

BESIDE(splice_from_a_pipe, pipe(fd))
{
	assert(write(fd[1], letters, 3) == 3);
	assert(splice(fd[0], NULL, a_null(), NULL, 3, 0) == 3);
}

BESIDE(tee_to_a_pipe, pipe(fd))
{
	int to[2];

	assert(write(fd[1], letters, 3) == 3 && pipe(to) == 0);
	assert(tee(fd[0], to[1], 3, 0) == 3);
}

BESIDE(vmsplice_to_a_pipe, pipe(fd))
{
	assert(vmsplice(fd[1], &three, 1, 0) == 3);
}

BESIDE(sendfile_to_a_pipe, pipe(fd))
{
	assert(sendfile(fd[1], a_file(), NULL, 3) == 3);
}

BESIDE(sendfile64_to_a_pipe, pipe(fd))
{
	assert(sendfile64(fd[1], a_file(), NULL, 3) == 3);
}

static struct mmsghdr message = { .msg_hdr = { .msg_iov = &three, .msg_iovlen = 1 } };

BESIDE(sendmmsg_to_a_thread, socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
{
	assert(sendmmsg(fd[0], &message, 1, 0) == 1);
}

BESIDE(recvmmsg_from_a_thread, socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
{
	assert(write(fd[0], letters, 3) == 3);
	assert(recvmmsg(fd[1], &message, 1, 0, NULL) == 1);
}

BESIDE(recvmmsg_from_outside, (fd[0] = socket(AF_UNIX, SOCK_DGRAM, 0)) < 0)
{
	assert(recvmmsg(fd[0], &message, 1, 0, NULL) == 1);
}

BESIDE(asks_how_much_is_there, pipe(fd))
{
	int n;

	assert(ioctl(fd[0], FIONREAD, &n) == 0 && !n);
}

BESIDE(by_number, pipe(fd))
{
	assert(syscall(SYS_writev, fd[1], &three, 1) == 3);
}

BESIDE(waits_by_number, pipe(fd))
{
	assert(syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0) == -1);
}

BESIDE(files_by_number, pipe(fd))
{
	assert(syscall(SYS_writev, a_null(), &three, 1) == 3);
}

BESIDE(from_file_to_file, 0)
{
	assert(sendfile(a_null(), a_file(), NULL, 3) == 3);
}

static void before_there_are_threads(void)
{
	char c;
	int n = 0;

	assert(pipe(fd) == 0 && vmsplice(fd[1], &three, 1, 0) == 3);
	assert(ioctl(fd[0], FIONREAD, &n) == 0 && n == 3);
	assert(read(fd[0], &c, 1) == 1 && c == 'a');
	assert(close_range((unsigned)fd[1], (unsigned)fd[1], 0) == 0);
	assert(write(fd[1], &c, 1) == -1);
}

/* A pipe whose ends have these numbers, for all the others to be left alone. */
static void pipe_far_up(void)
{
	int low[2];

	assert(pipe(low) == 0);
	fd[0] = dup2(low[0], FIRST);
	fd[1] = dup2(low[1], FIRST + 1);
	assert(fd[1] == FIRST + 1 && close(low[0]) == 0 && close(low[1]) == 0);
}

static void *read_to_the_end(void *arg)
{
	char c;

	assert(read(fd[0], &c, 1) == 0);
	return arg;
}

static void *close_one(void *arg)
{
	assert(close_range(FIRST + 1, FIRST + 2, 0) == 0);
	return arg;
}

static void a_range_is_closed(void)
{
	pipe_far_up();
	RUN(read_to_the_end, close_one);
}

static void *close_one_by_number(void *arg)
{
	assert(syscall(SYS_close_range, FIRST + 1, FIRST + 2, 0) == 0);
	return arg;
}

static void a_range_by_number(void)
{
	pipe_far_up();
	RUN(read_to_the_end, close_one_by_number);
}

static void *close_all(void *arg)
{
	closefrom(FIRST + 1);
	return arg;
}

static void all_from_one_on_are_closed(void)
{
	pipe_far_up();
	RUN(read_to_the_end, close_all);
}

static void *mark_one(void *arg)
{
	assert(close_range(FIRST + 1, FIRST + 1, CLOSE_RANGE_CLOEXEC) == 0);
	assert(fcntl(fd[1], F_GETFD) == FD_CLOEXEC);
	return arg;
}

static void a_range_that_stays(void)
{
	pipe_far_up();
	RUN(read_to_the_end, mark_one);
}

static void *try_to_read(void *arg)
{
	int on = 1;
	char c;
	ssize_t n;

	assert(ioctl(fd[0], FIONBIO, &on) == 0);
	n = read(fd[0], &c, 1);
	assert(n == 1 || (n == -1 && errno == EAGAIN));
	return arg;
}

static void *write_one(void *arg)
{
	assert(write(fd[1], letters, 1) == 1);
	return arg;
}

static void nonblocking_by_ioctl(void)
{
	assert(pipe(fd) == 0);
	RUN(try_to_read, write_one);
}

/* What is set at the end is not there when the next one begins. */
static void blocking_in_each_execution(void)
{
	pthread_t a, b;
	int on = 1;
	char c[2];

	assert(pipe(fd) == 0);
	assert(pthread_create(&a, NULL, write_one, NULL) == 0);
	assert(pthread_create(&b, NULL, write_one, NULL) == 0);
	assert(read(fd[0], &c[0], 1) == 1 && read(fd[0], &c[1], 1) == 1);
	assert(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
	assert(ioctl(fd[0], FIONBIO, &on) == 0);
}

EACH_FAILS(splice_EBADF, EBADF, splice(NONE_THERE, NULL, NONE_THERE, NULL, 1, 0))
EACH_FAILS(tee_EBADF, EBADF, tee(NONE_THERE, NONE_THERE, 1, 0))
EACH_FAILS(tee_EINVAL, EINVAL, tee(a_null(), a_null(), 1, 0))
EACH_FAILS(vmsplice_EBADF, EBADF, vmsplice(NONE_THERE, &three, 1, 0))
EACH_FAILS(sendfile_EBADF, EBADF, sendfile(NONE_THERE, NONE_THERE, NULL, 1))
EACH_FAILS(sendfile64_EBADF, EBADF, sendfile64(NONE_THERE, NONE_THERE, NULL, 1))
EACH_FAILS(sendmmsg_EBADF, EBADF, sendmmsg(NONE_THERE, &message, 1, 0))
EACH_FAILS(sendmmsg_ENOTSOCK, ENOTSOCK, sendmmsg(a_file(), &message, 1, 0))
EACH_FAILS(recvmmsg_EBADF, EBADF, recvmmsg(NONE_THERE, &message, 1, 0, NULL))
EACH_FAILS(recvmmsg_ENOTSOCK, ENOTSOCK, recvmmsg(a_file(), &message, 1, 0, NULL))
EACH_FAILS(close_range_EINVAL, EINVAL, close_range(9, 8, 0))
EACH_FAILS(ioctl_EBADF, EBADF, ioctl(NONE_THERE, FIONREAD, &fd[0]))
EACH_FAILS(ioctl_ENOTTY, ENOTTY, ioctl(a_file(), TIOCGWINSZ, letters))

CASES(CASE(splice_to_a_pipe), CASE(splice_from_a_pipe), CASE(tee_to_a_pipe),
      CASE(vmsplice_to_a_pipe), CASE(sendfile_to_a_pipe), CASE(sendfile64_to_a_pipe),
      CASE(sendmmsg_to_a_thread), CASE(recvmmsg_from_a_thread), CASE(recvmmsg_from_outside),
      CASE(asks_how_much_is_there), CASE(by_number), CASE(waits_by_number), CASE(files_by_number),
      CASE(from_file_to_file), CASE(before_there_are_threads), CASE(a_range_is_closed),
      CASE(a_range_by_number), CASE(all_from_one_on_are_closed), CASE(a_range_that_stays),
      CASE(nonblocking_by_ioctl), CASE(blocking_in_each_execution), CASE(splice_EBADF),
      CASE(tee_EBADF), CASE(tee_EINVAL), CASE(vmsplice_EBADF), CASE(sendfile_EBADF),
      CASE(sendfile64_EBADF), CASE(sendmmsg_EBADF), CASE(sendmmsg_ENOTSOCK), CASE(recvmmsg_EBADF),
      CASE(recvmmsg_ENOTSOCK), CASE(close_range_EINVAL), CASE(ioctl_EBADF), CASE(ioctl_ENOTTY))
