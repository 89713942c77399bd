/* SPDX-License-Identifier: BSD-2-Clause */
/* hang.c - see hang.h */
#include "preload/loop/hang.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/stack.h"
#include "preload/memory/place.h"
#include "preload/report/bug.h"
#include "preload/step/debugger.h"

/* What the program calls the object. */
static uint64_t waited_for(const struct op *op)
{
	return op->kind == OP_COND_WOKEN && op->expected.lo ? op->expected.lo : op->addr;
}

uint32_t hang_sides(struct bug_side *sides)
{
	uint32_t n = 0;
	struct op op;

	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		if (!fibers[t].alive || !engine_waiting(engine, t, &op))
			continue;
		memset(&sides[n], 0, sizeof(sides[n]));
		sides[n].thread = t;
		sides[n].pc = op.pc;
		sides[n].size = op.size;
		sides[n].blocked_on = (uint8_t)(op.kind + 1);
		sides[n].peer = op.peer;
		if (waited_for(&op))
			sides[n].waits = place_of(waited_for(&op));
		n++;
	}
	return n;
}

/* Who waits for others to end does so as a rule because these wait, and comes behind them; others stay in order. */
static void put_joins_last(struct bug_side *sides, uint32_t n)
{
	uint32_t front = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct bug_side side = sides[i];

		if (side.blocked_on == OP_JOIN + 1)
			continue;
		memmove(&sides[front + 1], &sides[front], (i - front) * sizeof(*sides));
		sides[front++] = side;
	}
}

void hang_bug(const struct engine_outcome *o, struct bug_side *sides, uint32_t n)
{
	bool deadlock = o->ending == END_DEADLOCK;
	struct bug_side first;
	uint32_t kept = 0;

	/* An await is not the business of the threads that wait on locks, and vice versa. */
	for (uint32_t i = 0; i < n; i++) {
		if (deadlock &&
		    (sides[i].blocked_on == OP_STUCK + 1 || sides[i].blocked_on == OP_BLOCK + 1))
			continue;
		sides[kept++] = sides[i];
	}
	for (uint32_t i = 1; i < kept; i++) /* the thread to blame comes first */
		if (sides[i].thread == o->thread) {
			first = sides[i];
			memmove(&sides[1], &sides[0], i * sizeof(*sides));
			sides[0] = first;
		}
	if (deadlock)
		put_joins_last(sides, kept);
	for (uint32_t i = 0; i < kept; i++)
		sides[i].frames = stack_take_of(sides[i].thread, sides[i].frame, SHARED_MAX_FRAMES);
	if (deadlock)
		bug_record(BUG_DEADLOCK, waited_for(&o->waiting),
			   "threads wait for one another for ever", sides, kept);
	else
		bug_record(BUG_AWAIT_STUCK, o->waiting.addr,
			   "a loop never ends: nobody writes any more what it waits for", sides,
			   kept);
	debugger_bug(sides[0].thread);
}
