/* SPDX-License-Identifier: BSD-2-Clause */
/* rounds_left_out.c - see rounds_left_out.h */
#include "preload/await/rounds_left_out.h"

#include "preload/await/await.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/race/shadow.h"

void rounds_touch(uint64_t addr, uint64_t size, bool write)
{
	struct self *me = current;
	const struct touch *last = &me->touch[me->ntouch] - 1;

	if (!me->touch)
		return;
	if (me->ntouch && last->addr == addr && last->size >= size && last->write >= write &&
	    last->behind == me->window)
		return;
	if (me->ntouch == TOUCHES || size > UINT32_MAX) {
		await_lose_window(fiber_self());
		return;
	}
	me->touch[me->ntouch++] = (struct touch){
		.addr = addr,
		.size = (uint32_t)size,
		.behind = (uint16_t)me->window,
		.write = write,
	};
}

static bool holds(const struct touch *t, uint64_t addr, uint64_t size, bool write)
{
	return addr - t->addr < t->size && addr - t->addr + size <= t->size && t->write >= write;
}

/* Has the thread done that before operation `from`, and released nothing since? */
static bool done_before(const struct await *a, uint32_t from, uint64_t addr, uint64_t size,
			bool write)
{
	const struct self *me = current;

	for (uint32_t i = 0; i < me->ntouch && me->touch[i].behind <= from && !a->released; i++)
		if (holds(&me->touch[i], addr, size, write))
			return true;
	return false;
}

static bool looked_before(const struct await *a, uint32_t from, uint64_t addr)
{
	for (uint32_t i = 0; i <= from; i++)
		if (a->ops[i].reads && a->ops[i].op.addr == addr)
			return true;
	return false;
}

/* Calls fn with each granule of an access; stops at the first for which it returns false. */
static bool each_granule(uint64_t addr, uint64_t size, bool write, bool plain,
			 bool (*fn)(const struct round_part *p))
{
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8)
		if (!fn(&(struct round_part){ g, race_bytes(g, addr, addr + size), write, plain }))
			return false;
	return true;
}

/* What the last run from an earlier operation did. */
static struct touch again[TOUCHES];
FRESH(again);
static uint32_t nagain;
FRESH(nagain);

void rounds_run_begins(void)
{
	nagain = 0;
}

void rounds_again(uint64_t addr, uint64_t size, bool write)
{
	if (nagain < TOUCHES && size <= UINT32_MAX)
		again[nagain++] =
			(struct touch){ .addr = addr, .size = (uint32_t)size, .write = write };
}

static bool is_done_again(const struct touch *t)
{
	for (uint32_t i = 0; i < nagain; i++)
		if (holds(&again[i], t->addr, t->size, t->write))
			return true;
	return false;
}

bool rounds_each_left_out(const struct await *a, uint32_t from, uint32_t to, uint32_t end,
			  bool (*fn)(const struct round_part *p))
{
	for (uint32_t i = 0; i < current->ntouch; i++) {
		const struct touch *t = &current->touch[i];

		if (t->behind > from && t->behind <= end && !(t->behind > to && is_done_again(t)) &&
		    !done_before(a, from, t->addr, t->size, t->write) &&
		    !each_granule(t->addr, t->size, t->write, true, fn))
			return false;
	}
	for (uint32_t i = 0; !from && to > 1 && i < a->passed.nplaces; i++) {
		const uint64_t addr = a->passed.place[i].addr;

		if (!looked_before(a, from, addr) &&
		    !each_granule(addr, a->passed.place[i].size, false, false, fn))
			return false;
	}
	for (uint32_t i = from + 1; i < to; i++) {
		const struct op *op = &a->ops[i].op;

		if (op->size && !looked_before(a, from, op->addr) &&
		    !each_granule(op->addr, op->size, false, false, fn))
			return false;
	}
	return true;
}
