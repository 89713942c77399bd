/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connections.c - sockets that listen, as channels of connections (see channel.h)
 */
#include "preload/hooks/hook.h"

#include <errno.h>

#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/io/socket_timeout.h"

static int fail(int error)
{
	errno = error;
	return -1;
}

enum {
	BACKLOG = 4096
};

static struct channel *queue_of(unsigned place)
{
	return &channels[CHANNELS + 2 * place];
}

static struct channel *name_of(unsigned place)
{
	return &channels[CHANNELS + 2 * place + 1];
}

void channel_address(unsigned place)
{
	*queue_of(place) = (struct channel){
		.state = COUNT_NO_READER, .most = BACKLOG, .used = true, .listens = true
	};
	*name_of(place) = (struct channel){ .most = 1, .used = true };
}

/* Before the root point nobody else is there, and nobody waits. */
static struct op_result operate_alone(struct channel *c, const struct op *op)
{
	struct op_result res = { .value = value_of(c->state), .wrote = true };
	uint64_t n = COUNT_OF(c->state);

	switch (op->kind) {
	case OP_COUNT_OPEN:
		c->state = 0;
		break;
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
		res.wrote = !(c->state & COUNT_NO_READER) && n < c->most;
		c->state += res.wrote;
		break;
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
		res.wrote = n > 0;
		c->state -= res.wrote;
		break;
	default:
		res.wrote = false;
		break;
	}
	return res;
}

/* One more, or one less, or what else the kind says. */
static struct op op_of(const struct channel *c, enum op_kind kind, uint64_t pc)
{
	return (struct op){
		.kind = kind, .pc = pc, .arg = value_of(1), .expected = value_of(c->most)
	};
}

static struct op_result count(struct channel *c, enum op_kind kind, uint64_t pc)
{
	struct op op = op_of(c, kind, pc);

	return under_engine() ? channel_operate(c, op) : operate_alone(c, &op);
}

/* In a hook that was entered: a handler ends the call. */
static struct op_result count_waiting(struct channel *c, enum op_kind kind, uint64_t pc)
{
	enum wait_end end;
	struct op_result res;

	if (!under_engine())
		return count(c, kind, pc);
	res = channel_operate_waiting(c, op_of(c, kind, pc), &end);
	if (end != WAIT_OVER)
		interrupt_ends(-1, EINTR, end == WAIT_RESTARTS, pc);
	return res;
}

bool channel_bind(unsigned place, uint64_t pc)
{
	return count(name_of(place), OP_COUNT_TRYADD, pc).wrote || fail(EADDRINUSE) == 0;
}

bool channel_unbind(unsigned place, uint64_t pc)
{
	return count(name_of(place), OP_COUNT_TRYTAKE, pc).wrote || fail(ENOENT) == 0;
}

bool channel_bound(unsigned place, uint64_t pc)
{
	return COUNT_OF(count(name_of(place), OP_COUNT_LOOK, pc).value.lo) || fail(ENOENT) == 0;
}

/* Whoever connects is no end of it. */
bool channel_listen(int fd, unsigned place, uint64_t pc)
{
	struct channel *c = queue_of(place);

	count(c, OP_COUNT_OPEN, pc);
	if (c->readers || fd >= CHANNEL_FDS)
		return false;
	c->readers = c->writers = 1;
	channel_ends[fd].take = (uint16_t)(c - channels + 1);
	socket_forget_timeouts(c);
	socket_gets_timeouts(fd);
	ready_changed(fd);
	return true;
}

bool channel_listens(int fd)
{
	const struct channel *c = channel_taken_by(fd);

	return c && c->listens;
}

unsigned channel_place(int fd)
{
	return (channel_ends[fd].take - 1u - CHANNELS) / 2;
}

bool channel_add_connection(unsigned place, bool never_waits, uint64_t pc)
{
	enum op_kind kind = never_waits ? OP_COUNT_TRYADD : OP_COUNT_ADD;
	struct op_result res = count_waiting(queue_of(place), kind, pc);

	return res.wrote || fail(res.value.lo & COUNT_NO_READER ? ECONNREFUSED : EAGAIN) == 0;
}

void channel_connected(unsigned place, uint64_t pc)
{
	wake(queue_of(place), READY_KEY_IN, pc);
}

/* Who shut down what it listens at is told so. */
bool channel_take_connection(int fd, uint64_t pc)
{
	enum op_kind kind = channel_waits(fd, false) ? OP_COUNT_TAKE : OP_COUNT_TRYTAKE;
	struct op_result res = count_waiting(channel_taken_by(fd), kind, pc);

	if (res.wrote)
		return true;
	if (res.value.lo & COUNT_NO_WRITER)
		fail(EINVAL);
	else
		channel_again(channel_taken_by(fd), pc);
	return false;
}
