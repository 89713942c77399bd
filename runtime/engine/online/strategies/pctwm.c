/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pctwm.c - strategy `pctwm:D`: probabilistic concurrency testing for weak memory (Gao et al., ASPLOS 2023)
 *
 * A thread on its own sees what it knows already: a read observes the last write that its thread has met (SEES_OWN). At D reads,
 * drawn among all, threads communicate: such a read is put off, behind all other threads that can move, and then observes one of the
 * last writes, as many as the history is long. So a bug that needs D reads to observe what others wrote (its depth) and is
 * shown by each read else seeing what its thread knows, is found with a chance of at least 1 / (k^D h^D), for k reads and a
 * history h, which is drawn for each execution (HISTORY). k is learned (lengths.h).
 *
 * What needs more than D reads that communicate is found where a loop lets nothing else go on: who spins sees the
 * last write in the end (online/polling.h). Writes come last in mo. Under sc, tso and wra, where there is no such view, reads that
 * do not communicate observe the last write.
 */
#include "engine/online/strategies/chooser.h"

#include "engine/run/run.h"

enum {
	HISTORY = 3
};

static void pctwm_begin(struct choices *c)
{
	c->ranks.has = (struct thread_set){ 0 };
	c->turn = 0;
	c->talk = (struct talk){ .history = 1 + prng_below(c->random, HISTORY) };
	points_draw(&c->points, c->depth, &c->reads, c->random);
	patience_begin(&c->patience);
}

/* The thread is about to read, for the first time that this is asked of that read. Is it one to be put off? */
static bool is_put_off(struct choices *c, uint32_t tid)
{
	uint32_t i;

	if (thread_set_has(&c->talk.asked, tid) || !op_reads(&c->e->thread[tid].pending))
		return false;
	thread_set_add(&c->talk.asked, tid);
	i = points_find(&c->points, ++c->talk.reads, 0);
	if (!i)
		return false;
	thread_set_add(&c->talk.sinks, tid);
	c->ranks.of[tid] = RANK_POINTS + i;
	return true;
}

static uint32_t pctwm_thread(struct choices *c, const struct thread_set *set, bool first)
{
	uint32_t tid;

	(void)first;
	do
		tid = ranks_highest(&c->ranks, set, c->random);
	while (is_put_off(c, tid));
	return tid;
}

static enum sees pctwm_sees(struct choices *c, uint32_t tid)
{
	return thread_set_has(&c->talk.sinks, tid) ? SEES_RECENT : SEES_OWN;
}

static void pctwm_happened(struct choices *c, const struct happening *h)
{
	const uint32_t tid = h->ev->tid;

	thread_set_remove(&c->talk.asked, tid);
	thread_set_remove(&c->talk.sinks, tid);
	if (!thread_set_has(&c->ranks.has, tid))
		rank_draw(&c->ranks, tid, c->random);
	if (patience_ends(&c->patience, tid, h->news))
		c->ranks.of[tid] = RANK_POINTS - ++c->turn;
}

static void pctwm_over(struct choices *c)
{
	lengths_note(&c->reads, c->talk.reads);
}

const struct chooser chooser_pctwm = {
	.memory = MEMORY_VIEWS,
	.begin = pctwm_begin,
	.thread = pctwm_thread,
	.sees = pctwm_sees,
	.happened = pctwm_happened,
	.over = pctwm_over,
};
