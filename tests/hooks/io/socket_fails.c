/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_fails.c - how sending and receiving fails
 *
 * ways recv: EAGAIN EBADF ENOTCONN ENOTSOCK EFAULT EINTR; not ECONNRESET EIO ENOBUFS ENOMEM ETIMEDOUT
 *	(errors of networks, and limits of the system)
 * ways recvfrom: EAGAIN EBADF ENOTCONN ENOTSOCK EINTR
 * ways recvmsg: EAGAIN EBADF EMSGSIZE ENOTCONN ENOTSOCK EINTR
 * ways send: EAGAIN EBADF EDESTADDRREQ ENOTCONN ENOTSOCK EPIPE EINTR; not ECONNRESET EIO (likewise)
 * ways sendto: EBADF EISCONN EDESTADDRREQ ENOTCONN ENOTSOCK EPIPE EMSGSIZE ECONNREFUSED ENOENT EAFNOSUPPORT
 * ways sendmsg: EAGAIN EBADF EISCONN EMSGSIZE ENOTSOCK EPIPE
 * ways shutdown: EBADF EINVAL ENOTCONN ENOTSOCK
 *
 * case recv_EAGAIN: ok 1
 * case recv_EBADF: ok 1
 * case recv_ENOTCONN: ok 1
 * case recv_ENOTSOCK: ok 1
 * case recv_EFAULT: ok 1
 * case recvfrom_EAGAIN: ok 1
 * case recvfrom_EBADF: ok 1
 * case recvfrom_ENOTCONN: ok 1
 * case recvfrom_ENOTSOCK: ok 1
 * case recvmsg_EAGAIN: ok 1
 * case recvmsg_EBADF: ok 1
 * case recvmsg_EMSGSIZE: ok 1
 * case recvmsg_ENOTCONN: ok 1
 * case recvmsg_ENOTSOCK: ok 1
 * case send_EAGAIN: ok 1
 * case send_EBADF: ok 1
 * case send_EDESTADDRREQ: ok 1
 * case send_ENOTCONN: ok 1
 * case send_ENOTSOCK: ok 1
 * case send_EPIPE: ok 1
 * case send_EPIPE_when_it_was_shut: ok 1
 * case sendto_EBADF: ok 1
 * case sendto_EISCONN: ok 1
 * case sendto_EDESTADDRREQ: ok 1
 * case sendto_ENOTCONN: ok 1
 * case sendto_ENOTSOCK: ok 1
 * case sendto_EPIPE: ok 1
 * case sendto_EMSGSIZE: ok 1
 * case sendto_ECONNREFUSED: ok 1
 * case sendto_ENOENT: ok 1
 * case sendto_EAFNOSUPPORT: ok 1
 * case sendmsg_EAGAIN: ok 1
 * case sendmsg_EBADF: ok 1
 * case sendmsg_EISCONN: ok 1
 * case sendmsg_EMSGSIZE: ok 1
 * case sendmsg_ENOTSOCK: ok 1
 * case sendmsg_EPIPE: ok 1
 * case shutdown_EBADF: ok 1
 * case shutdown_EINVAL: ok 1
 * case shutdown_ENOTCONN: ok 1
 * case shutdown_ENOTSOCK: ok 1
 * case shutdown_twice: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "unconnected.h"

static char byte, bytes[1 << 18];
static struct iovec one = { &byte, 1 }, all = { bytes, sizeof(bytes) }, many[IOV_MAX + 1];
static struct msghdr message = { .msg_iov = &one, .msg_iovlen = 1 };
static char *volatile wild = (char *)8;

struct pair {
	int fd[2];
};

static struct pair make_pair(void)
{
	struct pair p;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, p.fd) == 0);
	return p;
}

static void close_pair(struct pair p)
{
	close(p.fd[0]);
	close(p.fd[1]);
}

