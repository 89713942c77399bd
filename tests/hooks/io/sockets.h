/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockets.h - what tests of stream sockets have in common
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <assert.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Where the server is, and its socket. */
static struct sockaddr_in at;
static int server;

/* The same on a path, or an abstract name. */
static struct sockaddr_un name;
static socklen_t name_size;

static inline int new_socket(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(s >= 0);
	return s;
}

static inline void listen_here(void)
{
	socklen_t size = sizeof(at);

	at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	server = socket(AF_INET, SOCK_STREAM, 0);
	assert(server >= 0 && bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(listen(server, 4) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0);
}

static inline void bind_here(void)
{
	socklen_t size = sizeof(at);

	at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	server = new_socket();
	assert(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0 && at.sin_port);
}

static inline void *only_listen(void *arg)
{
	assert(listen(server, 4) == 0);
	return arg;
}

static inline int connect_at(int s)
{
	return connect(s, (struct sockaddr *)&at, sizeof(at));
}

static inline int connect_there(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(s >= 0 && connect(s, (struct sockaddr *)&at, sizeof(at)) == 0);
	return s;
}

static inline void *say(void *what)
{
	int s = connect_there();

	assert(send(s, what, 1, 0) == 1);
	close(s);
	return NULL;
}

static inline char heard(void)
{
	int s = accept(server, NULL, NULL);
	char c;

	assert(s >= 0 && read(s, &c, 1) == 1);
	close(s);
	return c;
}

/* One that the kernel gives to nobody; another one natively each time. */
static inline void at_port(void)
{
	at = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_port = htons((uint16_t)(23000 + getpid() % 1000)),
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
}

static inline void reuse(int s)
{
	int on = 1;

	assert(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
}

/* A name that no other program has; with a slash it is a path. */
static inline void make_name(const char *prefix)
{
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%s%d", prefix,
			      (int)getpid());

	name.sun_family = AF_UNIX;
	name_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static inline void make_path(void)
{
	make_name("/heddle-listen-");
	name.sun_path[0] = '.';
}

static inline void *bind_and_listen(void *arg)
{
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(server, (struct sockaddr *)&name, name_size) == 0);
	assert(listen(server, 4) == 0);
	return arg;
}

static inline int connect_to_name(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	return connect(s, (struct sockaddr *)&name, name_size);
}

#endif
