/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll.c - how epoll fails
 *
 * ways epoll_create: EINVAL EMFILE; not ENFILE ENOMEM (limits of the system)
 * ways epoll_create1: EINVAL EMFILE; not ENFILE ENOMEM (likewise)
 * ways epoll_ctl: EBADF EEXIST EFAULT EINVAL ELOOP ENOENT EPERM; not ENOMEM ENOSPC (likewise)
 * ways epoll_wait: EBADF EINVAL EFAULT EINTR
 * ways epoll_pwait: EBADF EINVAL EINTR
 * ways epoll_pwait2: EBADF EINVAL
 *
 * case epoll_create_EINVAL: ok 1
 * case epoll_create_EMFILE: ok 1
 * case epoll_create1_EINVAL: ok 1
 * case epoll_create1_EMFILE: ok 1
 * case epoll_ctl_EBADF: ok 1
 * case epoll_ctl_EEXIST: ok 1
 * case epoll_ctl_EFAULT: ok 1
 * case epoll_ctl_EINVAL: ok 1
 * case epoll_ctl_ELOOP: ok 1
 * case epoll_ctl_ENOENT: ok 1
 * case epoll_ctl_EPERM: ok 1
 * case epoll_wait_EBADF: ok 1
 * case epoll_wait_EINVAL: ok 1
 * case epoll_wait_EFAULT: ok 1
 * case epoll_pwait_EBADF: ok 1
 * case epoll_pwait_EINVAL: ok 1
 * case epoll_pwait2_EBADF: ok 1
 * case epoll_pwait2_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "descriptors.h"
#include "hooks/fails.h"

enum {
	NONE_THERE = 250 /* no descriptor */
};

static struct epoll_event *volatile wild = (struct epoll_event *)8;
static struct epoll_event in = { .events = EPOLLIN };
static struct epoll_event exclusive = { .events = EPOLLIN | EPOLLEXCLUSIVE };

EACH_FAILS(epoll_create_EINVAL, EINVAL, epoll_create(0))
EACH_FAILS(epoll_create1_EINVAL, EINVAL, epoll_create1(1))

