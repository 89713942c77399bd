/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_socket.c - sockets
 *
 * Those that socketpair() makes, and connections within the program (hook_listen.c), are channels
 * (channel.h). What others lead to is outside the program, and a thread that would have to wait
 * there ends the run.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored recv recvfrom recvmsg send sendmsg sendto shutdown - on socket pairs and connections
 *	within the program; MSG_PEEK and MSG_WAITALL as well. On other sockets they are made as they are, and refused where a thread
 *	would have to wait
 */
#include "target/hook.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "target/cancel.h"
#include "target/channel.h"
#include "target/driver.h"
#include "target/entry.h"
#include "target/hooks.h"
#include "target/socket.h"

/* Flags that change nothing that heddle looks at, and what it knows of those of recv(). */
#define PLAIN_FLAGS   (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC)
#define RECEIVE_FLAGS (PLAIN_FLAGS | MSG_PEEK | MSG_WAITALL)

static void check_flags(int flags, int known)
{
	if (flags & ~known)
		NOT_YET("a flag of recv() and send() other than MSG_DONTWAIT, MSG_NOSIGNAL, "
			"MSG_PEEK and MSG_WAITALL",
			"use read() and write()");
}

void socket_outside(int fd, short events, int flags, const char *call)
{
	needs_fork("uses a socket");
	if (!(flags & MSG_DONTWAIT) && socket_option(fd, SO_TYPE) > 0)
		must_not_wait(fd, events, call);
}

/* MSG_WAITALL: until it is all there, or nothing comes any more. Others may take some in between. */
static ssize_t receive_all(int fd, const struct iovec *v, int n, uint64_t pc)
{
	size_t all = 0;

	for (int i = 0; i < n; i++) {
		struct iovec rest = v[i];

		while (rest.iov_len) {
			ssize_t got = channel_read(fd, &rest, 1, 0, pc);

			if (got <= 0)
				return all ? (ssize_t)all : got;
			all += (size_t)got;
			rest.iov_base = (char *)rest.iov_base + got;
			rest.iov_len -= (size_t)got;
		}
	}
	return (ssize_t)all;
}

static ssize_t receive(int fd, const struct iovec *v, int n, int flags, uint64_t pc)
{
	cancellation_point(pc);
	check_flags(flags, RECEIVE_FLAGS);
	if ((flags & MSG_WAITALL) && !(flags & (MSG_DONTWAIT | MSG_PEEK)))
		return receive_all(fd, v, n, pc);
	return channel_read(fd, v, n,
			    (flags & MSG_DONTWAIT ? READ_NEVER_WAITS : 0) |
				    (flags & MSG_PEEK ? READ_ONLY_LOOKS : 0),
			    pc);
}

static ssize_t transmit(int fd, const struct iovec *v, int n, int flags, uint64_t pc)
{
	cancellation_point(pc);
	check_flags(flags, PLAIN_FLAGS);
	return channel_write(fd, v, n, flags & MSG_DONTWAIT, flags & MSG_NOSIGNAL, pc);
}

ENTERED static ssize_t hook_recv(int fd, void *buf, size_t n, int flags)
{
	struct iovec v = { buf, n };

	if (under_engine() && channel_is_socket(fd))
		return receive(fd, &v, 1, flags, ENTRY_CALLER());
	if (under_engine()) {
		socket_outside(fd, POLLIN, flags, "recv()");
		snapshot_expect((uintptr_t)buf, n);
	}
	return REAL(recv)(fd, buf, n, flags);
}
HOOK_ENTRY(recv, hook_recv);

HEDDLE_HOOK ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	if (under_engine() && channel_is_socket(fd))
		return transmit(fd, &v, 1, flags, CALLER());
	if (under_engine())
		socket_outside(fd, POLLOUT, flags, "send()");
	return REAL(send)(fd, buf, n, flags);
}

static void check_message(const struct msghdr *m)
{
	if (m->msg_control && m->msg_controllen)
		NOT_YET("passing descriptors over a socket", "share them in memory");
}

ENTERED static ssize_t hook_recvmsg(int fd, struct msghdr *m, int flags)
{
	if (under_engine() && channel_is_socket(fd)) {
		check_message(m);
		m->msg_flags = 0;
		m->msg_namelen = 0;
		return receive(fd, m->msg_iov, (int)m->msg_iovlen, flags, ENTRY_CALLER());
	}
	if (under_engine())
		socket_outside(fd, POLLIN, flags, "recvmsg()");
	for (size_t i = 0; under_engine() && i < m->msg_iovlen; i++)
		snapshot_expect((uintptr_t)m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
	return REAL(recvmsg)(fd, m, flags);
}
HOOK_ENTRY(recvmsg, hook_recvmsg);

HEDDLE_HOOK ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (under_engine() && channel_is_socket(fd)) {
		check_message(m);
		return transmit(fd, m->msg_iov, (int)m->msg_iovlen, flags, CALLER());
	}
	if (under_engine())
		socket_outside(fd, POLLOUT, flags, "sendmsg()");
	return REAL(sendmsg)(fd, m, flags);
}

ENTERED static ssize_t hook_recvfrom(int fd, void *restrict buf, size_t n, int flags,
				     struct sockaddr *restrict from, socklen_t *restrict size)
{
	struct iovec v = { buf, n };

	if (under_engine() && channel_is_socket(fd)) {
		if (from && size)
			*size = 0;
		return receive(fd, &v, 1, flags, ENTRY_CALLER());
	}
	if (under_engine()) {
		socket_outside(fd, POLLIN, flags, "recvfrom()");
		snapshot_expect((uintptr_t)buf, n);
	}
	return REAL(recvfrom)(fd, buf, n, flags, from, size);
}
HOOK_ENTRY(recvfrom, hook_recvfrom);

HEDDLE_HOOK ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
			   socklen_t size)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	if (under_engine() && channel_is_socket(fd) && to && !socket_is_tcp(fd)) {
		errno = EISCONN;
		return -1;
	}
	if (under_engine() && channel_is_socket(fd))
		return transmit(fd, &v, 1, flags, CALLER());
	if (under_engine())
		socket_outside(fd, POLLOUT, flags, "sendto()");
	return REAL(sendto)(fd, buf, n, flags, to, size);
}

HEDDLE_HOOK int shutdown(int fd, int how)
{
	if (under_engine())
		needs_fork("shuts a socket down");
	if (shared && channel_is_socket(fd) && how >= SHUT_RD && how <= SHUT_RDWR) {
		channel_shut(fd, how != SHUT_WR, how != SHUT_RD, CALLER());
		return 0;
	}
	return REAL(shutdown)(fd, how);
}
