/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * even.c - strategy `even`: threads keep step
 *
 * Of those that can move, one that has done the fewest operations moves; which one, is drawn. So threads that do the same
 * come to the same place together, however many they are. (Drawn one by one, n threads that each take a lock and
 * then that of the next one all stand between the two with a chance that falls exponentially in n.) Who has waited
 * catches up first. A new thread begins where its creator is, and to create one does not count: so all that one thread
 * creates in a row begin together.
 *
 * Of mix some executions have D = 2: each thread has a pace of its own, drawn from 1, 2, ..., 2^D, and an operation of it counts
 * that often. So threads do not come to the same place together, but what is drawn is one number for each thread and not one
 * for each operation: that one of them is far ahead where another one only begins is likely.
 *
 * Each second read, as it is drawn, observes what its thread knows already (SEES_OWN), the others whatever the model lets them:
 * threads in step that do not see each other are what a missing fence shows by. But a thread that can move never falls behind
 * the others by more, so executions are left out. Who goes on and on gets ahead, and so keeps nobody waiting.
 *
 * In step, two threads may give way to each other for ever (std::scoped_lock(m, n) beside (n, m)). So behind each STUMBLES operations of
 * an execution the one that has just moved is put back by some.
 */
#include "engine/online/strategies/chooser.h"

#include "base/prng.h"
#include "engine/run/sets.h"

enum {
	STUMBLES = 1000,
	BY = 64 /* less than so many operations */
};

static uint32_t draw_pace(struct choices *c)
{
	return c->depth ? 1u << prng_below(c->random, c->depth + 1) : 1;
}

static void even_begin(struct choices *c)
{
	c->done[0] = 0;
	c->pace[0] = draw_pace(c);
}

static uint32_t even_thread(struct choices *c, const struct thread_set *set, bool first)
{
	struct thread_set last = { 0 };
	uint64_t fewest = UINT64_MAX;

	(void)first;
	THREAD_SET_EACH(tid, set) {
		if (c->done[tid] < fewest) {
			fewest = c->done[tid];
			last = (struct thread_set){ 0 };
		}
		if (c->done[tid] == fewest)
			thread_set_add(&last, tid);
	}
	return set_draw(&last, c->random);
}

static void even_happened(struct choices *c, const struct happening *h)
{
	const struct event *ev = h->ev;

	if (ev->kind == OP_CREATE) {
		c->done[ev->peer] = c->done[ev->tid];
		c->pace[ev->peer] = draw_pace(c);
	} else {
		c->done[ev->tid] += c->pace[ev->tid];
	}
	if (c->step && c->step % STUMBLES == 0)
		c->done[ev->tid] += prng_below(c->random, BY);
}

static enum sees even_sees(struct choices *c, uint32_t tid)
{
	(void)tid;
	return prng_below(c->random, 2) ? SEES_OWN : SEES_ANY;
}

const struct chooser chooser_even = {
	.memory = MEMORY_ANY,
	.begin = even_begin,
	.thread = even_thread,
	.sees = even_sees,
	.happened = even_happened,
};
