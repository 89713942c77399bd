/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_listen.c - stream sockets of a program that listen
 *
 * What sockets are bound to on this machine (address.h) is kept here, and the kernel is told nothing of
 * it: workers, and executions, would be in each other's way. Only the file of a path is made, for whoever
 * looks for it. An address has a channel of connections (channel.h): who connects adds one, accept()
 * takes one (hook_connect.c), and where nobody listens there is no room for any. So listen() and
 * close() are operations on what connect() reads, and whether one comes before the other is explored.
 *
 * A port of any number is one of the thread that asks for it, the same in all executions.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored bind listen - of stream sockets, at paths and loopback addresses: which of two gets an
 *	address, and who connects too early and is refused. The kernel does not see it
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/code/imports.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/socket.h"

enum {
	FIRST_PORT = 61000, /* of those that the kernel gives to nobody by itself */
	PORTS_OF_THREAD = (65536 - FIRST_PORT) / HEDDLE_EXPLORED_THREADS,
	MOST_TOLD = 16
};

/* How many ports each thread has used. */
static HEDDLE_IMAGE_SELDOM uint16_t ports[HEDDLE_EXPLORED_THREADS] = { 0 };

static int fail(int error)
{
	errno = error;
	return -1;
}

struct socket *socket_stream(int fd, const struct address *a)
{
	struct socket *s = socket_of(fd);

	return s && address_is_ours(a) && socket_option(fd, SO_TYPE) == SOCK_STREAM &&
			       socket_option(fd, SO_DOMAIN) == a->name.ss_family
		       ? s
		       : NULL;
}

/* ---- Binding ------------------------------------------------------------------------------------- */

uint16_t socket_port(void)
{
	uint32_t tid = under_engine() ? current->tid : 0;

	return (uint16_t)(FIRST_PORT + tid * PORTS_OF_THREAD + ports[tid]++ % PORTS_OF_THREAD);
}

/* Becomes the only one at the address. */
static bool take_address(struct socket *s, struct address *a, uint64_t pc)
{
	bool any = a->name.ss_family != AF_UNIX && !address_port(a), taken = false;

	for (int tries = any ? PORTS_OF_THREAD : 1; tries && !taken; tries--) {
		if (any)
			address_set_port(a, socket_port());
		s->place = address_place(a, true);
		taken = channel_bind(s->place, pc);
	}
	if (!taken)
		return false;
	s->own = *a;
	s->any_port = any;
	s->bound = ++socket_numbers;
	return true;
}

bool socket_has_file(const struct address *a)
{
	struct stat st;

	return !lstat(((const struct sockaddr_un *)&a->name)->sun_path, &st) &&
	       S_ISSOCK(st.st_mode);
}

/* Whether there can be a file is for the kernel to say, but for one that another execution left. */
static int make_file(int fd, const struct address *a)
{
	struct address copy = *a;
	long error = -sys3(SYS_bind, fd, (long)&copy.name, copy.size);

	return error == EADDRINUSE && socket_has_file(&copy) ? 0 : (int)error;
}

HEDDLE_HOOK int bind(int fd, const struct sockaddr *name, socklen_t size)
{
	struct address a = address_of(name, size);
	struct socket *s = socket_stream(fd, &a);
	uint64_t pc = CALLER();
	int error;

	if (under_engine())
		needs_fork("binds a socket");
	if (!s)
		return REAL(bind)(fd, name, size);
	if (s->own.size)
		return fail(EINVAL);
	if (!take_address(s, &a, pc)) {
		if (socket_option(fd, SO_REUSEPORT) > 0)
			NOT_YET("SO_REUSEPORT at an address that is taken",
				"accept connections at one socket");
		return fail(EADDRINUSE);
	}
	error = address_is_path(&a) ? make_file(fd, &a) : 0;
	if (!error)
		return 0;
	channel_unbind(s->place, pc);
	*s = (struct socket){ .bound = 0 };
	return fail(error);
}

/* ---- Listening ----------------------------------------------------------------------------------- */

bool socket_can_listen(void)
{
	static int can = -1;
	KEPT(can);

	if (can < 0)
		can = program_imports("listen");
	return can;
}

/* Who listens without a port gets one. */
static bool bound_somewhere(int fd, struct socket *s, uint64_t pc)
{
	struct address in_kernel = address_in_kernel(fd), any = { .size = in_kernel.size };

	if (s->bound)
		return true;
	any.name.ss_family = in_kernel.name.ss_family;
	return any.name.ss_family != AF_UNIX && address_is_ours(&any) &&
	       !address_port(&in_kernel) && take_address(s, &any, pc);
}

/* Other processes that the program makes connect to it by the kernel. */
static bool has_children;

/* Where the kernel listens for the program, whoever has the socket by now. */
static struct told {
	unsigned place;
	uint16_t port;
} told[MOST_TOLD];
static unsigned ntold;

