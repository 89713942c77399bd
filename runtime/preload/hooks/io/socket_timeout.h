/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_timeout.h - how long calls of a socket wait: SO_RCVTIMEO and SO_SNDTIMEO (socket_timeout.c)
 *
 * Internal to the files of channels and sockets.
 */
#ifndef HEDDLE_PRELOAD_SOCKET_TIMEOUT_H
#define HEDDLE_PRELOAD_SOCKET_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct channel;

/* In microseconds. */
enum {
	WAITS_FOR_EVER = 0,
	WAITS_NOT_AT_ALL = -1 /* the program asks for less than nothing */
};

/* The calling thread takes from the channel of a socket, or adds to it, in a call that may wait: for how long? */
int64_t socket_waits_us(const struct channel *c, bool adds);
/* The channel is there anew: nothing was set, and nobody was there. */
void socket_forget_timeouts(const struct channel *c);
/* What was set for a socket before it had a channel; and a connection of TCP has what was set where it was accepted. */
void socket_gets_timeouts(int fd);
void socket_inherits_timeouts(int listener, int fd);

/* Is it one of the two options? */
static inline bool socket_is_timeout(int level, int name)
{
	return level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO ||
				       name == SO_RCVTIMEO_NEW || name == SO_SNDTIMEO_NEW);
}

/* setsockopt() and getsockopt() of these. */
int socket_set_timeout(int fd, int name, const void *value, socklen_t size);
int socket_get_timeout(int fd, int name, void *value, socklen_t *size);

/* When the only thread gives up that takes from it, as time_rings() has it. */
uint64_t socket_ends_ns(int fd);

/* Before there are threads: a call of a socket, with flags of recv(), has come back from the kernel. Returns result. */
ssize_t socket_waited_alone(int fd, ssize_t result, int flags, bool adds);

#pragma GCC visibility pop

#endif
