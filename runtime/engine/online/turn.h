/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turn.h - whose turn it is next in a random execution, where there is nothing to look after
 *
 * Callers: engine.c; strategy.c has the rest.
 */
#ifndef HEDDLE_ENGINE_ONLINE_TURN_H
#define HEDDLE_ENGINE_ONLINE_TURN_H

#include "engine/explore/strategy.h"
#include "engine/online/online.h"
#include "engine/run/run.h"

/* The strategy has chosen a thread of all that wait, and that one cannot move: whom of the others? Or ENGINE_OVER. */
int turn_of_another(struct engine *e, uint32_t unable);

/* As strategy_online.pick, when a thread has come with an access to memory, and so waits. */
static inline int turn_draw(struct engine *e)
{
	struct online *on = e->online;
	struct choices *c = &on->choices;
	uint32_t tid;

	if (e->picked != NO_POS || on->midway || e->graph.n >= on->giving.at ||
	    thread_set_any(&on->polling.aside) || thread_set_any(&e->aside) || guide_is(&on->guide))
		return strategy_online.pick(e);
	tid = c->chooser->thread(c, &e->waiting, true);
	if (!online_able(e, tid))
		return turn_of_another(e, tid);
	e->picked = tid;
	return (int)tid;
}

/*
 * Does the thread wait in this access to memory, and was it drawn at random to do it? Nothing has happened since: it has
 * the turn until it has done something.
 */
static inline bool turn_is_of(const struct engine *e, uint32_t tid, const struct op *op)
{
	return e->picked == tid && e->thread[tid].state == THREAD_WAITS &&
	       op->kind == e->thread[tid].pending.kind && op->addr == e->thread[tid].pending.addr &&
	       !thread_set_any(&e->aside);
}

/* At random: has a thread been drawn to access memory, and has nothing happened since? */
static inline bool turn_was_given(const struct engine *e)
{
	return e->online && e->picked != NO_POS && e->thread[e->picked].state == THREAD_WAITS &&
	       e->thread[e->picked].pending.kind <= OP_FENCE && !thread_set_any(&e->aside);
}

/* In random testing, where nothing is repeated, with an access to memory or a fence: it waits until it is drawn. Who is, now? */
static inline int turn_comes(struct engine *e, uint32_t tid, const struct op *op)
{
	struct thread *th = &e->thread[tid];

#ifdef HEDDLE_CHECKS
	must(!e->repeating && e->done[tid] == e->graph.count[tid]);
#endif
	if (op->addr) {
		th->loc = graph_location(&e->graph, op->addr, op->size);
		run_meet_at(e, op, th->loc);
	}
	th->pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	online_comes(e->online, tid, op);
	return turn_draw(e);
}

#endif
