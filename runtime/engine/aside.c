/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aside.c - threads that let others go first
 *
 * A yield is no event. Most are of no use here, since threads that wait for a value are known
 * (run/await.c), but a loop that looks at what no operation tells of (a variable of a program
 * that is not instrumented, or a plain one) would go round for ever while the thread that is to
 * change it stands still. So a thread that yields (the target decides which of its yields count)
 * is aside (it has the lowest priority): it goes on when no other thread can, and of several the
 * one that has been aside for longest. An exit comes after all of them, as after all other operations
 * (at random but for those that go on for long).
 *
 * When the target finds that the threads aside only repeat themselves, it says so
 * (engine_idle()): they stay where they are, and that is judged as the end of the execution.
 *
 * In random testing that is so when the target asks for it (engine_let_go()). Else a yield only is a place
 * where another thread may be drawn, and so is one of a thread that is aside when that ends.
 *
 * When a thread goes on is a function of the graph and its own operations: it is asked for its
 * next operation when nobody else has one.
 */
#include "engine/aside.h"

#include "engine/engine.h"
#include "engine/online/online.h"
#include "engine/run/run.h"
#include "engine/stops.h"

static uint32_t longest_aside(const struct engine *e)
{
	uint32_t found = thread_set_first(&e->aside);

	THREAD_SET_EACH(t, &e->aside)
		if (e->thread[t].aside_at < e->thread[found].aside_at)
			found = t;
	return found;
}

int aside_turn_of(const struct engine *e, int picked)
{
	if (is_recorded(e) || around_follows(e) || e->idle || e->restart || e->rerun ||
	    e->dead_end || e->wrong || (e->online && e->online->exit == EXIT_NOW))
		return picked;
	if (picked == ENGINE_OVER || is_aside(e, (uint32_t)picked) || e->last_looks ||
	    e->thread[picked].pending.kind == OP_EXIT)
		return (int)longest_aside(e);
	return picked;
}

enum step_status aside_step(struct engine *e, uint32_t tid, const struct op *op,
			    struct op_result *r)
{
	struct thread *th = &e->thread[tid];

	if (!is_aside(e, tid)) {
		th->pending = *op;
		run_count_yield(e);
		th->aside_at = e->yields;
		thread_becomes(e, tid, THREAD_WAITS);
		if (e->online)
			online_comes(e->online, tid, op);
		thread_set_add(&e->aside, tid);
		if (run_is_cut(e)) {
			e->limited = true;
			return STEP_CUT;
		}
	}
	if (engine_next(e) != (int)tid)
		return STEP_WAIT;
	thread_set_remove(&e->aside, tid);
	thread_becomes(e, tid, THREAD_RUNS);
	*r = (struct op_result){ 0 };
	stops_end(e, tid, op);
	return STEP_DONE;
}

void engine_idle(struct engine *e)
{
	e->idle = true;
}

void engine_let_go(struct engine *e, bool on)
{
	e->lets_go = on;
	if (!on)
		e->aside = (struct thread_set){ 0 };
}

uint64_t engine_progress(const struct engine *e)
{
	return e->ran_before + e->nran;
}
