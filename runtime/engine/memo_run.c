/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_run.c - an execution is made without the program (run/memo.h)
 *
 * What the graph has is not repeated: its threads stand behind it at once. From there on all goes through the same functions as
 * the operations of a program. Where that comes to what is not known, or to what is to be reported, the run is not counted; what it has
 * added to the graph stays there, and the program repeats it.
 */
#include "engine/memo_run.h"

#include "engine/ending.h"
#include "engine/engine.h"
#include "engine/run/memo.h"
#include "engine/run/run.h"

enum {
	MANY = 4096 /* executions that were begun in vain */
};

/* As the program would ask before the thread performs an await (preload/await/await_ask.c). */
static bool ask(struct engine *e, uint32_t tid, const struct memo_step *s)
{
	const uint64_t unknown = engine_await_unknown(e, tid, &s->op);
	const struct await_mask *asked = &e->memo->asked[s - e->memo->step];

	if (unknown & ~asked->known)
		return false;
	if (unknown)
		engine_await_tell(e, tid, asked);
	return true;
}

static bool waits_in_graph(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	const uint32_t n = g->count[tid];

	return n && (g->ev[g->at[tid][n - 1]].flags & EV_BLOCKED);
}

void memo_repeat_all(struct engine *e)
{
	const struct graph *g = &e->graph;

	for (uint32_t p = 0; p < g->n; p++)
		if (g->ev[p].kind == OP_CREATE)
			thread_create(e, &g->ev[p]);
	for (uint32_t t = 0; t < g->nthreads; t++)
		e->done[t] = g->count[t] - waits_in_graph(e, t);
	e->repeating = 0;
}

/* Where the operation is, which is the location asked for next. */
static void find_location(struct engine *e, const struct memo_step *s)
{
#ifdef HEDDLE_CHECKS
	must(s->loc == NO_LOC || s->loc == graph_find_location(&e->graph, s->op.addr, s->op.size));
#endif
	if (s->loc != NO_LOC)
		e->graph.recent = s->loc;
}

void memo_waits(struct engine *e, uint32_t tid, const struct op *op)
{
	e->thread[tid].pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	if (op->kind == OP_STUCK || op->kind == OP_BLOCK)
		run_stops(e, tid, op);
}

/* The thread comes to its next operation, as in engine.c. */
static bool comes(struct engine *e, uint32_t tid)
{
	const uint32_t n = e->done[tid];
	const struct memo_step *s;

	if (n && e->graph.ev[e->graph.at[tid][n - 1]].kind == OP_END) {
		thread_becomes(e, tid, THREAD_ENDED);
		return memo_has_ended(e, tid);
	}
	s = memo_step(e, tid);
	if (!s)
		return false;
	find_location(e, s);
	if (s->op.await && !ask(e, tid, s))
		return false;
	run_meet(e, &s->op);
	memo_waits(e, tid, &s->op);
	return true;
}

static bool all_come(struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state != THREAD_NONE && !comes(e, t))
			return false;
	return true;
}

/* The thread goes on for as long as it can; false: it is not known how. */
static bool runs(struct engine *e, uint32_t tid, bool *over)
{
	struct op_result res;

	for (;;) {
		const struct memo_step *s = memo_step(e, tid);
		enum step_status status;

		if (!s || e->memo->unknown)
			return false;
		find_location(e, s);
		if (s->op.await && !ask(e, tid, s))
			return false;
		status = engine_step_made(e, tid, &s->op, &res);
		*over = status == STEP_CUT;
		if (status == STEP_CUT)
			return !e->limited;
		if (status != STEP_DONE)
			return status == STEP_WAIT;
		if (s->op.kind == OP_END || s->op.kind == OP_EXIT)
			return true;
	}
}

static bool goes_on(struct engine *e)
{
	bool over = false;

	while (!over && !e->memo->unknown) {
		const int t = engine_next(e);

		if (t == ENGINE_OVER)
			return true;
		if (!runs(e, (uint32_t)t, &over))
			return false;
	}
	return over && !e->memo->unknown;
}

bool memo_is_plain(const struct engine_outcome *o)
{
	return (o->ending == END_COMPLETE || o->ending == END_BLOCKED || o->ending == END_WASTED) &&
	       !o->unknown && !o->mutual && !o->together && !o->unjudged && !o->full;
}

/* Where the exploration was before it. */
struct before {
	uint32_t n, nwork, forced, first_asks, late;
	struct stamp forced_slot;
	uint64_t noted, wasted, fresh;
};

static struct before note_before(const struct engine *e)
{
	return (struct before){
		.n = e->graph.n,
		.nwork = e->nwork,
		.forced = e->forced,
		.forced_slot = e->forced_slot,
		.first_asks = e->first_asks,
		.late = e->late,
		.noted = e->stats.ledger.noted,
		.wasted = e->stats.wasted,
		.fresh = e->fresh,
	};
}

/*
 * It was begun, and is not counted: the program does it, from the same graph. (Gates that were opened stay open; it would open them as
 * well, but behind a bug.)
 */
static void take_back(struct engine *e, const struct before *b)
{
	e->stats.ledger.begun--;
	e->run--;
	e->over = 0;
	e->memo->given_up++;
	e->memo->kept = false;
	graph_truncate(&e->graph, b->n);
	e->nwork = b->nwork;
	e->forced = b->forced;
	e->forced_slot = b->forced_slot;
	e->first_asks = b->first_asks;
	e->stats.ledger.noted = b->noted;
	e->stats.wasted = b->wasted;
	e->fresh = b->fresh;
	e->late = b->late;
}

/* One was begun in vain. While a thread's steps are still to be learned most are, and later few (fib.c: 65 % of the first 1,500, 2 % of all). */
static bool is_worth_it(struct memo *m)
{
	const uint64_t made = m->made - m->made_before;

	if (m->given_up % MANY)
		return true;
	m->made_before = m->made;
	return made >= MANY / 2;
}

bool memo_makes(struct engine *e, struct engine_outcome *o)
{
	struct memo *m = e->memo;
	struct before before;
	bool ok;

	if (!m || m->lost || e->first || e->around.n)
		return false;
	before = note_before(e);
	m->making = true;
	engine_begin(e);
	ok = !e->topping;
	if (ok) {
		memo_repeat_all(e);
		ok = all_come(e) && !m->unknown && goes_on(e) && !memo_any_minds_rounds(e);
	}
	if (ok) {
		ending_judge(e, o);
		ok = memo_is_plain(o);
	}
	m->making = false;
	if (!ok) {
		take_back(e, &before);
		if (!is_worth_it(m))
			memo_lose(e, "two thirds of the executions needed it all the same", false);
		return false;
	}
	ending_settle(e, o);
	m->made++;
	m->beyond_hb |= engine_beyond_hb(e, true);
	return true;
}
