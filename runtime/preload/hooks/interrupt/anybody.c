/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * anybody.c - who takes a signal that a thread sends the process without blocking it
 *
 * If other threads do not block it either, any of them may take it, at any time later; if it ends, or blocks the signal, before that,
 * the signal is for those who are left (POSIX, kill() and "Signal Generation and Delivery"). So it is chosen whether the sender takes it at once. If it does
 * not, the signal is pending for the process, and the bells of all others are rung (interrupt.c). That of the sender is not, or it would be first: it is
 * rung by a thread that leaves the signal to others, as it blocks it or ends. Whether there still is one then is found out by who hears the bell.
 *
 * It may be left to others only if one of these could have it when it is sent: whose creation the sender knows of (as in timers_ring.c), and which did not block the signal
 * behind all operations that the sender knows of. It is possible then that this thread has done no more so far. Which of them are known is the
 * same each time that the graph up to there is, so all changes of masks are kept, with how many operations their thread had done.
 * A thread of which that is not known may be another one's that could have had it: that is not explored.
 *
 * That bells are rung again costs operations. So a thread does that only for signals of which it is known that they were sent so (FACT_ANYBODY).
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/interrupt/anybody.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/interrupt.h"

enum {
	CHANGES =
		64 /* of a thread's mask in an execution; behind them it counts as one that blocks all */
};

/* By whom, behind how many of its operations, and what is blocked from there on. */
static struct change {
	uint32_t by, from;
	uint64_t blocked;
} changes[HEDDLE_MAX_THREADS][CHANGES];
FRESH(changes);
static uint64_t nchanges[HEDDLE_MAX_THREADS];
FRESH(nchanges);

static void forget(void)
{
	memset(nchanges, 0, sizeof(nchanges));
	changes[0][nchanges[0]++] = (struct change){ .blocked = signal_blocked() };
}

AT_BEGIN(forget);

static void change(uint32_t tid, uint64_t blocked)
{
	uint64_t *n = &nchanges[tid];
	struct change *c = &changes[tid][*n];

	if (*n == CHANGES)
		return;
	note_plain_write((uintptr_t)c, sizeof(*c));
	*c = (struct change){
		.by = self_id(),
		.from = engine_done(engine, self_id()),
		.blocked = *n + 1 < CHANGES ? blocked : UINT64_MAX,
	};
	write_noted(n, *n + 1);
}

void anybody_begins(uint32_t tid, uint64_t blocked)
{
	change(tid, blocked);
}

void anybody_blocks(uint64_t blocked)
{
	change(self_id(), blocked);
}

/* What the thread blocks behind all that the caller knows. */
static uint64_t known_to_block(uint32_t tid)
{
	const uint32_t *events = engine_porf(engine, self_id());
	uint64_t blocked = UINT64_MAX;

	for (uint32_t i = 0; i < nchanges[tid]; i++) {
		const struct change *c = &changes[tid][i];
		const bool is_own = i && c->by == tid; /* else it came with an operation */

		if (c->by == self_id() || c->from + is_own <= events[c->by])
			blocked = c->blocked;
	}
	return blocked;
}

bool anybody_else(int sig)
{
	values_give_up("signals are sent"); /* what it knows of is no value */
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (t != self_id() && !(known_to_block(t) & signal_bit(sig)))
			return true;
	return false;
}

bool anybody_takes(int sig, uint64_t pc)
{
	struct op op = { .kind = OP_CHOOSE, .peer = 2, .pc = pc };
	struct op_result res;

	if (!(facts->anybody & signal_bit(sig))) {
		if (shared->config.mode == ENGINE_REPLAY)
			return false;
		fact_learn_of_signal(FACT_ANYBODY, sig);
		repeat_execution();
	}
	operate(&op, &res);
	return res.value.lo;
}

void anybody_rings(int sig, uint64_t pc)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (t != self_id())
			interrupt_ring(t, sig, pc);
}

void anybody_leaves(uint64_t bits)
{
	for (bits &= facts->anybody; bits; bits &= bits - 1)
		anybody_rings(__builtin_ctzl(bits) + 1, progress->op_pc);
}
