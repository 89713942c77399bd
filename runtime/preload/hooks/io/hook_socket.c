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
 * explored recv __recv __recv_chk recvfrom __recvfrom_chk recvmsg send __send sendmsg sendto shutdown - on socket pairs and connections
 *	within the program; MSG_PEEK and MSG_WAITALL as well. On other sockets they are made as they are, and refused where a thread
 *	would have to wait
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/core/context.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/buffers.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/socket.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/image/snapshot.h"

/* Flags that change nothing that heddle looks at, and what it knows of those of recv(). */
#define PLAIN_FLAGS   (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC)
#define RECEIVE_FLAGS (PLAIN_FLAGS | MSG_PEEK | MSG_WAITALL)

static ssize_t fail(int error)
{
	errno = error;
	return -1;
}

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
	if (!(flags & MSG_DONTWAIT))
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
	if (under_engine() && !channel_has(fd)) {
		socket_outside(fd, POLLIN, flags, "recv()");
		snapshot_expect((uintptr_t)buf, n);
	}
	if (!(flags & MSG_DONTWAIT) && channel_rings_alone(fd))
		return fail(EINTR);
	return buffers_received(
		&v, 1, socket_waited_alone(fd, REAL(recv)(fd, buf, n, flags), flags, false),
		ENTRY_CALLER());
}
HOOK_ENTRY(recv, hook_recv, 4);

/* As -D_FORTIFY_SOURCE calls it. */
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ENTERED static ssize_t hook_recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	return n > room ? REAL(__recv_chk)(fd, buf, n, room, flags) : hook_recv(fd, buf, n, flags);
}
HOOK_ENTRY(__recv_chk, hook_recv_chk, 5);

HEDDLE_HOOK ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	if (under_engine() && channel_is_socket(fd))
		return transmit(fd, &v, 1, flags, CALLER());
	if (under_engine() && !channel_has(fd))
		socket_outside(fd, POLLOUT, flags, "send()");
	return socket_waited_alone(fd, REAL(send)(fd, buf, n, flags), flags, true);
}

/* Why the kernel would not take it; 0 if it would. */
static int error_of(const struct msghdr *m)
{
	if (!memory_readable(m, sizeof(*m)))
		return EFAULT;
	if (m->msg_iovlen > IOV_MAX)
		return EMSGSIZE;
	if (!memory_readable(m->msg_iov, m->msg_iovlen * sizeof(*m->msg_iov)))
		return EFAULT;
	return 0;
}

static void check_control(const struct msghdr *m)
{
	if (m->msg_control && m->msg_controllen)
		NOT_YET("passing descriptors over a socket", "share them in memory");
}

/* To an address, where the other end is known: TCP does not look at it. */
static bool is_connected(int fd, const void *to)
{
	return to && !socket_is_tcp(fd);
}

ENTERED static ssize_t hook_recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t got;

	if (under_engine() && channel_is_socket(fd)) {
		if (error_of(m) || !memory_writable(m, sizeof(*m)))
			return fail(error_of(m) ? error_of(m) : EFAULT);
		check_control(m);
		m->msg_flags = 0;
		m->msg_namelen = 0;
		return receive(fd, m->msg_iov, (int)m->msg_iovlen, flags, ENTRY_CALLER());
	}
	if (under_engine() && !channel_has(fd)) {
		socket_outside(fd, POLLIN, flags, "recvmsg()");
		for (size_t i = 0; !error_of(m) && i < m->msg_iovlen; i++)
			snapshot_expect((uintptr_t)m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
	}
	if (!(flags & MSG_DONTWAIT) && channel_rings_alone(fd))
		return fail(EINTR);
	got = socket_waited_alone(fd, REAL(recvmsg)(fd, m, flags), flags, false);
	return got > 0 ? buffers_received(m->msg_iov, (int)m->msg_iovlen, got, ENTRY_CALLER())
		       : got;
}
HOOK_ENTRY(recvmsg, hook_recvmsg, 3);

HEDDLE_HOOK ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (under_engine() && channel_is_socket(fd)) {
		if (error_of(m))
			return fail(error_of(m));
		if (is_connected(fd, m->msg_namelen ? m->msg_name : NULL))
			return fail(EISCONN);
		check_control(m);
		return transmit(fd, m->msg_iov, (int)m->msg_iovlen, flags, CALLER());
	}
	if (under_engine() && !channel_has(fd))
		socket_outside(fd, POLLOUT, flags, "sendmsg()");
	return socket_waited_alone(fd, REAL(sendmsg)(fd, m, flags), flags, true);
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
	if (under_engine() && !channel_has(fd)) {
		socket_outside(fd, POLLIN, flags, "recvfrom()");
		snapshot_expect((uintptr_t)buf, n);
	}
	if (!(flags & MSG_DONTWAIT) && channel_rings_alone(fd))
		return fail(EINTR);
	return buffers_received(&v, 1,
				socket_waited_alone(fd,
						    REAL(recvfrom)(fd, buf, n, flags, from, size),
						    flags, false),
				ENTRY_CALLER());
}
HOOK_ENTRY(recvfrom, hook_recvfrom, 6);

/* Likewise: room stands before the flags, so there are more arguments than registers for them. */
__asm__(".text\n"
	".p2align 4\n.globl __recvfrom_chk\n"
	".type __recvfrom_chk, @function\n__recvfrom_chk:\n"
	".cfi_startproc\n"
	"	cmpq %rcx, %rdx\n"
	"	ja __chk_fail@PLT\n"
	"	movl %r8d, %ecx\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	jmp hook_entry_recvfrom\n"
	".cfi_endproc\n"
	".size __recvfrom_chk, .-__recvfrom_chk\n"
	".set hook_entry_recvfrom, recvfrom\n");

HEDDLE_HOOK ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
			   socklen_t size)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	if (under_engine() && channel_is_socket(fd) && to && !memory_readable(to, size))
		return fail(EFAULT);
	if (under_engine() && channel_is_socket(fd) && is_connected(fd, to))
		return fail(EISCONN);
	if (under_engine() && channel_is_socket(fd))
		return transmit(fd, &v, 1, flags, CALLER());
	if (under_engine() && !channel_has(fd))
		socket_outside(fd, POLLOUT, flags, "sendto()");
	return socket_waited_alone(fd, REAL(sendto)(fd, buf, n, flags, to, size), flags, true);
}

/* Does the kernel hold bytes that were not read, on their way from fd or to it? */
static bool holds_bytes(int fd)
{
	int in = 0, out = 0;

	sys3(SYS_ioctl, fd, FIONREAD, (long)&in);
	sys3(SYS_ioctl, fd, TIOCOUTQ, (long)&out);
	return in || out;
}

/*
 * Before there are threads it is the kernel that the program reads from. But what is still to be read is
 * put back before each execution (channel_root.c), which a socket that was shut down would not take.
 */
HEDDLE_HOOK int shutdown(int fd, int how)
{
	bool connected = channel_is_socket(fd), valid = how >= SHUT_RD && how <= SHUT_RDWR;

	if (under_engine())
		needs_fork("shuts a socket down");
	if (!shared || !valid || !(connected || channel_listens(fd)))
		return REAL(shutdown)(fd, how);
	channel_shut(fd, how != SHUT_WR, how != SHUT_RD, CALLER());
	return under_engine() || !connected || holds_bytes(fd) ? 0 : REAL(shutdown)(fd, how);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__recv, recv);
ALSO_CALLED(__send, send);
