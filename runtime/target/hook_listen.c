/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_listen.c - connections between the threads of a program
 *
 * A stream socket that listens, on a path or on this machine's own addresses, is a channel of
 * connections (channel.h): who connects adds one, accept() takes one. The connection itself is a
 * socket pair in place of what the kernel would have made. So nothing of it depends on when the
 * kernel delivers what, or stays behind in its queues for the next execution. What the program can ask
 * about its connection (getpeername(), options of TCP) is answered as for the sockets that it
 * has asked for.
 *
 * The other end waits in `pending` until it is accepted, at a descriptor of its own out of the way.
 * Connections to sockets that are not the program's are the kernel's, as ever.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored accept accept4 connect - between threads of the program, on stream sockets: a connection
 *	is a socket pair. Others are made as they are, and refused where a thread would have to wait
 * undone listen - made as it is
 * internal getpeername setsockopt - on connections within the program, as on those of the kernel
 */
#include "target/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "target/cancel.h"
#include "target/channel.h"
#include "target/driver.h"
#include "target/hooks.h"
#include "target/init.h"
#include "target/sys.h"

enum {
	MOST = 64,        /* connections and listening sockets at a time */
	FIRST_ASIDE = 160 /* descriptors of ends that wait to be accepted */
};

struct address {
	struct sockaddr_storage name;
	socklen_t size;
};

/* Where sockets listen, and their channels. Those that were closed stay: whether somebody connects
 * before or behind that is for the engine to say. */
static HEDDLE_IMAGE_SELDOM struct {
	int channel, fd;
	struct address at;
} listeners[MOST] = { 0 };

/* Ends that wait to be accepted, in the order in which they came. */
static HEDDLE_IMAGE_SELDOM struct {
	int listener, fd;
	struct address from;
} pending[MOST] = { 0 };
static HEDDLE_IMAGE_SELDOM uint32_t npending = 0;

/* What the other side of a connection is called. */
static HEDDLE_IMAGE_SELDOM struct {
	int fd;
	struct address name;
} peers[MOST] = { 0 };

/* ---- Addresses ----------------------------------------------------------------------------------- */

static bool is_ours(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *in = (const void *)a;
	const struct sockaddr_in6 *in6 = (const void *)a;

	switch (a->ss_family) {
	case AF_UNIX:
		return true;
	case AF_INET:
		return ntohl(in->sin_addr.s_addr) >> 24 == 127 || !in->sin_addr.s_addr;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
		       IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
	default:
		return false;
	}
}

static bool leads_to(const struct address *to, const struct address *at)
{
	if (to->name.ss_family != at->name.ss_family || !is_ours(&to->name) || !is_ours(&at->name))
		return false;
	if (to->name.ss_family != AF_UNIX) /* the port has the same place in both */
		return ((const struct sockaddr_in *)&to->name)->sin_port ==
		       ((const struct sockaddr_in *)&at->name)->sin_port;
	/* A path may end with its 0 or before it. */
	if (((const struct sockaddr_un *)&at->name)->sun_path[0])
		return !strncmp(((const struct sockaddr_un *)&to->name)->sun_path,
				((const struct sockaddr_un *)&at->name)->sun_path,
				sizeof(((struct sockaddr_un *)0)->sun_path));
	return to->size == at->size && !memcmp(&to->name, &at->name, to->size);
}

static struct address address_of(const struct sockaddr *name, socklen_t size)
{
	struct address a = { .size = size };

	if (size > sizeof(a.name))
		a.size = sizeof(a.name);
	memcpy(&a.name, name, a.size);
	return a;
}

static struct address own_address(int fd)
{
	struct address a = { .size = sizeof(a.name) };

	if (sys3(SYS_getsockname, fd, (long)&a.name, (long)&a.size) < 0)
		a.size = 0;
	return a;
}

/* As accept() and getpeername() give it. */
static void give(const struct address *a, struct sockaddr *to, socklen_t *size)
{
	if (!to || !size)
		return;
	memcpy(to, &a->name, *size < a->size ? *size : a->size);
	*size = a->size;
}

/* ---- Who listens --------------------------------------------------------------------------------- */

static int option(int fd, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

/* Its place in the list, the latest one, or -1. */
static int listener_at(const struct address *to)
{
	for (int i = MOST - 1; i >= 0; i--)
		if (listeners[i].channel && leads_to(to, &listeners[i].at))
			return i;
	return -1;
}

HEDDLE_HOOK int listen(int fd, int backlog)
{
	int status;

	if (under_engine())
		needs_fork("listens at a socket");
	status = REAL(listen)(fd, backlog);
	if (status || !init_active() || option(fd, SO_TYPE) != SOCK_STREAM || channel_listens(fd))
		return status;
	for (uint32_t i = 0; i < MOST; i++) {
		if (listeners[i].channel)
			continue;
		listeners[i].channel = channel_listen(fd);
		listeners[i].fd = fd;
		listeners[i].at = own_address(fd);
		break;
	}
	return 0;
}

/* Those who wait to be accepted find the connection closed; nobody else comes any more. */
void listen_closed(int fd, uint64_t pc)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < MOST; i++) {
		if (peers[i].fd == fd)
			peers[i].fd = 0;
		if (listeners[i].fd == fd)
			listeners[i].fd = -1;
		if (listeners[i].fd < 0 && !under_engine())
			listeners[i].channel = 0;
	}
	for (uint32_t i = 0; i < npending; i++) {
		if (pending[i].listener != fd) {
			pending[kept++] = pending[i];
			continue;
		}
		channel_closed(pending[i].fd, pc);
		sys3(SYS_close, pending[i].fd, 0, 0);
	}
	npending = kept;
}