/* A statement about the end fd of a socket pair, about a pipe. */
#define OF_A_PAIR(name, ...)                 \
	IN_EACH(name)                        \
	{                                    \
		struct pair p = make_pair(); \
		int fd = p.fd[0];            \
                                             \
		FAILS(__VA_ARGS__);          \
		close_pair(p);               \
		return arg;                  \
	}
#define OF_A_PIPE(name, in, out)                     \
	IN_EACH(name)                                \
	{                                            \
		struct pair p;                       \
		int fd;                              \
                                                     \
		assert(pipe(p.fd) == 0);             \
		assert(write(p.fd[1], "x", 1) == 1); \
		fd = p.fd[0];                        \
		FAILS(ENOTSOCK, in);                 \
		fd = p.fd[1];                        \
		FAILS(ENOTSOCK, out);                \
		close_pair(p);                       \
		return arg;                          \
	}
#define LOCAL_DATAGRAMS AF_UNIX, SOCK_DGRAM

OF_A_PAIR(recv_EAGAIN, EAGAIN, recv(fd, &byte, 1, MSG_DONTWAIT))
EACH_FAILS(recv_EBADF, EBADF, recv(-1, &byte, 1, 0))
OF_A_SOCKET(recv_ENOTCONN, TCP, ENOTCONN, recv(fd, &byte, 1, 0))
OF_A_PIPE(recv_ENOTSOCK, recv(fd, &byte, 1, 0), recv(fd, &byte, 1, MSG_DONTWAIT))

IN_EACH(recv_EFAULT)
{
	struct pair p = make_pair();

	assert(send(p.fd[1], "x", 1, 0) == 1);
	FAILS(EFAULT, recv(p.fd[0], wild, 1, 0));
	assert(recv(p.fd[0], &byte, 1, 0) == 1 && byte == 'x');
	close_pair(p);
	return arg;
}

OF_A_PAIR(recvfrom_EAGAIN, EAGAIN, recvfrom(fd, &byte, 1, MSG_DONTWAIT, NULL, NULL))
EACH_FAILS(recvfrom_EBADF, EBADF, recvfrom(-1, &byte, 1, 0, NULL, NULL))
OF_A_SOCKET(recvfrom_ENOTCONN, TCP, ENOTCONN, recvfrom(fd, &byte, 1, 0, NULL, NULL))
OF_A_PIPE(recvfrom_ENOTSOCK, recvfrom(fd, &byte, 1, 0, NULL, NULL),
	  recvfrom(fd, &byte, 1, 0, NULL, NULL))

OF_A_PAIR(recvmsg_EAGAIN, EAGAIN, recvmsg(fd, &message, MSG_DONTWAIT))
EACH_FAILS(recvmsg_EBADF, EBADF, recvmsg(-1, &message, 0))
OF_A_SOCKET(recvmsg_ENOTCONN, TCP, ENOTCONN, recvmsg(fd, &message, 0))
OF_A_PIPE(recvmsg_ENOTSOCK, recvmsg(fd, &message, 0), recvmsg(fd, &message, 0))

static struct msghdr in_many_parts(void)
{
	return (struct msghdr){ .msg_iov = many, .msg_iovlen = IOV_MAX + 1 };
}

IN_EACH(recvmsg_EMSGSIZE)
{
	struct pair p = make_pair();
	struct msghdr m = in_many_parts();

	assert(send(p.fd[1], "x", 1, 0) == 1);
	FAILS(EMSGSIZE, recvmsg(p.fd[0], &m, 0));
	assert(recv(p.fd[0], &byte, 1, 0) == 1 && byte == 'x');
	close_pair(p);
	return arg;
}

