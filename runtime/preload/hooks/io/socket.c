/* SPDX-License-Identifier: BSD-2-Clause */
/* socket.c - stream sockets of the program's own, as the kernel does not know them (see socket.h) */
#include "preload/hooks/hook.h"

#include <sys/socket.h>

#include "preload/hooks/io/socket.h"

HEDDLE_IMAGE_SELDOM struct socket sockets[SOCKET_FDS] = { { .bound = 0 } };
HEDDLE_IMAGE_SELDOM uint32_t socket_numbers = 0;

int socket_option(int fd, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

struct socket *socket_stream(int fd, const struct address *a)
{
	struct socket *s = socket_of(fd);

	return s && address_is_ours(a) && socket_option(fd, SO_TYPE) == SOCK_STREAM &&
			       socket_option(fd, SO_DOMAIN) == a->name.ss_family
		       ? s
		       : NULL;
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
