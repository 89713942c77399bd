/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket.c - see socket.h
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/io/socket.h"

HEDDLE_IMAGE_SELDOM struct socket sockets[SOCKET_FDS] = { { .bound = 0 } };
HEDDLE_IMAGE_SELDOM uint32_t socket_numbers = 0;

int socket_option(int fd, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return REAL(getsockopt)(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}
