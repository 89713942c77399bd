/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.c - addresses that stream sockets of the program can be at (see address.h)
 *
 * Threads come to an address in any order, so its place depends on its name: the first free one from
 * where a hash of it says, before anybody listens there: connect() reads what listen() and close() write, so
 * their order is a matter of reads-from. Ports that follow one another have places that do.
 *
 * Not by base/table.h: all places may be taken, and an address that nobody noted has one, too.
 */
#include "preload/hooks/hook.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "preload/core/active.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/io/address.h"
#include "preload/hooks/io/channel.h"
#include "preload/step/perform.h"

/* What tells an address from others: all of it, or family and port. */
struct key {
	uint32_t size; /* 0: the entry is free */
	sa_family_t family;
	char text[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

static HEDDLE_IMAGE_SELDOM struct key known[CHANNEL_ADDRESSES] = { { .size = 0 } };

struct address address_of(const struct sockaddr *name, socklen_t size)
{
	struct address a = { .size = 0 };

	if (!name || size > sizeof(a.name) || (init_active() && !memory_readable(name, size)))
		return a;
	a.size = size;
	memcpy(&a.name, name, a.size);
	return a;
}

struct address address_in_kernel(int fd)
{
	struct address a = { .size = sizeof(a.name) };

	if (sys3(SYS_getsockname, fd, (long)&a.name, (long)&a.size) < 0)
		a.size = 0;
	return a;
}

bool address_is_ours(const struct address *a)
{
	const struct sockaddr_in *in = (const void *)&a->name;
	const struct sockaddr_in6 *in6 = (const void *)&a->name;

	if (a->size < sizeof(a->name.ss_family))
		return false;
	switch (a->name.ss_family) {
	case AF_UNIX:
		return a->size > offsetof(struct sockaddr_un, sun_path) &&
		       a->size <= sizeof(struct sockaddr_un);
	case AF_INET:
		return a->size >= sizeof(*in) && (ntohl(in->sin_addr.s_addr) >> 24 == 127 ||
						  in->sin_addr.s_addr == htonl(INADDR_ANY));
	case AF_INET6:
		return a->size >= sizeof(*in6) && (IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
						   IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr));
	default:
		return false;
	}
}

bool address_is_path(const struct address *a)
{
	return a->name.ss_family == AF_UNIX && ((const struct sockaddr_un *)&a->name)->sun_path[0];
}

/* The port has the same place in both families. */
uint16_t address_port(const struct address *a)
{
	return a->size && a->name.ss_family != AF_UNIX
		       ? ntohs(((const struct sockaddr_in *)&a->name)->sin_port)
		       : 0;
}

void address_set_port(struct address *a, uint16_t port)
{
	((struct sockaddr_in *)&a->name)->sin_port = htons(port);
}

void address_give(const struct address *a, struct sockaddr *to, socklen_t *size)
{
	if (!to || !size)
		return;
	note_plain_write((uintptr_t)to, *size);
	note_plain_write((uintptr_t)size, sizeof(*size));
	memcpy(to, &a->name, *size < a->size ? *size : a->size);
	*size = a->size;
}

/* A path may end with its 0 or before it; an abstract name is as long as it is. */
static struct key key_of(const struct address *a)
{
	struct key k = { .family = a->name.ss_family };
	uint16_t port = address_port(a);

	if (k.family != AF_UNIX) {
		k.size = sizeof(port);
		memcpy(k.text, &port, sizeof(port));
		return k;
	}
	k.size = a->size - offsetof(struct sockaddr_un, sun_path);
	memcpy(k.text, ((const struct sockaddr_un *)&a->name)->sun_path, k.size);
	for (uint32_t i = 0; k.text[0] && i < k.size; i++)
		if (!k.text[i])
			k.size = i;
	return k;
}

static bool same(const struct key *a, const struct key *b)
{
	return a->family == b->family && a->size == b->size && !memcmp(a->text, b->text, a->size);
}

static unsigned first_place(const struct key *k)
{
	unsigned hash = k->family;

	if (k->family != AF_UNIX) {
		uint16_t port;

		memcpy(&port, k->text, sizeof(port));
		return (hash * 61 + port) % CHANNEL_ADDRESSES;
	}
	for (uint32_t i = 0; i < k->size; i++)
		hash = hash * 33 + (unsigned char)k->text[i];
	return hash % CHANNEL_ADDRESSES;
}

unsigned address_place(const struct address *a, bool noted)
{
	struct key k = key_of(a);

	for (unsigned i = 0; i < CHANNEL_ADDRESSES; i++) {
		unsigned place = (first_place(&k) + i) % CHANNEL_ADDRESSES;

		if (known[place].size && same(&known[place], &k))
			return place;
		if (known[place].size)
			continue;
		if (noted) {
			known[place] = k;
			channel_address(place);
		}
		return place;
	}
	refuse("the program has sockets at more addresses than heddle can follow (256): make it smaller",
	       NULL);
}
