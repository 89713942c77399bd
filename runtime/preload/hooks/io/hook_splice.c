/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_splice.c - calls that move bytes past read() and write(), and close descriptors past close()
 *
 * What pipes and the like hold is what the engine says; what the kernel moves by itself it would not hear of, and threads
 * would wait for what is there. So that is refused. Who closes many descriptors at once closes each of them.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * refused splice tee vmsplice sendfile sendfile64 - to or from one of these: use read() and write()
 * refused sendmmsg __sendmmsg recvmmsg - on these: use sendmsg() and recvmsg(). On other sockets they are made as they are, and
 *	refused where a thread would have to wait
 * undone close_range closefrom - as close() of each of these descriptors
 * undone ioctl - made as it is. FIONBIO of these is that of fcntl(), FIONREAD is refused
 */
#include "preload/hooks/hook.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/facts/needs.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/random.h"

/* Such a call, of a descriptor that the engine knows? */
static void moves(int fd, const char *call)
{
	if (under_engine() && channel_has(fd))
		refuse("the program calls ", call,
		       " for a pipe or the like, where heddle does not see what it moves: use "
		       "read() and write()",
		       NULL);
}

static void moves_between(int from, int to, const char *call)
{
	moves(from, call);
	moves(to, call);
	if (under_engine())
		needs_fork("moves bytes between descriptors");
}

HEDDLE_HOOK ssize_t splice(int from, off64_t *at, int to, off64_t *there, size_t n, unsigned flags)
{
	moves_between(from, to, "splice()");
	return REAL(splice)(from, at, to, there, n, flags);
}

HEDDLE_HOOK ssize_t tee(int from, int to, size_t n, unsigned flags)
{
	moves_between(from, to, "tee()");
	return REAL(tee)(from, to, n, flags);
}

HEDDLE_HOOK ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	moves_between(fd, fd, "vmsplice()");
	return REAL(vmsplice)(fd, v, n, flags);
}

HEDDLE_HOOK ssize_t sendfile(int to, int from, off_t *at, size_t n)
{
	moves_between(from, to, "sendfile()");
	return REAL(sendfile)(to, from, at, n);
}

HEDDLE_HOOK ssize_t sendfile64(int to, int from, off64_t *at, size_t n)
{
	moves_between(from, to, "sendfile64()");
	return REAL(sendfile64)(to, from, at, n);
}

/* ---- Several messages at once ------------------------------------------------------------ */

static void messages(int fd, short events, int flags, const char *call, const char *one)
{
	if (!under_engine())
		return;
	if (channel_has(fd))
		refuse("the program calls ", call,
		       " for a socket pair or a connection between threads, which heddle does not "
		       "follow: use ",
		       one, NULL);
	socket_outside(fd, events, flags, call);
}

HEDDLE_HOOK int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	cancellation_point(CALLER());
	messages(fd, POLLOUT, flags, "sendmmsg()", "sendmsg()");
	return REAL(sendmmsg)(fd, m, n, flags);
}

HEDDLE_HOOK int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *until)
{
	cancellation_point(CALLER());
	messages(fd, POLLIN, flags, "recvmmsg()", "recvmsg()");
	return REAL(recvmmsg)(fd, m, n, flags, until);
}

/* ---- Many descriptors at once ------------------------------------------------------------ */

static void close_known(unsigned first, unsigned last, uint64_t pc)
{
	if (under_engine())
		needs_fork("closes descriptors");
	for (unsigned fd = first; shared && fd <= last && fd < CHANNEL_FDS; fd++) {
		random_closed((int)fd);
		channel_closed((int)fd, pc);
	}
}

HEDDLE_HOOK int close_range(unsigned first, unsigned last, int flags)
{
	if (!((unsigned)flags & ~CLOSE_RANGE_UNSHARE))
		close_known(first, last, CALLER());
	return REAL(close_range)(first, last, flags);
}

HEDDLE_HOOK void closefrom(int first)
{
	close_known(first < 0 ? 0 : (unsigned)first, CHANNEL_FDS, CALLER());
	REAL(closefrom)(first);
}

/* ---- What belongs to a descriptor -------------------------------------------------------- */

/* The others would find it as well (--backend=fork), but fcntl() knows. */
static int set_nonblocking(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

HEDDLE_HOOK int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (under_engine() && channel_has(fd)) {
		if (request == FIONREAD)
			NOT_YET("how much is in a pipe or the like (FIONREAD)",
				"read() what is there, without waiting");
		if (request == FIONBIO && memory_readable(arg, sizeof(int)))
			return set_nonblocking(fd, *(int *)arg);
	}
	return REAL(ioctl)(fd, request, arg);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__sendmmsg, sendmmsg);
