/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epolls.h - what tests of epoll have in common
 */
#ifndef EPOLLS_H
#define EPOLLS_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The epoll descriptor, and two pairs of others: what is written to [1] is read at [0]. */
static int set, fd[2], other[2];

static inline void new_set(void)
{
	set = epoll_create1(EPOLL_CLOEXEC);
	assert(set >= 0);
}

static inline void control(int op, int what, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = what };

	assert(epoll_ctl(set, op, what, &e) == 0);
}

static inline void watch(int what, uint32_t events)
{
	control(EPOLL_CTL_ADD, what, events);
}

static inline void watch_again(int what, uint32_t events)
{
	control(EPOLL_CTL_MOD, what, events);
}

/* Without waiting: nothing is reported; nothing but these events of that one. */
static inline void quiet(void)
{
	struct epoll_event e;

	assert(epoll_wait(set, &e, 1, 0) == 0);
}

static inline void told(int what, uint32_t events)
{
	struct epoll_event e[8];

	memset(e, 0, sizeof(e));
	assert(epoll_wait(set, e, 8, 0) == 1);
	assert(e[0].data.fd == what && e[0].events == events);
}

/* Waits for one, and says what it is. */
static inline int wait_for_one(void)
{
	struct epoll_event e;

	assert(epoll_wait(set, &e, 1, -1) == 1);
	return e.data.fd;
}

static inline void put_to(int to)
{
	assert(write(to, "x", 1) == 1);
}

static inline void *put_and_close(void *arg)
{
	put_to(fd[1]);
	close(fd[1]);
	return arg;
}

static inline void take_from(int from)
{
	char c;

	assert(read(from, &c, 1) == 1);
}

/* How much there was; the descriptor does not wait. */
static inline int drain(int from)
{
	static char bytes[65536];
	ssize_t n;
	int all = 0;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		all += (int)n;
	assert(n == 0 || errno == EAGAIN);
	return all;
}

/* Writes until there is no room; the descriptor does not wait. */
static inline void fill(int to)
{
	static char bytes[4096];

	while (write(to, bytes, sizeof(bytes)) > 0)
		;
	assert(errno == EAGAIN);
}

#endif
