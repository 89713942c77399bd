/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll_fails.c - how waiting for descriptors fails
 *
 * ways poll: EINVAL EFAULT EINTR; not ENOMEM (the kernel's)
 * ways ppoll: EINVAL EFAULT EINTR
 * ways select: EBADF EINVAL EINTR; not ENOMEM (likewise)
 * ways pselect: EBADF EINVAL EINTR
 *
 * case poll_EINVAL: ok 1
 * case poll_EFAULT: ok 1
 * case poll_tells_what_is_no_descriptor: ok 1
 * case poll_of_nothing: ok 1
 * case ppoll_EINVAL: ok 1
 * case ppoll_EFAULT: ok 1
 * case select_EBADF: ok 1
 * case select_EINVAL: ok 1
 * case select_of_many_microseconds: ok 1
 * case select_of_nothing: ok 1
 * case pselect_EBADF: ok 1
 * case pselect_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	NONE_THERE = 250 /* no descriptor */
};

static struct pollfd *volatile wild = (struct pollfd *)8;

/* More than the process may have open. */
IN_EACH(poll_EINVAL)
{
	struct rlimit limit;
	struct pollfd p = { .fd = -1 };

	assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	FAILS(EINVAL, poll(&p, limit.rlim_cur + 1, 0));
	FAILS(EINVAL, poll(&p, (nfds_t)-1, 0));
	return arg;
}

IN_EACH(poll_EFAULT)
{
	FAILS(EFAULT, poll(wild, 1, 0));
	assert(poll(wild, 0, 0) == 0);
	return arg;
}

IN_EACH(poll_tells_what_is_no_descriptor)
{
	struct pollfd p[2] = { { .fd = -1, .events = POLLIN, .revents = POLLIN },
			       { .fd = NONE_THERE, .events = POLLIN } };

	assert(poll(p, 2, -1) == 1);
	assert(p[0].revents == 0 && p[1].revents == POLLNVAL);
	return arg;
}

IN_EACH(poll_of_nothing)
{
	struct pollfd p = { .events = POLLIN };
	int fd[2];

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	assert(poll(&p, 1, 0) == 0 && p.revents == 0);
	assert(poll(NULL, 0, 0) == 0);
	assert(write(fd[1], "x", 1) == 1 && poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(ppoll_EINVAL)
{
	struct timespec t = { 0, 1000000000 };
	struct pollfd p = { .fd = -1 };
	struct rlimit limit;

	FAILS(EINVAL, ppoll(&p, 1, &t, NULL));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, ppoll(&p, 1, &t, NULL));
	t = (struct timespec){ 0, 0 };
	assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	FAILS(EINVAL, ppoll(&p, limit.rlim_cur + 1, &t, NULL));
	return arg;
}

IN_EACH(ppoll_EFAULT)
{
	struct timespec t = { 0, 0 };

	FAILS(EFAULT, ppoll(wild, 1, &t, NULL));
	return arg;
}

static fd_set set_of_one(int fd)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return set;
}

/* What is between the ends of a pipe, closed again. */
static int closed(void)
{
	int fd[2];

	assert(pipe(fd) == 0 && close(fd[1]) == 0 && close(fd[0]) == 0);
	return fd[0];
}

IN_EACH(select_EBADF)
{
	struct timeval none = { 0, 0 };
	int fd = closed();
	fd_set in = set_of_one(fd), out = set_of_one(fd);

	FAILS(EBADF, select(fd + 1, &in, NULL, NULL, &none));
	FAILS(EBADF, select(fd + 1, NULL, &out, NULL, NULL));
	assert(FD_ISSET(fd, &in) && FD_ISSET(fd, &out));
	assert(select(fd, &in, NULL, NULL, &none) == 0); /* it is not asked for */
	return arg;
}

IN_EACH(select_EINVAL)
{
	struct timeval t = { 0, 0 };

	FAILS(EINVAL, select(-1, NULL, NULL, NULL, &t));
	t = (struct timeval){ -1, 0 };
	FAILS(EINVAL, select(0, NULL, NULL, NULL, &t));
	t = (struct timeval){ 0, -1 };
	FAILS(EINVAL, select(0, NULL, NULL, NULL, &t));
	return arg;
}

/* POSIX leaves it open; Linux takes more than a second of them. */
IN_EACH(select_of_many_microseconds)
{
	struct timeval t = { 0, 2000000 };
	int fd[2];
	fd_set out;

	assert(pipe(fd) == 0);
	out = set_of_one(fd[1]);
	assert(select(fd[1] + 1, NULL, &out, NULL, &t) == 1 && FD_ISSET(fd[1], &out));
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(select_of_nothing)
{
	struct timeval none = { 0, 0 };
	int fd[2];
	fd_set in;

	assert(pipe(fd) == 0);
	in = set_of_one(fd[0]);
	assert(select(fd[0] + 1, &in, NULL, NULL, &none) == 0 && !FD_ISSET(fd[0], &in));
	assert(select(0, NULL, NULL, NULL, &none) == 0);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(pselect_EBADF)
{
	int fd = closed();
	fd_set in = set_of_one(fd);

	FAILS(EBADF, pselect(fd + 1, &in, NULL, NULL, NULL, NULL));
	return arg;
}

IN_EACH(pselect_EINVAL)
{
	struct timespec t = { 0, 1000000000 };

	FAILS(EINVAL, pselect(0, NULL, NULL, NULL, &t, NULL));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, pselect(0, NULL, NULL, NULL, &t, NULL));
	t = (struct timespec){ 0, 0 };
	FAILS(EINVAL, pselect(-1, NULL, NULL, NULL, &t, NULL));
	return arg;
}

CASES(CASE(poll_EINVAL), CASE(poll_EFAULT), CASE(poll_tells_what_is_no_descriptor),
      CASE(poll_of_nothing), CASE(ppoll_EINVAL), CASE(ppoll_EFAULT), CASE(select_EBADF),
      CASE(select_EINVAL), CASE(select_of_many_microseconds), CASE(select_of_nothing),
      CASE(pselect_EBADF), CASE(pselect_EINVAL))