static void note_told(unsigned place, uint16_t port)
{
	unsigned i = 0;

	while (i < ntold && told[i].place != place)
		i++;
	if (i == MOST_TOLD)
		refuse("the program listens at more than 16 addresses while it has children: at fewer",
		       NULL);
	told[i] = (struct told){ place, port };
	ntold += i == ntold;
}

bool socket_kernel_has(struct address *to)
{
	unsigned place = address_place(to, false);

	if (!has_children || under_engine() || !kin_lives())
		return false;
	for (unsigned i = 0; i < ntold; i++) {
		if (told[i].place != place)
			continue;
		if (told[i].port)
			address_set_port(to, told[i].port);
		return true;
	}
	return false;
}

/* A port of any number is the kernel's to choose: other programs may have ours. */
static void tell_kernel(int fd)
{
	struct socket *s = &sockets[fd];
	struct address a = s->own;

	if (s->any_port)
		address_set_port(&a, 0);
	if (!address_is_path(&a) && !s->kernel_port && sys3(SYS_bind, fd, (long)&a.name, a.size))
		return;
	a = address_in_kernel(fd);
	s->kernel_port = address_port(&a);
	if (channel_listens(fd) && !sys3(SYS_listen, fd, SOMAXCONN, 0))
		note_told(s->place, s->kernel_port);
}

bool socket_asks_kernel(int fd)
{
	return has_children && !under_engine() && socket_waiting(sockets[fd].place) < 0;
}

void sockets_before_fork(void)
{
	has_children = true;
	for (int fd = 0; fd < SOCKET_FDS && socket_of(fd); fd++)
		if (sockets[fd].bound)
			tell_kernel(fd);
}

HEDDLE_HOOK int listen(int fd, int backlog)
{
	struct socket *s = socket_of(fd);
	uint64_t pc = CALLER();

	if (under_engine())
		needs_fork("listens at a socket");
	if (s && channel_listens(fd))
		return 0;
	if (s && channel_has(fd) && socket_option(fd, SO_TYPE) == SOCK_STREAM)
		return fail(EINVAL);
	if (!s || socket_option(fd, SO_TYPE) != SOCK_STREAM || !bound_somewhere(fd, s, pc))
		return REAL(listen)(fd, backlog);
	if (!channel_listen(fd, s->place, pc))
		NOT_YET("listening at a path where another socket does", "close that one first");
	if (has_children && !under_engine())
		tell_kernel(fd);
	return 0;
}

int socket_waiting(unsigned place)
{
	int first = -1;

	for (int fd = SOCKET_ASIDE; fd < SOCKET_FDS; fd++)
		if (sockets[fd].waits && sockets[fd].place == place &&
		    (first < 0 || sockets[fd].waits < sockets[first].waits))
			first = fd;
	return first;
}

/* Those who wait to be accepted find the connection closed. */
static void hang_up(unsigned place, uint64_t pc)
{
	int fd[SOCKET_FDS - SOCKET_ASIDE], n = 0;

	/* All of them at once: somebody may listen there before the last is closed. */
	for (fd[n] = socket_waiting(place); fd[n] >= 0; fd[n] = socket_waiting(place))
		sockets[fd[n++]].waits = 0;
	for (int i = 0; i < n; i++) {
		channel_closed(fd[i], pc);
		sys3(SYS_close, fd[i], 0, 0);
	}
}

static bool is_bound(uint32_t number)
{
	for (int fd = 0; fd < SOCKET_FDS; fd++)
		if (sockets[fd].bound == number)
			return true;
	return false;
}

/* Is there something to be known of it? */
static bool is_noted(const struct socket *s)
{
	return s->own.size || s->peer.size || s->waits || s->waits_us[0] || s->waits_us[1];
}

/* The file of a path stays. */
void socket_closed(int fd, int place, uint64_t pc)
{
	struct socket *s = socket_of(fd), old;

	if (!s || !is_noted(s))
		return;
	old = *s;
	*s = (struct socket){ .bound = 0 };
	if (place >= 0)
		hang_up((unsigned)place, pc);
	if (old.bound && !is_bound(old.bound) && !address_is_path(&old.own))
		channel_unbind(old.place, pc);
}

void socket_duplicated(int fd, int to)
{
	if (socket_of(fd) && socket_of(to) && is_noted(&sockets[fd]))
		sockets[to] = sockets[fd];
}

/* What other executions, or workers, left is not there. */
int socket_unlink(const char *path, uint64_t pc)
{
	struct address a = { .name.ss_family = AF_UNIX, .size = sizeof(struct sockaddr_un) };
	size_t length = strlen(path);
	bool bound, left;
	int status;

	if (!init_active() || !socket_can_listen() || !length ||
	    length > sizeof(((struct sockaddr_un *)0)->sun_path))
		return REAL(unlink)(path);
	memcpy(((struct sockaddr_un *)&a.name)->sun_path, path, length);
	bound = channel_unbind(address_place(&a, false), pc);
	left = under_engine() && socket_has_file(&a);
	status = REAL(unlink)(path);
	return bound ? 0 : left ? fail(ENOENT) : status;
}