IN_EACH(epoll_create_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	FAILS(EMFILE, epoll_create(1));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

IN_EACH(epoll_create1_EMFILE)
{
	struct rlimit before = no_more_descriptors();

	FAILS(EMFILE, epoll_create1(0));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return arg;
}

/* An epoll descriptor and a pipe, which it watches. */
struct watched {
	int set, fd[2];
};

static struct watched watch_a_pipe(void)
{
	struct watched w = { .set = epoll_create1(0) };

	assert(w.set >= 0 && pipe(w.fd) == 0);
	assert(epoll_ctl(w.set, EPOLL_CTL_ADD, w.fd[0], &in) == 0);
	return w;
}

static void close_all(const struct watched *w)
{
	assert(close(w->set) == 0 && close(w->fd[0]) == 0 && close(w->fd[1]) == 0);
}

IN_EACH(epoll_ctl_EBADF)
{
	struct watched w = watch_a_pipe();

	FAILS(EBADF, epoll_ctl(w.set, EPOLL_CTL_ADD, NONE_THERE, &in));
	FAILS(EBADF, epoll_ctl(w.set, EPOLL_CTL_DEL, -1, NULL));
	FAILS(EBADF, epoll_ctl(-1, EPOLL_CTL_ADD, w.fd[0], &in));
	FAILS(EBADF, epoll_ctl(NONE_THERE, EPOLL_CTL_ADD, w.fd[0], &in));
	close_all(&w);
	return arg;
}

IN_EACH(epoll_ctl_EEXIST)
{
	struct watched w = watch_a_pipe();

	FAILS(EEXIST, epoll_ctl(w.set, EPOLL_CTL_ADD, w.fd[0], &in));
	close_all(&w);
	return arg;
}

IN_EACH(epoll_ctl_EFAULT)
{
	struct watched w = watch_a_pipe();

	FAILS(EFAULT, epoll_ctl(w.set, EPOLL_CTL_ADD, w.fd[1], NULL));
	FAILS(EFAULT, epoll_ctl(w.set, EPOLL_CTL_MOD, w.fd[0], wild));
	FAILS(EFAULT, epoll_ctl(w.set, EPOLL_CTL_ADD, NONE_THERE, NULL));
	assert(epoll_ctl(w.set, EPOLL_CTL_DEL, w.fd[0], wild) == 0); /* needs none */
	close_all(&w);
	return arg;
}

IN_EACH(epoll_ctl_EINVAL)
{
	struct watched w = watch_a_pipe();

	FAILS(EINVAL, epoll_ctl(w.set, 77, w.fd[0], &in));
	FAILS(EINVAL, epoll_ctl(w.set, EPOLL_CTL_ADD, w.set, &in));
	FAILS(EINVAL, epoll_ctl(w.fd[0], EPOLL_CTL_ADD, w.fd[1], &in));
	FAILS(EINVAL, epoll_ctl(w.set, EPOLL_CTL_MOD, w.fd[0], &exclusive));
	FAILS(EINVAL, epoll_ctl(w.set, EPOLL_CTL_ADD, w.set, &exclusive));
	close_all(&w);
	return arg;
}

/* Each would wait for the other. */
IN_EACH(epoll_ctl_ELOOP)
{
	int one = epoll_create1(0), two = epoll_create1(0);

	assert(epoll_ctl(one, EPOLL_CTL_ADD, two, &in) == 0);
	FAILS(ELOOP, epoll_ctl(two, EPOLL_CTL_ADD, one, &in));
	close(one);
	close(two);
	return arg;
}

IN_EACH(epoll_ctl_ENOENT)
{
	struct watched w = watch_a_pipe();

	FAILS(ENOENT, epoll_ctl(w.set, EPOLL_CTL_DEL, w.fd[1], NULL));
	FAILS(ENOENT, epoll_ctl(w.set, EPOLL_CTL_MOD, w.fd[1], &in));
	close_all(&w);
	return arg;
}

IN_EACH(epoll_ctl_EPERM)
{
	struct watched w = watch_a_pipe();
	int file = open("program", O_RDONLY), folder = open(".", O_RDONLY);
	int zero = open("/dev/zero", O_RDONLY);

	FAILS(EPERM, epoll_ctl(w.set, EPOLL_CTL_ADD, file, &in));
	FAILS(EPERM, epoll_ctl(w.set, EPOLL_CTL_DEL, file, NULL));
	FAILS(EPERM, epoll_ctl(w.set, EPOLL_CTL_ADD, folder, &in));
	FAILS(EPERM, epoll_ctl(w.set, EPOLL_CTL_MOD, zero, &in));
	close(zero);
	close(file);
	close(folder);
	close_all(&w);
	return arg;
}

IN_EACH(epoll_wait_EBADF)
{
	struct epoll_event e;

	FAILS(EBADF, epoll_wait(-1, &e, 1, 0));
	FAILS(EBADF, epoll_wait(NONE_THERE, &e, 1, 0));
	return arg;
}

IN_EACH(epoll_wait_EINVAL)
{
	struct watched w = watch_a_pipe();
	struct epoll_event e;

	FAILS(EINVAL, epoll_wait(w.set, &e, 0, 0));
	FAILS(EINVAL, epoll_wait(w.set, &e, -1, 0));
	FAILS(EINVAL, epoll_wait(w.set, &e, INT_MAX, 0));
	FAILS(EINVAL, epoll_wait(w.fd[0], &e, 1, 0));
	close_all(&w);
	return arg;
}

IN_EACH(epoll_wait_EFAULT)
{
	struct watched w = watch_a_pipe();
	struct epoll_event e;

	assert(write(w.fd[1], "x", 1) == 1);
	FAILS(EFAULT, epoll_wait(w.set, wild, 1, 0));
	assert(epoll_wait(w.set, &e, 1, 0) == 1);
	close_all(&w);
	return arg;
}

IN_EACH(epoll_pwait_EBADF)
{
	struct epoll_event e;

	FAILS(EBADF, epoll_pwait(NONE_THERE, &e, 1, 0, NULL));
	return arg;
}

IN_EACH(epoll_pwait_EINVAL)
{
	struct watched w = watch_a_pipe();
	struct epoll_event e;

	FAILS(EINVAL, epoll_pwait(w.set, &e, 0, 0, NULL));
	FAILS(EINVAL, epoll_pwait(w.fd[0], &e, 1, 0, NULL));
	close_all(&w);
	return arg;
}

IN_EACH(epoll_pwait2_EBADF)
{
	struct timespec t = { 0, 0 };
	struct epoll_event e;

	FAILS(EBADF, epoll_pwait2(NONE_THERE, &e, 1, &t, NULL));
	return arg;
}

IN_EACH(epoll_pwait2_EINVAL)
{
	struct watched w = watch_a_pipe();
	struct timespec t = { 0, 1000000000 };
	struct epoll_event e;

	FAILS(EINVAL, epoll_pwait2(w.set, &e, 1, &t, NULL));
	t = (struct timespec){ 0, 0 };
	FAILS(EINVAL, epoll_pwait2(w.set, &e, 0, &t, NULL));
	FAILS(EINVAL, epoll_pwait2(w.fd[0], &e, 1, &t, NULL));
	close_all(&w);
	return arg;
}

CASES(CASE(epoll_create_EINVAL), CASE(epoll_create_EMFILE), CASE(epoll_create1_EINVAL),
      CASE(epoll_create1_EMFILE), CASE(epoll_ctl_EBADF), CASE(epoll_ctl_EEXIST),
      CASE(epoll_ctl_EFAULT), CASE(epoll_ctl_EINVAL), CASE(epoll_ctl_ELOOP), CASE(epoll_ctl_ENOENT),
      CASE(epoll_ctl_EPERM), CASE(epoll_wait_EBADF), CASE(epoll_wait_EINVAL),
      CASE(epoll_wait_EFAULT), CASE(epoll_pwait_EBADF), CASE(epoll_pwait_EINVAL),
      CASE(epoll_pwait2_EBADF), CASE(epoll_pwait2_EINVAL))
