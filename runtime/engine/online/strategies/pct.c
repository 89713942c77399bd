/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pct.c - strategy `pct:D`: probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010, Algorithm 1)
 *
 * Each thread has a priority, drawn at random; who can move and has the highest, moves. At D - 1 steps, drawn among all k,
 * the thread that moved gets a priority below all that were drawn: the i-th of these steps the i-th lowest. A bug that needs D
 * orderings (its depth) is found by an execution with a probability of at least 1 / (n k^(D - 1)), for n threads.
 *
 * That is said of interleavings. So reads observe the last write (MEMORY_LAST): what only weak memory shows is not found.
 *
 * The bound takes k to be known. It is learned (lengths.h), and only grows for what spins and learns nothing. A thread
 * that goes on and on without news gets the lowest priority of all, or a loop that waits for others would never end.
 */
#include "engine/online/strategies/chooser.h"

static void pct_begin(struct choices *c)
{
	c->ranks.has = (struct thread_set){ 0 };
	c->turn = 0;
	points_draw(&c->points, c->depth - 1, &c->lengths, c->random);
	patience_begin(&c->patience);
}

static uint32_t pct_thread(struct choices *c, const struct thread_set *set, bool first)
{
	(void)first;
	return ranks_highest(&c->ranks, set, c->random);
}

static void pct_happened(struct choices *c, const struct happening *h)
{
	const uint32_t tid = h->ev->tid;
	uint32_t i;

	if (!thread_set_has(&c->ranks.has, tid))
		rank_draw(&c->ranks, tid, c->random);
	if (h->spins)
		return;
	for (i = 0; (i = points_find(&c->points, c->step, i));)
		c->ranks.of[tid] = RANK_POINTS + i;
	if (patience_ends(&c->patience, tid, h->news))
		c->ranks.of[tid] = RANK_POINTS - ++c->turn;
}

const struct chooser chooser_pct = {
	.memory = MEMORY_LAST,
	.begin = pct_begin,
	.thread = pct_thread,
	.happened = pct_happened,
};
