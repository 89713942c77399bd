/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.c - the strategy that repeats one recorded execution
 *
 * Steps happen in the recorded order, each by the recorded thread; reads observe what they
 * observed. Anything else the program does is wrong (it is not deterministic, or not the
 * program recorded). After the last step every thread goes on to its next operation and
 * waits there, so that the end can be judged as it was when exploring. With config.go_on the
 * execution has no end there, but is brought to one at random.
 */
#include <string.h>

#include "engine/explore/explore.h"
#include "engine/explore/strategy.h"

static void replay_begin(struct engine *e)
{
	graph_truncate(&e->graph, 0);
	e->nthreads = 1;
	e->replay_at = 0;
	memset(e->own_next, 0, sizeof(e->own_next));
	e->picked = NO_POS;
	e->random = e->config.go_on;
}

static const struct engine_step_record *next_step(const struct engine *e)
{
	return e->replay_at < e->config.replay_len ? &e->config.replay[e->replay_at] : NULL;
}

static int replay_pick(struct engine *e)
{
	const struct engine_step_record *s = next_step(e);

	if (!s)
		return e->config.go_on ? go_on_pick(e) : ENGINE_OVER;
	if (s->tid >= e->nthreads || e->thread[s->tid].state != THREAD_WAITS) {
		engine_wrong(e, s->tid < HEDDLE_MAX_THREADS ? s->tid : 0,
			     "is not there to make its next step", NULL);
		return ENGINE_OVER;
	}
	return (int)s->tid;
}

size_t engine_replayed(const struct engine *e)
{
	return e->replay_at;
}

const struct engine_step_record *engine_next_recorded(const struct engine *e)
{
	return next_step(e);
}

/* The place of the write that a recorded read observes, or RF_NONE when there is none. */
static uint32_t recorded_source(const struct engine *e, const struct engine_step_record *s)
{
	if (s->rf_tid == -1)
		return RF_INIT;
	if (s->rf_tid < 0 || (uint32_t)s->rf_tid >= e->nthreads ||
	    s->rf_index >= e->thread[s->rf_tid].steps)
		return RF_NONE;
	uint32_t pos = e->step_at[s->rf_tid][s->rf_index];
	const struct event *ev = &e->graph.ev[pos];

	if (pos == NO_POS)
		return RF_NONE;
	/* A step that reads and writes stands for both its events. */
	if ((ev->flags & EV_EXCLUSIVE) && !(ev->flags & EV_WRITE))
		pos = e->graph.at[ev->tid][ev->index + 1];
	return pos;
}

static enum step_status replay_read(struct engine *e, uint32_t tid, const struct op *op,
				    const struct engine_step_record *s)
{
	struct graph *g = &e->graph;
	uint32_t rf = recorded_source(e, s), pos;
	enum guard guard;

	pos = run_add_read(e, tid, op);
	if (rf == RF_NONE ||
	    (rf != RF_INIT && (!(g->ev[rf].flags & EV_WRITE) || g->ev[rf].loc != g->ev[pos].loc))) {
		graph_truncate(g, pos);
		engine_wrong(e, tid, "reads from something that is no write of its location", op);
		return STEP_WRONG;
	}
	guard = run_set_read(e, pos, rf, s->choice);
	if (guard == GUARD_WRITES)
		run_add_write_part(e, pos);
	if (guard != GUARD_BLOCKS && (guard == GUARD_WRITES) == !!(s->flags & STEP_WROTE))
		return STEP_DONE;
	engine_wrong(e, tid, "reads a value other than the recorded one", op);
	return STEP_WRONG;
}

static enum step_status replay_add(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct engine_step_record *s = next_step(e);
	uint32_t pos;

	if (!s && e->config.go_on) {
		go_on_add(e, tid, op);
		return STEP_DONE;
	}
	if (!s || s->kind != op->kind || s->size != op->size) {
		engine_wrong(e, tid, "does something else than recorded", op);
		return STEP_WRONG;
	}
	if (op_reads(op))
		return replay_read(e, tid, op, s);
	if (op->kind == OP_CREATE)
		e->name[s->peer < HEDDLE_MAX_THREADS ? s->peer : 0] =
			(struct thread_name){ .parent = tid, .rank = e->thread[tid].created };
	if ((op->kind == OP_JOIN || op->kind == OP_COND_WOKEN || op->kind == OP_BARRIER_PASS) &&
	    !run_enabled(e, tid)) {
		engine_wrong(e, tid, "waits for something that has not happened", op);
		return STEP_WRONG;
	}
	pos = run_add_simple(e, tid, op);
	if (op->kind == OP_CHOOSE)
		run_choose(e, pos, s->choice < op->peer ? s->choice : 0);
	return STEP_DONE;
}

static bool replay_again(struct engine *e, struct engine_outcome *outcome)
{
	(void)e;
	(void)outcome;
	return false;
}

const struct strategy strategy_replay = {
	.begin = replay_begin,
	.pick = replay_pick,
	.add = replay_add,
	.again = replay_again,
};