/* ---- Connecting ---------------------------------------------------------------------------------- */

static void remember_peer(int fd, const struct address *name)
{
	for (uint32_t i = 0; i < MOST; i++) {
		if (peers[i].fd)
			continue;
		peers[i].fd = fd;
		peers[i].name = *name;
		return;
	}
}

/* fd becomes one end of a socket pair, the other is put aside. */
static int make_connection(int fd)
{
	int flags = (int)sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK;
	int on_exec = (int)sys3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC;
	int pair[2], aside;

	if (REAL(socketpair)(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, pair))
		return -1;
	aside = (int)sys3(SYS_fcntl, pair[1], F_DUPFD_CLOEXEC, FIRST_ASIDE);
	sys3(SYS_dup3, pair[0], fd, on_exec ? O_CLOEXEC : 0);
	sys3(SYS_fcntl, aside, F_SETFL, 0);
	sys3(SYS_close, pair[0], 0, 0);
	sys3(SYS_close, pair[1], 0, 0);
	return aside;
}

HEDDLE_HOOK int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	struct address there, here;
	uint64_t pc = CALLER();
	int listener, aside;

	if (under_engine()) {
		cancellation_point(pc);
		needs_fork("connects a socket");
	}
	if (!init_active() || !to || option(fd, SO_TYPE) != SOCK_STREAM)
		return REAL(connect)(fd, to, size);
	there = address_of(to, size);
	listener = listener_at(&there);
	if (listener < 0)
		return REAL(connect)(fd, to, size);
	if (channel_has(fd)) {
		errno = EISCONN;
		return -1;
	}
	if (npending == MOST)
		refuse("the program has more connections that wait to be accepted than heddle can "
		       "follow (64)",
		       NULL);
	here = own_address(fd);
	aside = make_connection(fd);
	if (aside < 0)
		return -1;
	channel_pair(fd, aside);
	if (!channel_add_connection(listeners[listener].channel,
				    sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK, pc)) {
		int error = errno;

		channel_closed(fd, pc);
		channel_closed(aside, pc);
		sys3(SYS_close, aside, 0, 0);
		errno = error;
		return -1;
	}
	remember_peer(fd, &there);
	pending[npending].listener = listeners[listener].fd;
	pending[npending].fd = aside;
	pending[npending++].from = here;
	return 0;
}

/* The end that has waited longest, at a descriptor as accept() gives it. */
static int take_pending(int listener, int flags, struct sockaddr *from, socklen_t *size)
{
	uint32_t i = 0;
	int fd;

	while (i < npending && pending[i].listener != listener)
		i++;
	if (i == npending)
		internal_error("a connection that was counted is not there", NULL);
	fd = (int)sys3(SYS_fcntl, pending[i].fd, flags & SOCK_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD,
		       0);
	if (fd < 0) {
		errno = -fd;
		return -1;
	}
	if (flags & SOCK_NONBLOCK)
		sys3(SYS_fcntl, fd, F_SETFL, O_NONBLOCK);
	channel_moved(pending[i].fd, fd);
	sys3(SYS_close, pending[i].fd, 0, 0);
	remember_peer(fd, &pending[i].from);
	give(&pending[i].from, from, size);
	memmove(&pending[i], &pending[i + 1], (--npending - i) * sizeof(pending[0]));
	return fd;
}

static int accept_at(int fd, struct sockaddr *from, socklen_t *size, int flags, uint64_t pc)
{
	if (under_engine())
		cancellation_point(pc);
	if (channel_listens(fd)) {
		if (under_engine())
			needs_fork("accepts a connection");
		if (under_engine() || npending)
			return channel_take_connection(fd, pc) ? take_pending(fd, flags, from, size)
							       : -1;
	}
	if (under_engine())
		socket_outside(fd, POLLIN, 0, "accept()");
	return REAL(accept4)(fd, from, size, flags);
}

HEDDLE_HOOK int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	return accept_at(fd, from, size, 0, CALLER());
}

HEDDLE_HOOK int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	return accept_at(fd, from, size, flags, CALLER());
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

HEDDLE_HOOK int getpeername(int fd, struct sockaddr *restrict to, socklen_t *restrict size)
{
	for (uint32_t i = 0; fd > 0 && i < MOST; i++) {
		if (peers[i].fd != fd)
			continue;
		give(&peers[i].name, to, size);
		return 0;
	}
	return REAL(getpeername)(fd, to, size);
}

/* What is for TCP alone, a socket pair does not know. */
HEDDLE_HOOK int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	for (uint32_t i = 0; fd > 0 && level == IPPROTO_TCP && i < MOST; i++)
		if (peers[i].fd == fd && peers[i].name.name.ss_family != AF_UNIX)
			return 0;
	return REAL(setsockopt)(fd, level, name, value, size);
}
