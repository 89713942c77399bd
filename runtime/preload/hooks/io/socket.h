/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket.h - stream sockets of the program's own, as the kernel does not know them
 *
 * Internal to hook_listen.c, hook_connect.c and channel.c; others ask channel.h.
 */
#ifndef HEDDLE_PRELOAD_SOCKET_H
#define HEDDLE_PRELOAD_SOCKET_H

#include "preload/core/active.h"
#include "preload/hooks/io/address.h"

#pragma GCC visibility push(hidden)

enum {
	SOCKET_FDS = 256,
	SOCKET_ASIDE = 160 /* from here on descriptors of ends that wait to be accepted */
};

/* Of each descriptor. */
extern struct socket {
	struct address own, peer; /* of no size: ask the kernel */
	uint32_t bound;           /* the number of the binding, which duplicates share; or 0 */
	uint32_t waits;       /* a number that grows with those that were not accepted yet; or 0 */
	unsigned place;       /* of the address where it waits, or is bound */
	bool any_port;        /* bound to one that socket_port() gave */
	uint16_t kernel_port; /* where other processes find it, if there are any; or 0 */
	int64_t waits_us[2];  /* SO_RCVTIMEO, SO_SNDTIMEO (socket_timeout.h) */
} sockets[SOCKET_FDS];

/* The last one that was given. */
extern uint32_t socket_numbers;

/* NULL: all that is known is known to the kernel. */
static inline struct socket *socket_of(int fd)
{
	return init_active() && fd >= 0 && fd < SOCKET_FDS ? &sockets[fd] : NULL;
}

/* Is it an end of a connection that the program takes for one of TCP? */
static inline bool socket_is_tcp(int fd)
{
	const struct socket *s = socket_of(fd);

	return s && s->peer.size && s->peer.name.ss_family != AF_UNIX;
}

/* The same if it is a stream socket that can be at, or lead to, such an address. */
struct socket *socket_stream(int fd, const struct address *a);
/* An option of SOL_SOCKET that is a number, or -1. */
int socket_option(int fd, int name);
/* Does the program listen at all? Where it does not, connecting and files are the kernel's alone. */
bool socket_can_listen(void);
/* Is there a socket at this path? */
bool socket_has_file(const struct address *a);
/* The next port of the calling thread. */
uint16_t socket_port(void);
/* The end that has waited longest at the address, or -1. */
int socket_waiting(unsigned place);
/* Before the root point: is it a child, if anybody, who connects to this one, by the kernel? */
bool socket_asks_kernel(int fd);
/* Likewise: is it one, if anybody, who accepts there? The address is the kernel's then. */
bool socket_kernel_has(struct address *to);

#pragma GCC visibility pop

#endif
