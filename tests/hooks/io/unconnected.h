/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unconnected.h - what is said of sockets that nobody has connected
 */
#ifndef UNCONNECTED_H
#define UNCONNECTED_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hooks/fails.h"

/* The domain and type of a socket; the two arguments of an address. */
#define TCP         AF_INET, SOCK_STREAM
#define UDP         AF_INET, SOCK_DGRAM
#define LOCAL       AF_UNIX, SOCK_STREAM
#define TO(address) (struct sockaddr *)&(address), sizeof(address)

/* A statement about the socket fd of that type. */
#define OF_A_SOCKET(name, type, ...)      \
	IN_EACH(name)                     \
	{                                 \
		int fd = socket(type, 0); \
                                          \
		assert(fd >= 0);          \
		FAILS(__VA_ARGS__);       \
		close(fd);                \
		return arg;               \
	}

static struct sockaddr_un nowhere = { .sun_family = AF_UNIX, .sun_path = "no-such-socket" };

#endif
