/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen_fails.c - how connecting and accepting fails
 *
 * ways bind: EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EBADF EFAULT EINVAL ENOTSOCK; not EACCES ENOBUFS (tests may
 *	run as root, and limits of the system)
 * ways listen: EBADF EINVAL ENOTSOCK EOPNOTSUPP; not EACCES EADDRINUSE EDESTADDRREQ ENOBUFS (what is in use
 *	cannot be bound here, even with SO_REUSEADDR; Linux gives a port to who has none; likewise)
 * ways accept: EAGAIN EBADF EINVAL EMFILE ENOTSOCK EOPNOTSUPP EINTR; not ECONNABORTED ENFILE ENOBUFS ENOMEM
 *	EPROTO (errors of networks, and limits of the system)
 * ways accept4: EAGAIN EBADF EINVAL ENOTSOCK
 * ways connect: EAFNOSUPPORT EBADF ECONNREFUSED EFAULT EINVAL EISCONN ENOENT ENOTSOCK; not EACCES EAGAIN
 *	EADDRNOTAVAIL EALREADY EHOSTUNREACH EINPROGRESS EINTR ENETDOWN ENETUNREACH ETIMEDOUT (likewise; how many may wait to be
 *	accepted is a hint)
 * ways getsockname: EBADF EFAULT EINVAL ENOTSOCK; not ENOBUFS (likewise)
 * ways getpeername: EBADF EFAULT EINVAL ENOTCONN ENOTSOCK; not ENOBUFS (likewise)
 * ways setsockopt: EBADF EDOM EINVAL ENOPROTOOPT ENOTSOCK EFAULT; not EISCONN ENOBUFS ENOMEM (likewise)
 * ways getsockopt: EBADF EINVAL ENOPROTOOPT ENOTSOCK EFAULT; not EACCES ENOBUFS (likewise)
 *
 * case bind_EADDRINUSE: ok 1
 * case bind_EADDRNOTAVAIL: ok 1
 * case bind_EAFNOSUPPORT: ok 1
 * case bind_EBADF: ok 1
 * case bind_EFAULT: ok 1
 * case bind_EINVAL: ok 1
 * case bind_ENOTSOCK: ok 1
 * case listen_EBADF: ok 1
 * case listen_EINVAL: ok 1
 * case listen_ENOTSOCK: ok 1
 * case listen_EOPNOTSUPP: ok 1
 * case accept_EAGAIN: ok 1
 * case accept_EBADF: ok 1
 * case accept_EINVAL: ok 1
 * case accept_EINVAL_when_it_was_shut: ok 1
 * case accept_EMFILE: ok 1
 * case accept_ENOTSOCK: ok 1
 * case accept_EOPNOTSUPP: ok 1
 * case accept4_EAGAIN: ok 1
 * case accept4_EBADF: ok 1
 * case accept4_EINVAL: ok 1
 * case accept4_ENOTSOCK: ok 1
 * case connect_EAFNOSUPPORT: ok 1
 * case connect_EBADF: ok 1
 * case connect_ECONNREFUSED: ok 1
 * case connect_ECONNREFUSED_when_it_was_closed: ok 1
 * case connect_EFAULT: ok 1
 * case connect_EINVAL: ok 1
 * case connect_EINVAL_of_another_kind: ok 1
 * case connect_EISCONN: ok 1
 * case connect_ENOENT: ok 1
 * case connect_ENOTSOCK: ok 1
 * case getsockname_EBADF: ok 1
 * case getsockname_EFAULT: ok 1
 * case getsockname_EINVAL: ok 1
 * case getsockname_ENOTSOCK: ok 1
 * case getpeername_EBADF: ok 1
 * case getpeername_EFAULT: ok 1
 * case getpeername_EINVAL: ok 1
 * case getpeername_ENOTCONN: ok 1
 * case getpeername_ENOTSOCK: ok 1
 * case setsockopt_EBADF: ok 1
 * case setsockopt_EDOM: ok 1
 * case setsockopt_EFAULT: ok 1
 * case setsockopt_EINVAL: ok 1
 * case setsockopt_ENOPROTOOPT: ok 1
 * case setsockopt_ENOTSOCK: ok 1
 * case getsockopt_EBADF: ok 1
 * case getsockopt_EFAULT: ok 1
 * case getsockopt_EINVAL: ok 1
 * case getsockopt_ENOPROTOOPT: ok 1
 * case getsockopt_ENOTSOCK: ok 1
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "descriptors.h"
#include "hooks/fails.h"
#include "unconnected.h"

