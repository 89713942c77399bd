/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_connect.c - connections between the threads of a program
 *
 * Who connects to a stream socket of the program's own that listens (hook_listen.c) gets a
 * socket pair in place of what the kernel would have made. So nothing of it depends on when the
 * kernel delivers what, or stays behind in its queues for the next execution. What the program can ask
 * about its sockets (names, options of TCP) is answered as for those that it has asked for.
 *
 * The other end waits to be accepted at a descriptor of its own out of the way. Where nobody of the
 * program listens the kernel is asked, for there may be somebody else.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored accept accept4 connect __connect - between threads of the program, on stream sockets at paths and
 *	loopback addresses. A connection is a socket pair; where nobody listens yet it is refused. Others
 *	are made as they are, and refused where a thread would have to wait
 * internal getsockname getpeername setsockopt - on such sockets, as on those of the kernel;
 *	SO_RCVTIMEO and SO_SNDTIMEO hold in virtual time
 * internal getsockopt - tells SO_RCVTIMEO and SO_SNDTIMEO as they were set, and else what the kernel does
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/socket.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Connecting ---------------------------------------------------------------------------------- */

/* fd becomes one end of a socket pair, the other is put aside. */
static int make_connection(int fd)
{
	int flags = (int)sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK;
	int on_exec = (int)sys3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC;
	int pair[2], aside;

	if (REAL(socketpair)(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, pair))
		refuse("the program has too many descriptors for another connection: close those that are not used",
		       NULL);
	aside = (int)sys3(SYS_fcntl, pair[1], F_DUPFD_CLOEXEC, SOCKET_ASIDE);
	if (aside < 0 || aside >= SOCKET_FDS)
		refuse("the program has more connections that wait to be accepted than heddle can "
		       "follow (96): accept them earlier",
		       NULL);
	sys3(SYS_dup3, pair[0], fd, on_exec ? O_CLOEXEC : 0);
	sys3(SYS_fcntl, aside, F_SETFL, 0);
	sys3(SYS_close, pair[0], 0, 0);
	sys3(SYS_close, pair[1], 0, 0);
	return aside;
}

/* What a socket that was bound to nothing is called. */
static struct address some_name(const struct address *there)
{
	struct address a = *there;

	if (a.name.ss_family == AF_UNIX)
		a.size = sizeof(a.name.ss_family);
	else
		address_set_port(&a, socket_port());
	return a;
}

/* Its connection was added at this place. */
static void connected(int fd, struct socket *s, const struct address *there, unsigned place)
{
	int aside = make_connection(fd);

	channel_pair(fd, aside, there->name.ss_family != AF_UNIX);
	socket_gets_timeouts(fd);
	if (!s->own.size)
		s->own = some_name(there);
	s->peer = *there;
	sockets[aside] = (struct socket){
		.own = *there, .peer = s->own, .waits = ++socket_numbers, .place = place
	};
}

/* To somebody else. A port that looks for nobody can find itself: so the socket gets another one first. */
static int connect_outside(int fd, const struct address *to)
{
	struct address own = { .name.ss_family = to->name.ss_family, .size = to->size };

	if (own.name.ss_family != AF_UNIX) {
		sys3(SYS_bind, fd, (long)&own.name, own.size);
		own = address_in_kernel(fd);
		if (address_port(&own) == address_port(to))
			return fail(ECONNREFUSED);
	}
	return REAL(connect)(fd, (const struct sockaddr *)&to->name, to->size);
}

/* In a process that the program made, and that runs alone: to what its parent listened at. */
static int connect_alone(int fd, const struct sockaddr *name, socklen_t size)
{
	struct address to = address_of(name, size);

	for (int i = 0; init_state == INIT_DETACHED && address_port(&to) && i < SOCKET_FDS; i++)
		if (sockets[i].any_port && sockets[i].kernel_port &&
		    address_port(&sockets[i].own) == address_port(&to)) {
			address_set_port(&to, sockets[i].kernel_port);
			return REAL(connect)(fd, (const struct sockaddr *)&to.name, to.size);
		}
	return REAL(connect)(fd, name, size);
}

static int connect_to(int fd, struct socket *s, const struct address *to, uint64_t pc)
{
	bool is_path = address_is_path(to), never_waits;
	unsigned place = address_place(to, true);
	int status;

	if (is_path && !channel_bound(place, pc)) {
		status = connect_outside(fd, to);
		/* At a file that another execution left. */
		if (status && under_engine() && errno == ECONNREFUSED && socket_has_file(to))
			return fail(ENOENT);
		return status;
	}
	never_waits = sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK;
	if (channel_add_connection(place, never_waits, pc)) {
		connected(fd, s, to, place);
		channel_connected(place, pc);
		return 0;
	}
	return errno == ECONNREFUSED && !is_path ? connect_outside(fd, to) : -1;
}