/* How much is sent until nothing more goes is the system's. */
IN_EACH(send_EAGAIN)
{
	struct pair p = make_pair();

	while (send(p.fd[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	FAILS(EAGAIN, send(p.fd[0], bytes, sizeof(bytes), MSG_DONTWAIT));
	close_pair(p);
	return arg;
}

EACH_FAILS(send_EBADF, EBADF, send(-1, "x", 1, 0))
OF_A_SOCKET(send_EDESTADDRREQ, UDP, EDESTADDRREQ, send(fd, "x", 1, 0))
OF_A_SOCKET(send_ENOTCONN, LOCAL_DATAGRAMS, ENOTCONN, send(fd, "x", 1, 0))
OF_A_PIPE(send_ENOTSOCK, send(fd, "x", 1, 0), send(fd, "x", 1, 0))

IN_EACH(send_EPIPE)
{
	struct pair p = make_pair();

	assert(close(p.fd[1]) == 0);
	FAILS(EPIPE, send(p.fd[0], "x", 1, MSG_NOSIGNAL));
	signal(SIGPIPE, SIG_IGN);
	FAILS(EPIPE, send(p.fd[0], "x", 1, 0));
	close(p.fd[0]);
	return arg;
}

IN_EACH(send_EPIPE_when_it_was_shut)
{
	struct pair p = make_pair();

	assert(shutdown(p.fd[0], SHUT_WR) == 0);
	FAILS(EPIPE, send(p.fd[0], "x", 1, MSG_NOSIGNAL));
	assert(recv(p.fd[1], &byte, 1, 0) == 0);
	assert(shutdown(p.fd[0], SHUT_RD) == 0);
	FAILS(EPIPE, send(p.fd[1], "x", 1, MSG_NOSIGNAL));
	close_pair(p);
	return arg;
}

EACH_FAILS(sendto_EBADF, EBADF, sendto(-1, "x", 1, 0, NULL, 0))
OF_A_PAIR(sendto_EISCONN, EISCONN, sendto(fd, "x", 1, 0, TO(nowhere)))
OF_A_SOCKET(sendto_EDESTADDRREQ, UDP, EDESTADDRREQ, sendto(fd, "x", 1, 0, NULL, 0))
OF_A_SOCKET(sendto_ENOTCONN, LOCAL, ENOTCONN, sendto(fd, "x", 1, 0, NULL, 0))
OF_A_PIPE(sendto_ENOTSOCK, sendto(fd, "x", 1, 0, NULL, 0), sendto(fd, "x", 1, 0, NULL, 0))
OF_A_SOCKET(sendto_ENOENT, LOCAL_DATAGRAMS, ENOENT, sendto(fd, "x", 1, 0, TO(nowhere)))
OF_A_SOCKET(sendto_EAFNOSUPPORT, UDP, EAFNOSUPPORT, sendto(fd, "x", 1, 0, TO(nowhere)))

IN_EACH(sendto_EPIPE)
{
	struct pair p = make_pair();

	assert(close(p.fd[1]) == 0);
	FAILS(EPIPE, sendto(p.fd[0], "x", 1, MSG_NOSIGNAL, NULL, 0));
	close(p.fd[0]);
	return arg;
}

/* More than a datagram can have. */
IN_EACH(sendto_EMSGSIZE)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(UDP, 0);

	FAILS(EMSGSIZE, sendto(fd, bytes, 70000, 0, TO(to)));
	close(fd);
	return arg;
}

/* The path is there, but nobody has it any more. */
IN_EACH(sendto_ECONNREFUSED)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "left" };
	int fd = socket(LOCAL_DATAGRAMS, 0), other = socket(LOCAL_DATAGRAMS, 0);

	unlink("left");
	assert(bind(other, TO(at)) == 0 && close(other) == 0);
	FAILS(ECONNREFUSED, sendto(fd, "x", 1, 0, TO(at)));
	unlink("left");
	close(fd);
	return arg;
}

IN_EACH(sendmsg_EAGAIN)
{
	struct msghdr m = { .msg_iov = &all, .msg_iovlen = 1 };
	struct pair p = make_pair();

	while (sendmsg(p.fd[0], &m, MSG_DONTWAIT) > 0)
		;
	FAILS(EAGAIN, sendmsg(p.fd[0], &m, MSG_DONTWAIT));
	close_pair(p);
	return arg;
}