static struct sockaddr *volatile wild = (struct sockaddr *)8;

/* A socket that listens, and its address. */
struct server {
	int fd;
	struct sockaddr_in at;
};

static struct server serve(void)
{
	struct server s = { socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
			    { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } } };
	socklen_t size = sizeof(s.at);

	assert(bind(s.fd, TO(s.at)) == 0 && listen(s.fd, 4) == 0);
	assert(getsockname(s.fd, (struct sockaddr *)&s.at, &size) == 0);
	return s;
}

/* The same on a path. */
static int serve_on(struct sockaddr_un *at, const char *path, int backlog)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	strcpy(at->sun_path, path);
	unlink(path);
	assert(bind(fd, TO(*at)) == 0 && listen(fd, backlog) == 0);
	return fd;
}

#define OF_A_PIPE(name, ...)                  \
	IN_EACH(name)                         \
	{                                     \
		int p[2], fd;                 \
                                              \
		assert(pipe(p) == 0);         \
		fd = p[0];                    \
		FAILS(ENOTSOCK, __VA_ARGS__); \
		close(p[0]);                  \
		close(p[1]);                  \
		return arg;                   \
	}

/* ---- bind() ---- */

static struct sockaddr_in loopback = { .sin_family = AF_INET };

EACH_FAILS(bind_EBADF, EBADF, bind(-1, TO(nowhere)))
OF_A_SOCKET(bind_EFAULT, TCP, EFAULT, bind(fd, wild, sizeof(loopback)))
OF_A_PIPE(bind_ENOTSOCK, bind(fd, TO(nowhere)))
OF_A_SOCKET(bind_EAFNOSUPPORT, TCP, EAFNOSUPPORT, bind(fd, TO(nowhere)))

IN_EACH(bind_EADDRINUSE)
{
	struct server s = serve();
	struct sockaddr_un at;
	int path = serve_on(&at, "here", 4), net = socket(TCP, 0), local = socket(LOCAL, 0);

	FAILS(EADDRINUSE, bind(net, TO(s.at)));
	FAILS(EADDRINUSE, bind(local, TO(at)));
	close(net);
	close(local);
	close(path);
	close(s.fd);
	unlink("here");
	return arg;
}

/* 192.0.2.1 is nobody's: it is for books. */
IN_EACH(bind_EADDRNOTAVAIL)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(0xc0000201) } };
	int fd = socket(TCP, 0);

	FAILS(EADDRNOTAVAIL, bind(fd, TO(at)));
	close(fd);
	return arg;
}

/* It has an address already; or the address is too short, or too long. */
IN_EACH(bind_EINVAL)
{
	struct server s = serve();
	int fd = socket(TCP, 0);

	FAILS(EINVAL, bind(s.fd, TO(s.at)));
	FAILS(EINVAL, bind(fd, (struct sockaddr *)&loopback, 1));
	FAILS(EINVAL, bind(fd, (struct sockaddr *)&loopback, 1000));
	close(fd);
	close(s.fd);
	return arg;
}

/* ---- listen() ---- */

EACH_FAILS(listen_EBADF, EBADF, listen(-1, 1))
OF_A_SOCKET(listen_EINVAL, LOCAL, EINVAL, listen(fd, 1))
OF_A_PIPE(listen_ENOTSOCK, listen(fd, 1))
OF_A_SOCKET(listen_EOPNOTSUPP, UDP, EOPNOTSUPP, listen(fd, 1))

/* ---- accept() ---- */

EACH_FAILS(accept_EBADF, EBADF, accept(-1, NULL, NULL))
OF_A_SOCKET(accept_EINVAL, TCP, EINVAL, accept(fd, NULL, NULL))
OF_A_SOCKET(accept_EOPNOTSUPP, UDP, EOPNOTSUPP, accept(fd, NULL, NULL))
OF_A_PIPE(accept_ENOTSOCK, accept(fd, NULL, NULL))
EACH_FAILS(accept4_EBADF, EBADF, accept4(-1, NULL, NULL, SOCK_CLOEXEC))
OF_A_PIPE(accept4_ENOTSOCK, accept4(fd, NULL, NULL, 0))

