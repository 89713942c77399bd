/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.h - addresses that stream sockets of the program can be at
 *
 * Those are paths, abstract names, and the ports of this machine's loopback and any address. A port is
 * one in all of these: who is bound to 0.0.0.0 is found at 127.0.0.1.
 */
#ifndef HEDDLE_PRELOAD_ADDRESS_H
#define HEDDLE_PRELOAD_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

struct address {
	struct sockaddr_storage name;
	socklen_t size;
};

/* A copy; of no size if there is none, or it is too long for any. */
struct address address_of(const struct sockaddr *name, socklen_t size);
/* What the kernel says the socket is bound to; of no size if it is none. */
struct address address_in_kernel(int fd);
/* Is it complete, and one of the program's own? */
bool address_is_ours(const struct address *a);
/* Is it one in the file system? */
bool address_is_path(const struct address *a);
/* The port; 0: it has none, or any will do. */
uint16_t address_port(const struct address *a);
void address_set_port(struct address *a, uint16_t port);
/* Gives it to the program, as accept() and getpeername() do. */
void address_give(const struct address *a, struct sockaddr *to, socklen_t *size);

/*
 * The place of an address of the program's own in the table of channels (channel_address()): below
 * CHANNEL_ADDRESSES, and the same in all executions, unless it falls together with
 * that of another address. Noted: the place is the address's from now on in this execution.
 */
unsigned address_place(const struct address *a, bool noted);

#pragma GCC visibility pop

#endif
