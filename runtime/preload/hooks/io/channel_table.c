/* SPDX-License-Identifier: BSD-2-Clause */
/* channel_table.c - the channels of the program, and operations on them (see channel_table.h) */
#include "preload/hooks/hook.h"

#include "preload/hooks/io/channel_table.h"

#include "preload/core/lifecycle.h"
#include "preload/hooks/thread/cancel.h"

HEDDLE_IMAGE_SELDOM struct channel channels[CHANNELS + 2 * CHANNEL_ADDRESSES] = { 0 };
HEDDLE_IMAGE_SELDOM struct channel_ends channel_ends[CHANNEL_FDS] = { 0 };

bool channel_has(int fd)
{
	return channel_taken_by(fd) || channel_added_by(fd);
}

bool channel_is_socket(int fd)
{
	const struct channel *take = channel_taken_by(fd), *add = channel_added_by(fd);

	return take && add && take != add;
}

static struct value channel_native_state(uint64_t addr)
{
	return value_of(((const struct channel *)addr)->state);
}

INITIAL_VALUE(channel_native_state, KIND(OP_COUNT_TAKE) | KIND(OP_COUNT_TRYTAKE) |
					    KIND(OP_COUNT_ADD) | KIND(OP_COUNT_TRYADD) |
					    KIND(OP_COUNT_CLOSE) | KIND(OP_COUNT_OPEN) |
					    KIND(OP_COUNT_LOOK) | KIND(OP_COUNT_AWAIT));

struct op_result channel_operate(struct channel *c, struct op op)
{
	struct op_result res;

	op.addr = (uintptr_t)c;
	c->touched = true;
	if (op.kind == OP_COUNT_TAKE || op.kind == OP_COUNT_ADD || op.kind == OP_COUNT_AWAIT)
		op.arg.hi = cancel_location();
	operate(&op, &res);
	if (res.wrote)
		c->state = res.stored.lo;
	return res;
}

uint32_t poll_choose(uint32_t n, uint64_t pc)
{
	struct op op = { .kind = OP_CHOOSE, .fn = 1, .peer = n, .arg = value_of(n), .pc = pc };
	struct op_result res;

	if (n < 2)
		return 0;
	operate(&op, &res);
	return (uint32_t)res.value.lo;
}