IN_EACH(accept_EAGAIN)
{
	struct server s = serve();

	FAILS(EAGAIN, accept(s.fd, NULL, NULL));
	close(s.fd);
	return arg;
}

IN_EACH(accept_EINVAL_when_it_was_shut)
{
	struct server s = serve();

	assert(shutdown(s.fd, SHUT_RDWR) == 0);
	FAILS(EINVAL, accept(s.fd, NULL, NULL));
	close(s.fd);
	return arg;
}

/* Who waits to be accepted goes on waiting. */
IN_EACH(accept_EMFILE)
{
	struct sockaddr_un at;
	int fd = serve_on(&at, "here", 4), client = socket(LOCAL, 0), got;
	struct rlimit before;

	assert(connect(client, TO(at)) == 0);
	before = no_more_descriptors();
	FAILS(EMFILE, accept(fd, NULL, NULL));
	assert(setrlimit(RLIMIT_NOFILE, &before) == 0);
	got = accept(fd, NULL, NULL);
	assert(got >= 0);
	close(got);
	close(client);
	close(fd);
	unlink("here");
	return arg;
}

IN_EACH(accept4_EAGAIN)
{
	struct server s = serve();

	FAILS(EAGAIN, accept4(s.fd, NULL, NULL, SOCK_CLOEXEC));
	close(s.fd);
	return arg;
}

IN_EACH(accept4_EINVAL)
{
	struct server s = serve();

	FAILS(EINVAL, accept4(s.fd, NULL, NULL, 0x100000));
	close(s.fd);
	return arg;
}

/* ---- connect() ---- */

EACH_FAILS(connect_EBADF, EBADF, connect(-1, TO(nowhere)))
OF_A_SOCKET(connect_EAFNOSUPPORT, TCP, EAFNOSUPPORT, connect(fd, TO(nowhere)))
OF_A_SOCKET(connect_EFAULT, TCP, EFAULT, connect(fd, wild, sizeof(struct sockaddr_in)))
OF_A_SOCKET(connect_ENOENT, LOCAL, ENOENT, connect(fd, TO(nowhere)))
OF_A_PIPE(connect_ENOTSOCK, connect(fd, TO(nowhere)))

/* Somebody listened there. */
IN_EACH(connect_ECONNREFUSED)
{
	struct server s = serve();
	int fd = socket(TCP, 0);

	close(s.fd);
	FAILS(ECONNREFUSED, connect(fd, TO(s.at)));
	close(fd);
	return arg;
}

/* The path stays when its socket has gone. */
IN_EACH(connect_ECONNREFUSED_when_it_was_closed)
{
	struct sockaddr_un at;
	int fd = serve_on(&at, "left", 4), client = socket(LOCAL, 0);

	close(fd);
	FAILS(ECONNREFUSED, connect(client, TO(at)));
	close(client);
	unlink("left");
	return arg;
}

/* Addresses that are too short, and too long. */
IN_EACH(connect_EINVAL)
{
	struct server s = serve();
	int fd = socket(TCP, 0);

	FAILS(EINVAL, connect(fd, (struct sockaddr *)&s.at, 1));
	FAILS(EINVAL, connect(fd, (struct sockaddr *)&s.at, 8));
	FAILS(EINVAL, connect(fd, (struct sockaddr *)&s.at, 1000));
	close(fd);
	close(s.fd);
	return arg;
}

/* A socket of the file system does not know addresses of the internet. */
IN_EACH(connect_EINVAL_of_another_kind)
{
	struct server s = serve();
	struct sockaddr_un at;
	int path = serve_on(&at, "here", 4), local = socket(LOCAL, 0), net = socket(TCP, 0);

	FAILS(EINVAL, connect(local, TO(s.at)));
	FAILS(EAFNOSUPPORT, connect(net, TO(at)));
	close(local);
	close(net);
	close(path);
	close(s.fd);
	unlink("here");
	return arg;
}

