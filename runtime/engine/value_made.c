/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * value_made.c - an execution that is over by what is known of its threads is made without the program
 *
 * The graph is there, and where each thread stands is known (known.h). What is to be asked of the execution is asked of that. Where the answer is to be
 * reported, or to begin the search again, the program runs, from the same graph, and the answer is the same then. (value.txt, V14)
 */
#include "engine/value/value.h"

#include "engine/ending.h"
#include "engine/engine.h"
#include "engine/memo_run.h"
#include "engine/run/run.h"
#include "engine/value/known.h"

/* The thread stands where its events lead to. False: its next step is not known, or is a bug, which the program shows. */
static bool stands(struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	const uint32_t n = g->count[tid];
	const struct value_step *s;

	if (n && g->ev[g->at[tid][n - 1]].kind == OP_END) {
		thread_becomes(e, tid, THREAD_ENDED);
		return known_has_ended(e, tid);
	}
	s = known_step(e, tid);
	if (!s || !s->own || s->op.kind == OP_KINDS ||
	    (s->op.kind == OP_BLOCK && s->op.fn != BLOCK_ASSUMES))
		return false;
	memo_waits(e, tid, &s->op);
	return true;
}

static bool all_stand(struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state != THREAD_NONE && !stands(e, t))
			return false;
	return true;
}

/* Does anything begin the search again that is a matter of the execution as a whole? (value.c, over()) */
static bool leaves(struct engine *e)
{
	return value_counts_anew(&e->graph) || (!value_is_ordered(e->value) && value_may_race(e));
}

static bool goes_to_its_end(struct engine *e)
{
	int t;

	if (!all_stand(e) || leaves(e))
		return false;
	t = run_exit(e);
	if (t != ENGINE_OVER)
		run_stops(e, (uint32_t)t, &e->thread[t].pending);
	return true;
}

/* It was begun, and does not count: the program does it. */
static void take_back(struct engine *e)
{
	e->stats.ledger.begun--;
	e->run--;
	e->over = 0;
	e->value->ngiven_up++;
}

enum {
	MANY = 4096 /* runs of the program */
};

/* The program has to run. Where it mostly has to, to watch it costs more than it saves. */
static void note_run(struct engine *e)
{
	struct value_search *v = e->value;

	if (++v->nruns % MANY)
		return;
	if (v->nwithout - v->nbefore < MANY / 2)
		value_runs_always(e, "two thirds of the executions needed it all the same");
	v->nbefore = v->nwithout;
}

bool value_makes(struct engine *e, struct engine_outcome *o)
{
	struct value_search *v = e->value;
	bool ok;

	if (!v->makes)
		return false;
	if (!v->is_new || v->lost || e->first) {
		note_run(e);
		return false;
	}
	engine_begin(e);
	memo_repeat_all(e);
	ok = goes_to_its_end(e);
	if (ok) {
		ending_judge(e, o);
		ok = memo_is_plain(o);
	}
	if (!ok) {
		take_back(e);
		return false;
	}
	ending_settle(e, o);
	v->nwithout++;
	return true;
}
