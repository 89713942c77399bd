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

void pos_begin(struct choices *c)
{
	c->ranks.has = (struct thread_set){ 0 };
	patience_begin(&c->patience);
}

static uint32_t pos_thread(struct choices *c, const struct thread_set *set, bool first)
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

void pos_happened(struct choices *c, const struct happening *h)
{
	const struct engine *e = c->e;

	thread_set_remove(&c->ranks.has, h->ev->tid);
	if (patience_ends(&c->patience, h->ev->tid, h->news))
		c->ranks.has = (struct thread_set){ 0 };
	THREAD_SET_EACH(tid, &e->waiting)
		if (thread_set_has(&c->ranks.has, tid) &&
		    conflicts(&e->graph, h->ev, &e->thread[tid].pending))
			thread_set_remove(&c->ranks.has, tid);
}

const struct chooser chooser_pos = {
	.memory = MEMORY_ANY,
	.begin = pos_begin,
	.thread = pos_thread,
	.happened = pos_happened,
};