IN_EACH(connect_EISCONN)
{
	struct server s = serve(), other = serve();
	struct sockaddr_un at;
	int path = serve_on(&at, "here", 4), fd = socket(TCP, 0), client = socket(LOCAL, 0);

	assert(connect(fd, TO(s.at)) == 0);
	FAILS(EISCONN, connect(fd, TO(s.at)));
	FAILS(EISCONN, connect(fd, TO(other.at)));
	close(other.fd);
	FAILS(EISCONN, connect(fd, TO(other.at)));
	assert(connect(client, TO(at)) == 0);
	FAILS(EISCONN, connect(client, TO(at)));
	close(fd);
	close(client);
	close(path);
	close(s.fd);
	unlink("here");
	return arg;
}

/* ---- What a connection is asked for ---- */

struct connection {
	struct server s;
	int client, fd;
};

static struct connection connect_both(void)
{
	struct connection c = { .s = serve(), .client = socket(TCP, 0) };

	assert(connect(c.client, TO(c.s.at)) == 0);
	c.fd = accept(c.s.fd, NULL, NULL);
	assert(c.fd >= 0);
	return c;
}

static void close_connection(const struct connection *c)
{
	close(c->client);
	close(c->fd);
	close(c->s.fd);
}

static struct sockaddr_in peer;
static socklen_t size = sizeof(struct sockaddr_in);

EACH_FAILS(getpeername_EBADF, EBADF, getpeername(-1, (struct sockaddr *)&peer, &size))
OF_A_SOCKET(getpeername_ENOTCONN, TCP, ENOTCONN, getpeername(fd, (struct sockaddr *)&peer, &size))
OF_A_PIPE(getpeername_ENOTSOCK, getpeername(fd, (struct sockaddr *)&peer, &size))

IN_EACH(getpeername_EFAULT)
{
	struct connection c = connect_both();

	FAILS(EFAULT, getpeername(c.client, wild, &size));
	FAILS(EFAULT, getpeername(c.client, (struct sockaddr *)&peer, (socklen_t *)wild));
	close_connection(&c);
	return arg;
}

IN_EACH(getpeername_EINVAL)
{
	struct connection c = connect_both();
	socklen_t less_than_none = -1;

	FAILS(EINVAL, getpeername(c.client, (struct sockaddr *)&peer, &less_than_none));
	close_connection(&c);
	return arg;
}

EACH_FAILS(getsockname_EBADF, EBADF, getsockname(-1, (struct sockaddr *)&peer, &size))
OF_A_PIPE(getsockname_ENOTSOCK, getsockname(fd, (struct sockaddr *)&peer, &size))

IN_EACH(getsockname_EFAULT)
{
	struct connection c = connect_both();

	FAILS(EFAULT, getsockname(c.s.fd, wild, &size));
	FAILS(EFAULT, getsockname(c.fd, (struct sockaddr *)&peer, (socklen_t *)wild));
	close_connection(&c);
	return arg;
}

IN_EACH(getsockname_EINVAL)
{
	struct connection c = connect_both();
	socklen_t less_than_none = -1;

	FAILS(EINVAL, getsockname(c.s.fd, (struct sockaddr *)&peer, &less_than_none));
	close_connection(&c);
	return arg;
}

static int on = 1;

EACH_FAILS(setsockopt_EBADF, EBADF, setsockopt(-1, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)))
OF_A_PIPE(setsockopt_ENOTSOCK, setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)))

IN_EACH(setsockopt_EINVAL)
{
	struct connection c = connect_both();

	FAILS(EINVAL, setsockopt(c.client, IPPROTO_TCP, TCP_NODELAY, &on, 1));
	FAILS(EINVAL, setsockopt(c.client, SOL_SOCKET, SO_KEEPALIVE, &on, 1));
	assert(setsockopt(c.client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
	close_connection(&c);
	return arg;
}

IN_EACH(setsockopt_EFAULT)
{
	struct connection c = connect_both();

	FAILS(EFAULT, setsockopt(c.client, IPPROTO_TCP, TCP_NODELAY, wild, sizeof(on)));
	close_connection(&c);
	return arg;
}

IN_EACH(setsockopt_ENOPROTOOPT)
{
	struct connection c = connect_both();

	FAILS(ENOPROTOOPT, setsockopt(c.client, IPPROTO_TCP, 9999, &on, sizeof(on)));
	FAILS(ENOPROTOOPT, setsockopt(c.client, SOL_SOCKET, 9999, &on, sizeof(on)));
	close_connection(&c);
	return arg;
}

IN_EACH(setsockopt_EDOM)
{
	struct connection c = connect_both();
	struct timeval t = { 0, 1000000 };

	FAILS(EDOM, setsockopt(c.client, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)));
	FAILS(EDOM, setsockopt(c.fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)));
	close_connection(&c);
	return arg;
}

