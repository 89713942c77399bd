/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await_told.c - is all told that a thread did between the operations of its window? (A3)
 *
 * What it may do behind an operation is found when that was done (stretch.h). Where that is more than what is told, what it
 * did is known when it is at its next one.
 */
#include "engine/engine.h"
#include "preload/await/arrival.h"
#include "preload/core/context.h"
#include "preload/facts/facts.h"
#include "preload/image/unseen.h"
#include "preload/liveness/stretch.h"

/*
 * Where the program is at op; pc 0: its first function has returned. Then a store is one by an ordinary instruction, which is performed late
 * (explored.c): all that the function did lies in front of it.
 */
static struct arrival arrival_at(const struct op *op)
{
	struct arrival at;

	arrive(&at, op);
	arrival_of_program(&at);
	if (!at.pc && op->kind != OP_END && op->kind != OP_STORE)
		at.pc = op->pc;
	return at;
}

void told_ahead(const struct op *op, struct frames *ahead, enum stretch most)
{
	struct arrival at = arrival_at(op);

	stretch_ahead(ahead, at.pc, at.sp, most);
}

void told_open(struct await *a, struct await_op *r)
{
	told_ahead(&r->op, &a->ahead, STRETCH_TOLD);
	r->stretch = (uint8_t)a->ahead.worst;
	a->open = r->stretch != STRETCH_TOLD;
}

void told_arrival(const struct op *op, struct frames *here)
{
	struct arrival at = arrival_at(op);

	stretch_arrival(here, at.pc, at.sp);
}

enum stretch told_between(const struct frames *ahead, const struct op *op)
{
	struct frames here;

	told_arrival(op, &here);
	return stretch_between(ahead, &here);
}

void told_close(struct await *a, const struct op *op)
{
	struct await_op *last = &a->ops[fiber_self()->self.window - 1];

	a->open = false;
	last->stretch = (uint8_t)told_between(&a->ahead, op);
	if (last->stretch == STRETCH_HIDDEN)
		await_lose_window(fiber_self());
}

bool told_since(const struct await *a, uint32_t r1)
{
	if (r1 >= told_from(a))
		return true;
	if (shared->config.mode == ENGINE_ONLINE)
		return false;
	fact_found(FACT_CODE_UNTOLD);
}