EACH_FAILS(sendmsg_EBADF, EBADF, sendmsg(-1, &message, 0))
OF_A_PIPE(sendmsg_ENOTSOCK, sendmsg(fd, &message, 0), sendmsg(fd, &message, 0))

IN_EACH(sendmsg_EISCONN)
{
	struct msghdr m = { .msg_name = &nowhere,
			    .msg_namelen = sizeof(nowhere),
			    .msg_iov = &one,
			    .msg_iovlen = 1 };
	struct pair p = make_pair();

	FAILS(EISCONN, sendmsg(p.fd[0], &m, 0));
	close_pair(p);
	return arg;
}

IN_EACH(sendmsg_EMSGSIZE)
{
	struct msghdr m = in_many_parts();
	struct pair p = make_pair();

	FAILS(EMSGSIZE, sendmsg(p.fd[0], &m, 0));
	close_pair(p);
	return arg;
}

IN_EACH(sendmsg_EPIPE)
{
	struct pair p = make_pair();

	assert(close(p.fd[1]) == 0);
	FAILS(EPIPE, sendmsg(p.fd[0], &message, MSG_NOSIGNAL));
	close(p.fd[0]);
	return arg;
}

EACH_FAILS(shutdown_EBADF, EBADF, shutdown(-1, SHUT_RD))
OF_A_PAIR(shutdown_EINVAL, EINVAL, shutdown(fd, 3))
OF_A_SOCKET(shutdown_ENOTCONN, TCP, ENOTCONN, shutdown(fd, SHUT_RDWR))
OF_A_PIPE(shutdown_ENOTSOCK, shutdown(fd, SHUT_RD), shutdown(fd, SHUT_WR))

IN_EACH(shutdown_twice)
{
	struct pair p = make_pair();

	assert(shutdown(p.fd[0], SHUT_RDWR) == 0 && shutdown(p.fd[0], SHUT_RDWR) == 0);
	assert(recv(p.fd[0], &byte, 1, 0) == 0 && recv(p.fd[1], &byte, 1, 0) == 0);
	close_pair(p);
	return arg;
}

CASES(CASE(recv_EAGAIN), CASE(recv_EBADF), CASE(recv_ENOTCONN), CASE(recv_ENOTSOCK),
      CASE(recv_EFAULT), CASE(recvfrom_EAGAIN), CASE(recvfrom_EBADF), CASE(recvfrom_ENOTCONN),
      CASE(recvfrom_ENOTSOCK), CASE(recvmsg_EAGAIN), CASE(recvmsg_EBADF), CASE(recvmsg_EMSGSIZE),
      CASE(recvmsg_ENOTCONN), CASE(recvmsg_ENOTSOCK), CASE(send_EAGAIN), CASE(send_EBADF),
      CASE(send_EDESTADDRREQ), CASE(send_ENOTCONN), CASE(send_ENOTSOCK), CASE(send_EPIPE),
      CASE(send_EPIPE_when_it_was_shut), CASE(sendto_EBADF), CASE(sendto_EISCONN),
      CASE(sendto_EDESTADDRREQ), CASE(sendto_ENOTCONN), CASE(sendto_ENOTSOCK), CASE(sendto_EPIPE),
      CASE(sendto_EMSGSIZE), CASE(sendto_ECONNREFUSED), CASE(sendto_ENOENT),
      CASE(sendto_EAFNOSUPPORT), CASE(sendmsg_EAGAIN), CASE(sendmsg_EBADF), CASE(sendmsg_EISCONN),
      CASE(sendmsg_EMSGSIZE), CASE(sendmsg_ENOTSOCK), CASE(sendmsg_EPIPE), CASE(shutdown_EBADF),
      CASE(shutdown_EINVAL), CASE(shutdown_ENOTCONN), CASE(shutdown_ENOTSOCK), CASE(shutdown_twice))