static struct timeval took;
static socklen_t took_size = sizeof(took), too_large = (socklen_t)-1;

EACH_FAILS(getsockopt_EBADF, EBADF, getsockopt(-1, SOL_SOCKET, SO_RCVTIMEO, &took, &took_size))
OF_A_PIPE(getsockopt_ENOTSOCK, getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &took, &took_size))

IN_EACH(getsockopt_EINVAL)
{
	struct connection c = connect_both();

	FAILS(EINVAL, getsockopt(c.client, SOL_SOCKET, SO_RCVTIMEO, &took, &too_large));
	FAILS(EINVAL, getsockopt(c.client, SOL_SOCKET, SO_ERROR, &took, &too_large));
	close_connection(&c);
	return arg;
}

IN_EACH(getsockopt_EFAULT)
{
	struct connection c = connect_both();

	FAILS(EFAULT, getsockopt(c.client, SOL_SOCKET, SO_RCVTIMEO, wild, &took_size));
	FAILS(EFAULT, getsockopt(c.client, SOL_SOCKET, SO_SNDTIMEO, &took, wild));
	close_connection(&c);
	return arg;
}

IN_EACH(getsockopt_ENOPROTOOPT)
{
	struct connection c = connect_both();

	FAILS(ENOPROTOOPT, getsockopt(c.client, SOL_SOCKET, 9999, &took, &took_size));
	close_connection(&c);
	return arg;
}

CASES(CASE(listen_EBADF), CASE(bind_EADDRINUSE), CASE(bind_EADDRNOTAVAIL), CASE(bind_EAFNOSUPPORT),
      CASE(bind_EBADF), CASE(bind_EFAULT), CASE(bind_EINVAL), CASE(bind_ENOTSOCK),
      CASE(listen_EINVAL), CASE(listen_ENOTSOCK), CASE(listen_EOPNOTSUPP), CASE(accept_EAGAIN),
      CASE(accept_EBADF), CASE(accept_EINVAL), CASE(accept_EINVAL_when_it_was_shut),
      CASE(accept_EMFILE), CASE(accept_ENOTSOCK), CASE(accept_EOPNOTSUPP), CASE(accept4_EAGAIN),
      CASE(accept4_EBADF), CASE(accept4_EINVAL), CASE(accept4_ENOTSOCK), CASE(connect_EAFNOSUPPORT),
      CASE(connect_EBADF), CASE(connect_ECONNREFUSED),
      CASE(connect_ECONNREFUSED_when_it_was_closed), CASE(connect_EFAULT), CASE(connect_EINVAL),
      CASE(connect_EINVAL_of_another_kind), CASE(connect_EISCONN), CASE(connect_ENOENT),
      CASE(connect_ENOTSOCK), CASE(getsockname_EBADF), CASE(getsockname_EFAULT),
      CASE(getsockname_EINVAL), CASE(getsockname_ENOTSOCK), CASE(getpeername_EBADF),
      CASE(getpeername_EFAULT), CASE(getpeername_EINVAL), CASE(getpeername_ENOTCONN),
      CASE(getpeername_ENOTSOCK), CASE(setsockopt_EBADF), CASE(setsockopt_EFAULT),
      CASE(setsockopt_EINVAL), CASE(setsockopt_ENOPROTOOPT), CASE(setsockopt_ENOTSOCK),
      CASE(setsockopt_EDOM), CASE(getsockopt_EBADF), CASE(getsockopt_EFAULT),
      CASE(getsockopt_EINVAL), CASE(getsockopt_ENOPROTOOPT), CASE(getsockopt_ENOTSOCK))
