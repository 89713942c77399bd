/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel_table.c - see channel_table.h
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/io/channel_table.h"

#include "preload/core/kin.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/hooks/signal/signal_send.h"
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

void channels_before_fork(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++)
		channels[i].inherited |= channels[i].used;
}

/*
 * What a process that lives adds or takes is in no execution, so there is nothing to be said of those who look at what is
 * there, or wait for room. To add is all right: who takes that is the other process's business.
 */
static struct op inherited(const struct channel *c, struct op op, bool *may_be_full)
{
	if (!c->inherited || c->signals || !kin_any || !kin_lives())
		return op;
	*may_be_full = op.kind == OP_COUNT_ADD || op.kind == OP_COUNT_TRYADD;
	if (*may_be_full)
		op.kind = OP_COUNT_TRYADD;
	else if (op.kind != OP_COUNT_CLOSE && op.kind != OP_COUNT_OPEN)
		kin_refuses(
			"reads from a pipe or socket of several processes, or looks at one, after it created a thread",
			"read before that, or let threads of one process use it");
	return op;
}

static heddle_noreturn void refuse_directed(void)
{
	refuse("the program waits with poll(), select() or epoll for a descriptor of signals "
	       "(signalfd), and one of these is sent to a thread: send it to the process, with "
	       "kill()",
	       NULL);
}

void channel_directed(struct channel *c)
{
	c->directed = true;
	if (c->looked)
		refuse_directed();
}

/* What is pending for a thread is there for that one alone. */
void channel_asked(struct channel *c)
{
	if (!c->signals)
		return;
	signal_only_from_threads();
	c->looked = true;
	if (c->directed)
		refuse_directed();
}

static bool is_full(const struct op_result *res)
{
	return !res->wrote && !(res->value.lo & COUNT_NO_READER);
}

struct op_result channel_operate(struct channel *c, struct op op)
{
	bool may_be_full = false;
	struct op_result res;

	op = inherited(c, op, &may_be_full);
	op.addr = (uintptr_t)c;
	c->touched = true;
	if (op.kind == OP_COUNT_TAKE || op.kind == OP_COUNT_ADD || op.kind == OP_COUNT_AWAIT)
		op.arg.hi = cancel_location();
	operate(&op, &res);
	if (may_be_full && is_full(&res))
		kin_refuses("fills a pipe or socket of several processes after it created a thread",
			    "let threads of one process use it");
	if (res.wrote)
		c->state = res.stored.lo;
	return res;
}

uint32_t channel_choose(uint32_t n, uint64_t pc)
{
	struct op op = {
		.kind = OP_CHOOSE, .fn = CHOOSE_ENDS, .peer = n, .arg = value_of(n), .pc = pc
	};
	struct op_result res;

	if (n < 2)
		return 0;
	operate(&op, &res);
	return (uint32_t)res.value.lo;
}
