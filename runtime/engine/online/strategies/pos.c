/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pos.c - strategy `pos`: partial order sampling (Yuan, Yang and Gu, CAV 2018, Algorithm 2)
 *
 * Each operation that is next in its thread has a priority, drawn at random; the highest happens. Those that it
 * conflicts with get new ones. So who wins a race says nothing of who wins the next one, and orders of
 * operations that do not conflict cost nothing.
 *
 * Who got a low priority, and conflicts with nobody, may wait for long while others spin. So all are drawn anew when
 * a thread has done much without news.
 */
#include "engine/online/strategies/chooser.h"

static void pos_begin(struct choices *c)
{
	c->ranks.has = 0;
	patience_begin(&c->patience);
}

static uint32_t pos_thread(struct choices *c, uint64_t set, bool first)
{
	(void)first;
	return ranks_highest(&c->ranks, set, c->random);
}

static bool may_write(unsigned kind)
{
	return kind != OP_LOAD && kind != OP_COUNT_LOOK && kind != OP_COUNT_AWAIT;
}

/* Do they touch a byte together, and may one of them write there? */
static bool conflicts(const struct graph *g, const struct event *ev, const struct op *op)
{
	uint64_t addr;

	if (ev->loc == NO_LOC || !op->addr || (!may_write(ev->kind) && !may_write(op->kind)))
		return false;
	addr = g->locs[ev->loc].addr;
	return addr == op->addr || (addr < op->addr + op->size && op->addr < addr + ev->size);
}

static void pos_happened(struct choices *c, const struct happening *h)
{
	const struct engine *e = c->e;

	c->ranks.has &= ~((uint64_t)1 << h->ev->tid);
	if (patience_ends(&c->patience, h->ev->tid, h->news))
		c->ranks.has = 0;
	for (uint64_t set = e->waiting & c->ranks.has; set;) {
		uint32_t tid = thread_of_set(&set);

		if (conflicts(&e->graph, h->ev, &e->thread[tid].pending))
			c->ranks.has &= ~((uint64_t)1 << tid);
	}
}

const struct chooser chooser_pos = {
	.memory = MEMORY_ANY,
	.begin = pos_begin,
	.thread = pos_thread,
	.happened = pos_happened,
};
