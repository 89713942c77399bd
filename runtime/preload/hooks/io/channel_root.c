/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel_root.c - what is in channels at the root point, and is put back before each execution
 *
 * The contents are the kernel's, which no image has. So those of channels that are open at both ends
 * are read out and written back once, and again before each execution, when what the last one left
 * is thrown away.
 */
#include "preload/hooks/hook.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/ready.h"

/* Of the channels that are open at both ends: their state, and what is in those of bytes. */
static struct rooted {
	struct channel *channel;
	uint64_t held;
	int take, add;
	char *bytes;
} root[CHANNELS];
static uint32_t nrooted;

static int descriptor_of(uint32_t c, bool takes)
{
	for (int fd = 0; fd < CHANNEL_FDS; fd++)
		if ((takes ? channel_ends[fd].take : channel_ends[fd].add) == c + 1)
			return fd;
	return -1;
}

static bool has_something(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return sys3(SYS_poll, (long)&p, 1, 0) == 1 && (p.revents & POLLIN);
}

uint64_t channel_queued(const struct channel *c)
{
	int fd = descriptor_of((uint32_t)(c - channels), false), n = 0;

	return sys3(SYS_ioctl, fd, TIOCOUTQ, (long)&n) ? 0 : (uint64_t)n;
}

/* How many bytes there are to be read. */
static uint64_t held_by(int fd)
{
	int n = 0;

	return sys3(SYS_ioctl, fd, FIONREAD, (long)&n) ? 0 : (uint64_t)n;
}

/* Takes all that the kernel holds; returns how much. Room for it: bytes, or NULL. */
static uint64_t empty(const struct channel *c, int fd, char *bytes, uint64_t room)
{
	static char nowhere[CHANNEL_BYTES];
	FRESH(nowhere);
	uint64_t all = 0, number;

	while (has_something(fd)) {
		long n = c->event ? sys_read(fd, &number, sizeof(number))
				  : sys_read(fd, bytes ? bytes + all : nowhere,
					     bytes ? room - all : sizeof(nowhere));

		if (n <= 0)
			break;
		all += c->event ? number : (uint64_t)n;
		if (!bytes && !c->event)
			all = 0;
	}
	return all;
}

static void fill(const struct rooted *r)
{
	if (!r->held)
		return;
	if (r->channel->event)
		sys3(SYS_write, r->add, (long)&r->held, sizeof(r->held));
	else
		sys3(SYS_write, r->add, (long)r->bytes, (long)r->held);
}

void channel_widen(const struct channel *c, int fd)
{
	int most = 3 * CHANNEL_BYTES;

	if (channel_is_socket(fd)) /* the kernel doubles that, and gives less if it has to */
		sys6(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDBUF, (long)&most, sizeof(most), 0);
	sys3(SYS_fcntl, fd, F_SETPIPE_SZ, 4 * (long)c->most);
}

/* All that is there fits in, in one piece. */
bool channel_pack(const struct channel *c)
{
	static char bytes[CHANNEL_BYTES];
	uint32_t i = (uint32_t)(c - channels);
	struct rooted r = { .take = descriptor_of(i, true),
			    .add = descriptor_of(i, false),
			    .bytes = bytes };

	if (r.take < 0 || r.add < 0 || held_by(r.take) > sizeof(bytes))
		return false;
	r.channel = &channels[i];
	r.held = empty(c, r.take, bytes, sizeof(bytes));
	fill(&r);
	return true;
}

static void channels_root(void)
{
	ready_root();
	for (uint32_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &channels[i];
		struct rooted r = { .channel = c };
		uint64_t room;

		if (!c->used || c->signals)
			continue;
		r.take = descriptor_of(i, true);
		r.add = descriptor_of(i, false);
		if (r.take < 0 || (r.add < 0 && !c->timer))
			continue;
		room = c->event ? 0 : held_by(r.take);
		if (room)
			r.bytes = map_own(room);
		r.held = empty(c, r.take, r.bytes, room);
		c->state += r.held;
		if (r.add >= 0)
			channel_widen(c, r.add);
		fill(&r);
		root[nrooted++] = r;
	}
}

AT_ROOT(channels_root);

static void channels_reset(void)
{
	for (uint32_t i = 0; i < nrooted; i++) {
		empty(root[i].channel, root[i].take, NULL, 0);
		fill(&root[i]);
	}
}

AT_BEGIN(channels_reset);
