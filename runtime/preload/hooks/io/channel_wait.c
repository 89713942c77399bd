/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel_wait.c - operations on channels for which a thread may wait
 *
 * A handler may come while it waits. At a socket the time may be over (SO_RCVTIMEO, SO_SNDTIMEO): then the thread tries;
 * and where that is in vain it is a choice whether it waits until there is something, and tries again, or the
 * time passes. An execution in which it waits for what never comes is none, as in poll().
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>

#include "preload/core/sys.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/world/elapsed.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

bool channel_waits(int fd, bool never)
{
	return !never && !(sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK);
}

ssize_t channel_again(const struct channel *c, uint64_t pc)
{
	asked_in_vain(c, pc);
	errno = EAGAIN;
	return -1;
}

static bool has_ended(const struct op *op, const struct op_result *res)
{
	return res->value.lo & (op->kind == OP_COUNT_TRYTAKE ? COUNT_NO_WRITER : COUNT_NO_READER);
}

/* Until it can be done: as much fits as is to be added. */
static void await(struct channel *c, const struct op *op)
{
	bool takes = op->kind == OP_COUNT_TRYTAKE;
	struct op wait = { .kind = OP_COUNT_AWAIT,
			   .peer = AWAIT_TIMED,
			   .pc = op->pc,
			   .arg = value_of(takes ? COUNT_READABLE : COUNT_WRITABLE),
			   .expected = value_of(c->most) };

	if (!takes)
		wait.expected.lo -= op->arg.lo - 1;
	channel_operate(c, wait);
}

/* op is the one that tries. */
static struct op_result operate_timed(struct channel *c, struct op op, int64_t us,
				      enum wait_end *end)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	uint64_t until = us < 0 ? 0 : time_end_ns(&t, false, CLOCK_MONOTONIC);
	struct op_result res = channel_operate(c, op);

	while (!res.wrote && !has_ended(&op, &res) && us != WAITS_NOT_AT_ALL) {
		if (interrupt_comes(op.pc)) {
			*end = WAIT_ENDS;
			break;
		}
		if (channel_choose(2, op.pc)) {
			if (time_rings(until, op.pc) != RING_NONE) {
				*end = WAIT_ENDS;
				break;
			}
			if (!current->probing)
				elapsed_until(until);
			timed_out(CLOCK_MONOTONIC, NULL, op.pc);
			break;
		}
		await(c, &op);
		res = channel_operate(c, op);
	}
	return res;
}

struct op_result channel_operate_waiting(struct channel *c, struct op op, enum wait_end *end)
{
	bool takes = op.kind == OP_COUNT_TAKE;
	struct op_result res;
	int64_t us;

	*end = WAIT_OVER;
	if (!takes && op.kind != OP_COUNT_ADD)
		return channel_operate(c, op);
	us = socket_waits_us(c, !takes);
	if (us == WAITS_FOR_EVER && !interrupt_comes(op.pc))
		return channel_operate(c, op);
	op.kind = takes ? OP_COUNT_TRYTAKE : OP_COUNT_TRYADD;
	if (us != WAITS_FOR_EVER)
		return operate_timed(c, op, us, end);
	res = channel_operate(c, op);
	if (!res.wrote && !has_ended(&op, &res))
		*end = WAIT_RESTARTS;
	else
		interrupt_too_early(op.pc);
	return res;
}