ENTERED static int hook_connect(int fd, const struct sockaddr *name, socklen_t size)
{
	struct address to = address_of(name, size);
	uint64_t pc = ENTRY_CALLER();
	struct socket *s;
	int error;

	if (under_engine()) {
		cancellation_point(pc);
		needs_fork("connects a socket");
	}
	if (socket_of(fd) && channel_has(fd) && socket_option(fd, SO_TYPE) == SOCK_STREAM)
		return fail(EISCONN);
	s = socket_stream(fd, &to);
	if (!s || !socket_can_listen())
		return connect_alone(fd, name, size);
	if (socket_kernel_has(&to))
		return REAL(connect)(fd, (const struct sockaddr *)&to.name, to.size);
	if (!connect_to(fd, s, &to, pc))
		return 0;
	error = errno;
	asked_in_vain(s, pc);
	return fail(error);
}
HOOK_ENTRY(connect, hook_connect, 3);

/* The end at descriptor aside, at one as accept() gives it. */
static int take_waiting(int listener, int aside, int flags, struct sockaddr *from, socklen_t *size)
{
	int command = flags & SOCK_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD;
	int fd = (int)sys3(SYS_fcntl, aside, command, 0);

	if (fd < 0)
		return fail(-fd);
	if (flags & SOCK_NONBLOCK)
		sys3(SYS_fcntl, fd, F_SETFL, O_NONBLOCK);
	channel_moved(aside, fd);
	sys3(SYS_close, aside, 0, 0);
	sockets[aside].waits = 0;
	sockets[fd] = sockets[aside];
	sockets[aside] = (struct socket){ .bound = 0 };
	if (socket_is_tcp(fd))
		socket_inherits_timeouts(listener, fd);
	address_give(&sockets[fd].peer, from, size);
	return fd;
}

/* Can there be one more descriptor? */
static bool has_room(int fd)
{
	int another = (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);

	if (another < 0)
		return fail(-another) == 0;
	sys3(SYS_close, another, 0, 0);
	return true;
}

static int accept_at(int fd, struct sockaddr *from, socklen_t *size, int flags, uint64_t pc)
{
	int aside;

	if (under_engine())
		cancellation_point(pc);
	if (!socket_of(fd) || !channel_listens(fd) || socket_asks_kernel(fd)) {
		if (under_engine() && socket_option(fd, SO_ACCEPTCONN) > 0)
			socket_outside(fd, POLLIN, 0, "accept()");
		return REAL(accept4)(fd, from, size, flags);
	}
	if (under_engine())
		needs_fork("accepts a connection");
	if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK))
		return fail(EINVAL);
	if (!has_room(fd) || !channel_take_connection(fd, pc)) {
		if (errno == EAGAIN && !(sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK)) {
			if (time_rings(socket_ends_ns(fd), pc) != RING_NONE)
				return fail(EINTR);
			if (sockets[fd].waits_us[0] != WAITS_FOR_EVER)
				return (int)socket_waited_alone(fd, fail(EAGAIN), 0, false);
			report_bug_here(BUG_DEADLOCK, 0, pc,
					"the only thread waits for a connection");
		}
		return -1;
	}
	aside = socket_waiting(sockets[fd].place);
	if (aside < 0)
		internal_error("a connection that was counted is not there", NULL);
	return take_waiting(fd, aside, flags, from, size);
}

ENTERED static int hook_accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	return accept_at(fd, from, size, 0, ENTRY_CALLER());
}
HOOK_ENTRY(accept, hook_accept, 3);

ENTERED static int hook_accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size,
				int flags)
{
	return accept_at(fd, from, size, flags, ENTRY_CALLER());
}
HOOK_ENTRY(accept4, hook_accept4, 4);

/* ---- Asking ------------------------------------------------------------------------------------------ */

/* What is wrong with these is for the kernel to say. */
static bool can_give(const struct address *a, struct sockaddr *to, socklen_t *size)
{
	return a->size && memory_writable(size, sizeof(*size)) && (int)*size >= 0 &&
	       memory_writable(to, *size < a->size ? *size : a->size);
}

HEDDLE_HOOK int getsockname(int fd, struct sockaddr *restrict to, socklen_t *restrict size)
{
	const struct socket *s = socket_of(fd);

	if (!s || !can_give(&s->own, to, size))
		return REAL(getsockname)(fd, to, size);
	address_give(&s->own, to, size);
	return 0;
}

HEDDLE_HOOK int getpeername(int fd, struct sockaddr *restrict to, socklen_t *restrict size)
{
	const struct socket *s = socket_of(fd);

	if (!s || !can_give(&s->peer, to, size))
		return REAL(getpeername)(fd, to, size);
	address_give(&s->peer, to, size);
	return 0;
}

/* What is for TCP alone, a socket pair does not know, but a socket of its own does. */
static int set_of_tcp(int name, const void *value, socklen_t size)
{
	int fd = (int)sys3(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status = fd < 0 ? 0 : REAL(setsockopt)(fd, IPPROTO_TCP, name, value, size);

	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	return status;
}

HEDDLE_HOOK int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level == IPPROTO_TCP && socket_is_tcp(fd))
		return set_of_tcp(name, value, size);
	if (socket_is_timeout(level, name))
		return socket_set_timeout(fd, name, value, size);
	return REAL(setsockopt)(fd, level, name, value, size);
}

HEDDLE_HOOK int getsockopt(int fd, int level, int name, void *restrict value,
			   socklen_t *restrict size)
{
	if (socket_is_timeout(level, name))
		return socket_get_timeout(fd, name, value, size);
	return REAL(getsockopt)(fd, level, name, value, size);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__connect, connect);
