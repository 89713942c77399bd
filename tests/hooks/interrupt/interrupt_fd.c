/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt_fd.c - waits for descriptors that a handler interrupts (interrupt.h)
 *
 * case read_EINTR: ok 3
 * case readv_EINTR: ok 3
 * case recv_EINTR: ok 3
 * case recvmsg_EINTR: ok 3
 * case recvfrom_EINTR: ok 3
 * case write_EINTR: ok 3
 * case writev_EINTR: ok 3
 * case send_EINTR: ok 7
 * case accept_EINTR: ok 3
 * case poll_EINTR: ok 5
 * case ppoll_EINTR: ok 1
 * case select_EINTR: ok 5
 * case pselect_EINTR: ok 1
 * case epoll_wait_EINTR: ok 5
 * case epoll_pwait_EINTR: ok 1
 * case read_is_restarted: ok 3
 * case accept_is_restarted: ok 3
 * case poll_is_not_restarted: ok 5
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "interrupt.h"

static int fd[2];

/* ---- Descriptors ----------------------------------------------------------------------------------- */

static void put(void)
{
	assert(write(fd[1], "x", 1) == 1);
}

static char byte;
static struct iovec one_byte = { &byte, 1 };

static long read_byte(void)
{
	return read(fd[0], &byte, 1);
}

static long readv_byte(void)
{
	return readv(fd[0], &one_byte, 1);
}

static long recv_byte(void)
{
	return recv(fd[0], &byte, 1, 0);
}

static long recvfrom_byte(void)
{
	return recvfrom(fd[0], &byte, 1, 0, NULL, NULL);
}

static long recvmsg_byte(void)
{
	struct msghdr m = { .msg_iov = &one_byte, .msg_iovlen = 1 };

	return recvmsg(fd[0], &m, 0);
}

#define PIPE_EINTR(name, fn, otherwise)             \
	static void name##_EINTR(void)              \
	{                                           \
		assert(pipe(fd) == 0);              \
		is_interrupted(fn, put, otherwise); \
	}
PIPE_EINTR(read, read_byte, 1)
PIPE_EINTR(readv, readv_byte, 1)

#define SOCKET_EINTR(name, fn, release)                               \
	static void name##_EINTR(void)                                \
	{                                                             \
		assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0); \
		is_interrupted(fn, release, 1);                       \
	}
SOCKET_EINTR(recv, recv_byte, put)
SOCKET_EINTR(recvfrom, recvfrom_byte, put)
SOCKET_EINTR(recvmsg, recvmsg_byte, put)

static void read_is_restarted(void)
{
	assert(pipe(fd) == 0);
	is_restarted(read_byte, put, 1);
}

/* Of the smallest size, and full. */
static void fill(void)
{
	static char page[4096];

	assert(pipe(fd) == 0);
	assert(fcntl(fd[1], F_SETPIPE_SZ, 4096) == 4096);
	assert(write(fd[1], page, sizeof(page)) == sizeof(page));
}

static void empty(void)
{
	static char page[4096];

	assert(read(fd[0], page, sizeof(page)) == sizeof(page));
}

static long write_byte(void)
{
	return write(fd[1], "x", 1);
}

static long writev_byte(void)
{
	return writev(fd[1], &one_byte, 1);
}

static void write_EINTR(void)
{
	fill();
	is_interrupted(write_byte, empty, 1);
}

static void writev_EINTR(void)
{
	fill();
	is_interrupted(writev_byte, empty, 1);
}

static void drain(void)
{
	static char page[65536];

	assert(fcntl(fd[0], F_SETFL, O_NONBLOCK) == 0);
	while (recv(fd[0], page, sizeof(page), 0) > 0)
		;
}

static long send_byte(void)
{
	return send(fd[1], "x", 1, 0);
}

static void send_EINTR(void)
{
	static char page[65536];

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	while (send(fd[1], page, sizeof(page), MSG_DONTWAIT) > 0)
		;
	while (send(fd[1], page, 1, MSG_DONTWAIT) > 0)
		;
	is_interrupted(send_byte, drain, 1);
}

static struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "" };

static long accept_one(void)
{
	return accept(fd[0], NULL, NULL) < 0 ? -1 : 0;
}

static void connect_one(void)
{
	assert(connect(fd[1], (struct sockaddr *)&name, sizeof(name)) == 0);
}

static void listen_at(void)
{
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "heddle-%d", (int)getpid());
	fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(fd[0], (struct sockaddr *)&name, sizeof(name)) == 0 && listen(fd[0], 1) == 0);
}

static void accept_EINTR(void)
{
	listen_at();
	is_interrupted(accept_one, connect_one, 0);
}

static void accept_is_restarted(void)
{
	listen_at();
	is_restarted(accept_one, connect_one, 0);
}

/* ---- Waiting for descriptors: never restarted ---------------------------------------------------- */

static long poll_it(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	return poll(&p, 1, -1);
}

static long ppoll_it(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };
	sigset_t none = only(0);

	mask(SIG_BLOCK, SIGUSR1);
	return ppoll(&p, 1, NULL, &none);
}

static long select_it(void)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	return select(fd[0] + 1, &in, NULL, NULL, NULL);
}

static long pselect_it(void)
{
	sigset_t none = only(0);
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	mask(SIG_BLOCK, SIGUSR1);
	return pselect(fd[0] + 1, &in, NULL, NULL, NULL, &none);
}

static int watch(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int set = epoll_create1(0);

	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == 0);
	return set;
}

static long epoll_it(void)
{
	struct epoll_event e;

	return epoll_wait(watch(), &e, 1, -1);
}

static long epoll_it_with_mask(void)
{
	sigset_t none = only(0);
	struct epoll_event e;

	mask(SIG_BLOCK, SIGUSR1);
	return epoll_pwait(watch(), &e, 1, -1, &none);
}

PIPE_EINTR(poll, poll_it, 1)
PIPE_EINTR(select, select_it, 1)
PIPE_EINTR(epoll_wait, epoll_it, 1)

/* The signal is blocked but for the call: it is never lost, so there is no release. */
#define MASKED_EINTR(name, fn)                          \
	static void name##_EINTR(void)                  \
	{                                               \
		assert(pipe(fd) == 0);                  \
		mask(SIG_BLOCK, SIGUSR1);               \
		interrupt(fn, NULL, SA_RESTART);        \
		assert(result == -1 && error == EINTR); \
	}
MASKED_EINTR(ppoll, ppoll_it)
MASKED_EINTR(pselect, pselect_it)
MASKED_EINTR(epoll_pwait, epoll_it_with_mask)

static void poll_is_not_restarted(void)
{
	bool must;

	assert(pipe(fd) == 0);
	must = interrupt(poll_it, put, SA_RESTART);
	assert((result == -1 && error == EINTR) || (!must && result == 1));
}

CASES(CASE(read_EINTR), CASE(readv_EINTR), CASE(recv_EINTR), CASE(recvmsg_EINTR),
      CASE(recvfrom_EINTR), CASE(write_EINTR), CASE(writev_EINTR), CASE(send_EINTR),
      CASE(accept_EINTR), CASE(poll_EINTR), CASE(ppoll_EINTR), CASE(select_EINTR),
      CASE(pselect_EINTR), CASE(epoll_wait_EINTR), CASE(epoll_pwait_EINTR), CASE(read_is_restarted),
      CASE(accept_is_restarted), CASE(poll_is_not_restarted))
