/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay.c - strategy `delay:D`: delay-bounded scheduling (Emmi, Qadeer and Rakamaric, POPL 2011), at random
 *
 * Threads run one after the other, by their numbers and round again, each until it cannot go on. At D steps, drawn among all,
 * the thread that moved is delayed: the next one has its turn. With D = 0 there is one execution. Reads observe the last write.
 */
#include "engine/online/strategies/chooser.h"

static void delay_begin(struct choices *c)
{
	c->turn = c->skips = 0;
	points_draw(&c->points, c->depth, &c->lengths, c->random);
	patience_begin(&c->patience);
}

/* The next one behind it that is in the set, or the first. */
static uint32_t next_of(const struct thread_set *set, uint32_t tid)
{
	uint32_t next = thread_set_next(set, tid + 1);

	return next < HEDDLE_MAX_THREADS ? next : thread_set_first(set);
}

static uint32_t delay_thread(struct choices *c, const struct thread_set *set, bool first)
{
	(void)first;
	for (; c->skips; c->skips--)
		c->turn = next_of(set, c->turn);
	if (!thread_set_has(set, c->turn))
		c->turn = next_of(set, c->turn);
	return c->turn;
}

static void delay_happened(struct choices *c, const struct happening *h)
{
	uint32_t i;

	if (h->spins)
		return;
	c->turn = h->ev->tid;
	for (i = 0; (i = points_find(&c->points, c->step, i));)
		c->skips++;
	c->skips += patience_ends(&c->patience, c->turn, h->news);
}

const struct chooser chooser_delay = {
	.memory = MEMORY_LAST,
	.begin = delay_begin,
	.thread = delay_thread,
	.happened = delay_happened,
};
