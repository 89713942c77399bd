/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strategy.c - the strategy of random testing
 *
 * The next thread is any of those that can move, each as likely as the others; what it does is
 * drawn from all that the model lets it do (online.h). Execution i of a session draws from a generator seeded by the
 * session's seed and i, so each can be repeated alone.
 */
#include "engine/explore/strategy.h"

#include "base/prng.h"
#include "engine/online/online.h"
#include "engine/online/sets.h"
#include "engine/run/run.h"

static void online_begin(struct engine *e)
{
	uint64_t mix = e->config.seed ^ (e->run - e->first_run) * 0x9e3779b97f4a7c15u;

	graph_truncate(&e->graph, 0);
	e->nthreads = 1;
	e->picked = NO_POS;
	e->seed = e->config.seed;
	e->random = prng_next(&mix);
	online_restart(e);
	if (guide_is(&e->online->guide))
		guide_begin(e);
}

/*
 * Threads that are drawn anew for each operation seldom get far while others stand still. So there are executions, too,
 * in which the thread that moved last often goes on.
 */
static bool goes_on(struct engine *e)
{
	const struct online *on = e->online;

	return on->stays && on->moved != NO_POS && e->thread[on->moved].state == THREAD_WAITS &&
	       !is_aside(e, on->moved) && prng_below(&e->random, 16) < on->stays &&
	       online_able(e, on->moved);
}

static int draw_thread(struct engine *e)
{
	uint64_t set = e->waiting & ~e->aside;
	int guided = guide_is(&e->online->guide) ? guide_pick(e) : ENGINE_OVER;

	if (guided != ENGINE_OVER)
		return guided;
	if (goes_on(e))
		return (int)e->online->moved;
	while (set) {
		uint32_t tid = set_draw(set, &e->random);

		if (online_able(e, tid))
			return (int)tid;
		set &= ~((uint64_t)1 << tid);
	}
	return ENGINE_OVER;
}

/* A thread that was drawn has its turn until it has done something: to draw again would change nothing. */
static int online_pick(struct engine *e)
{
	int tid;

	if (e->picked != NO_POS && !is_aside(e, e->picked) &&
	    e->thread[e->picked].state == THREAD_WAITS && online_able(e, e->picked))
		return (int)e->picked;
	tid = draw_thread(e);
	if (tid == ENGINE_OVER && online_wait(e))
		tid = draw_thread(e);
	e->picked = tid == ENGINE_OVER ? NO_POS : (uint32_t)tid;
	return tid == ENGINE_OVER ? run_exit(e) : tid;
}

static enum step_status online_add(struct engine *e, uint32_t tid, const struct op *op)
{
	const uint32_t pos = e->graph.n;

	/* Whoever came between would make it an execution that is none. */
	e->picked = op->kind == OP_FUTEX_LOOK || (op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX)
			    ? tid
			    : NO_POS;
	e->online->moved = tid;
	online_happens(e, tid, op);
	if (guide_is(&e->online->guide))
		guide_happened(e, tid, pos);
	return STEP_DONE;
}

static bool online_again(struct engine *e, struct engine_outcome *outcome)
{
	(void)e;
	(void)outcome;
	return true; /* until max_executions, or the caller has enough */
}

const struct strategy strategy_online = {
	.begin = online_begin,
	.pick = online_pick,
	.add = online_add,
	.again = online_again,
};
