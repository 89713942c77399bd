/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c - the interface, and the run that repeats a graph
 *
 * See engine.h for the contract and state.h for how the parts divide the work.
 */
#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "engine/aside.h"
#include "engine/explore/estimate.h"
#include "engine/explore/explore.h"
#include "engine/explore/strategy.h"
#include "engine/memo_run.h"
#include "engine/online/access.h"
#include "engine/online/gone.h"
#include "engine/online/guide.h"
#include "engine/online/turn.h"
#include "engine/run/checks.h"
#include "engine/run/memo.h"
#include "engine/stops.h"
#include "engine/value/value.h"
#include "engine/verdict.h"

static bool is_replay(const struct engine *e)
{
	return e->config.mode == ENGINE_REPLAY;
}

void engine_begin(struct engine *e)
{
	struct graph *g = &e->graph;

	e->stats.ledger.begun++;
	e->stats.ledger.cause[CAUSE_FIRST] += e->first;
	e->first = false;
	e->run++;
	e->begun++;
	e->nran = 0;
	e->ran_before = 0;
	e->over = 0;
	memset(e->thread, 0, sizeof(e->thread[0]) * e->nthreads); /* others never ran */
	memset(e->done, 0, sizeof(e->done[0]) * e->nthreads);
	e->running = e->waiting = e->aside = (struct thread_set){ 0 };
	e->yields = 0;
	e->cut_at = e->config.max_events;
	e->calm_until = 0;
	e->nstops = 0;
	e->idle = e->lets_go = false;
	thread_becomes(e, 0, THREAD_RUNS);
	if (e->memo)
		memo_begin(e);
	e->strategy->begin(e);
	e->repeating = g->n - g->nblocked;
}

/* For the clocks of all threads that are known now. */
static void widen(struct engine *e)
{
	if (graph_widen(&e->graph, e->nthreads) && e->config.moved)
		e->config.moved(e->config.ctx);
}

/* The thread created as the rank-th by parent; a new number when it is a new name, or
 * NO_POS when there are no more. */
static uint32_t engine_child(struct engine *e, uint32_t parent, uint32_t rank)
{
	for (uint32_t t = 1; t < e->graph.most_threads; t++) {
		if (t >= e->nthreads) {
			e->nthreads = t + 1;
			e->name[t] = (struct thread_name){ .parent = parent, .rank = rank };
			if (e->config.names)
				e->name[t] = engine_agree(e->config.names, t, e->name[t]);
			widen(e);
		}
		if (e->name[t].parent == parent && e->name[t].rank == rank)
			return t;
	}
	return NO_POS;
}

uint32_t engine_next_child(struct engine *e, uint32_t tid)
{
	uint32_t id = reuse_id(e, tid);

	return id ? id : engine_child(e, tid, e->thread[tid].created);
}

/* The one that is recorded; NO_POS if no thread can have it, as in a trace that was edited. */
static uint32_t recorded_child(const struct engine *e)
{
	uint32_t id = e->config.replay[e->replay_at].peer;

	if (!id || id >= e->graph.most_threads)
		return NO_POS;
	return e->thread[id].state == THREAD_NONE || e->thread[id].state == THREAD_ENDED ? id
											 : NO_POS;
}

bool engine_may_create(struct engine *e, uint32_t tid)
{
	return e->done[tid] < e->graph.count[tid] || e->config.mode == ENGINE_REPLAY ||
	       engine_next_child(e, tid) != NO_POS;
}

void engine_meet(struct engine *e, const struct op *op)
{
	run_meet(e, op);
}

/* The operation whose first event is at pos has happened. */
static void finish(struct engine *e, uint32_t pos, struct op_result *r)
{
	struct graph *g = &e->graph;
	struct event *ev = &g->ev[pos];
	struct thread *th = &e->thread[ev->tid];

	/* What happened has observed something. */
	must(!(ev->flags & EV_READ) || ev->rf != RF_NONE);
	must(e->nran < 2 * g->capacity);
	*r = (struct op_result){ .value = ev->read };
	thread_becomes(e, ev->tid, THREAD_RUNS);
	if (is_replay(e))
		e->step_at[ev->tid][th->steps++] = pos;
	if (e->online)
		ev->slot = th->steps++;
	e->ran[e->nran++] = (struct ran){ .pos = pos, .tid = ev->tid };
	e->done[ev->tid]++;
	if (ev->flags & EV_WRITE) {
		r->wrote = 1;
		r->stored = ev->written;
	} else if (ev->flags & EV_EXCLUSIVE) {
		r->wrote = 1;
		r->stored = g->ev[g->at[ev->tid][ev->index + 1]].written;
		e->done[ev->tid]++;
	}
	if (ev->kind == OP_CREATE) {
		r->tid = ev->peer;
		thread_create(e, ev);
	} else if (ev->kind == OP_END) {
		thread_becomes(e, ev->tid, THREAD_ENDED);
	}
	if (e->value)
		value_happened(e, ev->tid);
}

static bool same_op(const struct engine *e, const struct event *ev, const struct op *op)
{
	if (ev->kind != op->kind || ev->size != op->size)
		return false;
	return ev->loc == NO_LOC || e->graph.locs[ev->loc].addr == op->addr;
}

/* A thread did not do what it did before. */
static enum step_status stray(struct engine *e, uint32_t tid, const char *what, const struct op *op)
{
	if (engine_strays(e, tid))
		return STEP_CUT;
	if (e->value)
		value_was_mistaken(e);
	engine_wrong(e, tid, what, op);
	return STEP_WRONG;
}

/* The operation is in the graph already. */
static enum step_status repeat(struct engine *e, uint32_t tid, const struct op *op,
			       struct op_result *r)
{
	struct graph *g = &e->graph;
	struct thread *th = &e->thread[tid];
	uint32_t pos = g->at[tid][e->done[tid]];
	struct event *ev = &g->ev[pos];

	th->pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	if (!same_op(e, ev, op))
		return stray(e, tid, "does something else than in an earlier run", op);
	if (ev->flags & EV_BLOCKED)
		return STEP_WAIT;
	if (ev->rf < RF_NONE && !happened(e, ev->rf))
		return STEP_WAIT;
	if ((ev->flags & EV_WRITE) && !(ev->flags & EV_EXCLUSIVE) && op->kind == OP_STORE &&
	    !value_eq(ev->written, op->arg))
		return stray(e, tid, "stores another value than in an earlier run", op);
	ev->pc = op->pc;
	finish(e, pos, r);
	e->repeating -= 1 + (r->wrote && (ev->flags & EV_EXCLUSIVE));
	return STEP_DONE;
}

static bool is_pseudo(const struct op *op)
{
	return op->kind == OP_EXIT || op->kind == OP_BLOCK || op->kind == OP_STUCK;
}

/*
 * In a replay a thread stops in a loop where the trace says so: at an await, or since its rounds were bounded. Returns
 * false, or what it does instead of op.
 */
static bool recorded_stop(const struct engine *e, uint32_t tid, const struct op *op,
			  struct op *stop)
{
	const struct engine_step_record *s;

	if (!is_replay(e) || e->replay_at >= e->config.replay_len)
		return false;
	s = &e->config.replay[e->replay_at];
	if (s->tid != tid || (s->kind != OP_STUCK && (s->kind != OP_BLOCK || op->kind == OP_BLOCK)))
		return false;
	*stop = *op;
	stop->kind = s->kind;
	stop->peer = s->peer;
	stop->fn = s->choice ? STUCK_TOGETHER : STUCK_ROUND;
	if (s->kind == OP_BLOCK)
		stop->expected = value_of(0); /* it tries no lock */
	return true;
}

/* In a replay, how long the rounds of a thread were that was stopped in a loop is in the trace. */
static const struct op *recorded_block(const struct engine *e, uint32_t tid, const struct op *op,
				       struct op *block)
{
	const struct engine_step_record *s = &e->config.replay[e->replay_at];

	if (op->kind != OP_BLOCK || !is_replay(e) || e->replay_at >= e->config.replay_len ||
	    s->tid != tid)
		return op;
	*block = *op;
	block->peer = s->peer;
	return block;
}

static enum step_status extend(struct engine *e, uint32_t tid, const struct op *op,
			       struct op_result *r)
{
	struct graph *g = &e->graph;
	enum step_status status;
	uint32_t pos = g->n;
	struct op create;
	bool recorded;

	if (op->kind == OP_YIELD)
		run_count_yield(e);
	if (run_is_cut(e)) {
		e->limited = true;
		return STEP_CUT;
	}
	if (op->kind == OP_YIELD) {
		thread_becomes(e, tid, THREAD_RUNS);
		e->picked = NO_POS; /* who yields gives up its turn */
		if (e->online)
			online_yields(e, tid);
		*r = (struct op_result){ 0 };
		stops_end(e, tid, op);
		return STEP_DONE;
	}
	if (is_pseudo(op))
		return run_stops(e, tid, op);
	if (op->kind == OP_CREATE) {
		create = *op;
		recorded = is_replay(e) && e->replay_at < e->config.replay_len;
		create.peer = recorded ? recorded_child(e) : engine_next_child(e, tid);
		if (create.peer >= g->most_threads) {
			engine_wrong(e, tid,
				     recorded ? "does something else than recorded"
					      : "creates more threads than heddle can follow",
				     op);
			return STEP_WRONG;
		}
		if (create.peer >= e->nthreads) {
			e->nthreads = create.peer + 1;
			widen(e);
		}
		op = &create;
	}
	status = e->strategy->add(e, tid, op);
	if (status == STEP_DONE)
		finish(e, pos, r);
	return status;
}

static enum step_status extend_and_check(struct engine *e, uint32_t tid, const struct op *op,
					 struct op_result *r)
{
	enum step_status status = extend(e, tid, op, r);

	if (status == STEP_DONE || status == STEP_WAIT)
		checks_step(e);
	return status;
}

static bool over(const struct engine *e)
{
	return e->over;
}

void engine_call_off(struct engine *e, uint32_t tid)
{
	e->thread[tid].off = true;
	if (e->online)
		vain_comes(&e->online->vain, tid);
}

/* It is the thread's turn: is it called off? Either way it is done with that. */
static bool is_called_off(struct engine *e, uint32_t tid)
{
	struct thread *th = &e->thread[tid];

	if (!th->off)
		return false;
	th->off = false;
	return e->online ? online_is_off(e, tid)
			 : is_recorded(e) && e->config.replay[e->replay_at].kind == OP_LOAD;
}

/* The thread comes with the operation, or comes back with it. */
static enum step_status comes(struct engine *e, uint32_t tid, const struct op *op,
			      struct op_result *r)
{
	struct thread *th = &e->thread[tid];
	enum step_status status;
	struct op stop;

	if (op->kind == OP_YIELD && is_recorded(e))
		return stops_repeat(e, tid, op, r);
	if (op->kind == OP_YIELD && (e->config.mode != ENGINE_ONLINE || (op->fn && e->lets_go)))
		return aside_step(e, tid, op, r);
	run_meet(e, op);
	/* Not when it comes back. */
	if (e->memo && !e->memo->making && (th->state == THREAD_RUNS || op->kind == OP_START))
		memo_learn(e, tid, op);
	if (e->done[tid] < e->graph.count[tid])
		return repeat(e, tid, op, r);
	th->pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	if (e->online)
		online_comes(e->online, tid, op);
	if ((op->kind == OP_BLOCK || op->kind == OP_STUCK) && !is_recorded(e))
		return run_stops(e, tid, op);
	if (e->repeating || aside_turn(e, e->strategy->pick(e)) != (int)tid)
		return e->wrong ? STEP_WRONG : STEP_WAIT;
	if (e->done[tid] < e->graph.count[tid]) /* since pick() */
		return repeat(e, tid, op, r);
	if (is_called_off(e, tid))
		return STEP_OFF;
	if (!is_replay(e))
		return extend_and_check(e, tid, op, r);
	if (recorded_stop(e, tid, op, &stop)) {
		e->replay_at++;
		return run_stops(e, tid, &stop);
	}
	status = extend_and_check(e, tid, recorded_block(e, tid, op, &stop), r);
	if (status == STEP_DONE || is_pseudo(op))
		e->replay_at++;
	return status;
}

enum step_status engine_step(struct engine *e, uint32_t tid, const struct op *op,
			     struct op_result *r)
{
	const enum thread_state state = e->thread[tid].state;

	must(tid < e->nthreads && op->kind < OP_KINDS);
	if (over(e) || state == THREAD_STUCK || state == THREAD_STOPPED)
		return STEP_WAIT;
	if (!e->online || op->kind > OP_FENCE)
		return comes(e, tid, op, r);
	if (!turn_is_of(e, tid, op) && aside_turn(e, turn_comes(e, tid, op)) != (int)tid)
		return e->wrong ? STEP_WRONG : STEP_WAIT;
	if (!online_is_access(e, tid, op) || !run_is_calm(e))
		return extend_and_check(e, tid, op, r);
	online_access(e, tid, op, r);
	checks_step(e);
	return STEP_DONE;
}

/* Does nothing keep the operation from happening, whatever others do? (run_enabled()) */
static bool is_enabled(const struct engine *e, const struct op *op)
{
	if (op->kind == OP_JOIN)
		return e->thread[op->peer].state == THREAD_ENDED;
	return op->kind <= OP_FENCE ? !op->await : op->kind == OP_START || op->kind == OP_END;
}

/* Would explore_pick() say that it is still the thread's turn? */
static bool keeps_turn(const struct engine *e, uint32_t tid, const struct op *op)
{
	return e->picked == tid && is_enabled(e, op) && e->late == NO_POS && e->forced == NO_POS &&
	       !e->restart && !e->finishing && e->done[tid] == e->graph.count[tid];
}

enum step_status engine_step_made(struct engine *e, uint32_t tid, const struct op *op,
				  struct op_result *r)
{
	if (over(e) || !keeps_turn(e, tid, op))
		return engine_step(e, tid, op, r);
	run_meet(e, op);
	e->last_looks = false;
	lock_arrivals(e);
#ifdef HEDDLE_CHECKS
	e->thread[tid].pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	must(e->strategy->pick(e) == (int)tid && !thread_set_any(&e->aside));
#endif
	return extend_and_check(e, tid, op, r);
}

int engine_next(struct engine *e)
{
	if (over(e))
		return ENGINE_OVER;
	if (turn_was_given(e))
		return (int)e->picked;
	if (thread_set_any(&e->running))
		return (int)thread_set_first(&e->running);
	if (e->repeating) {
		int t = aside_turn(e, engine_next_to_repeat(e));

		if (t == ENGINE_OVER && e->value)
			value_was_mistaken(e);
		if (t == ENGINE_OVER && !engine_strays(e, 0))
			engine_wrong(e, 0, "cannot be repeated: every thread waits", NULL);
		return t;
	}
	return aside_turn(e, e->strategy->pick(e));
}

static uint64_t executions_done(const struct engine *e)
{
	const struct engine_stats *s = engine_stats(e);

	return s->executions + s->blocked + s->failed + s->cut;
}

void engine_by_reads_from(struct engine *e, bool reuse)
{
	if (!e->value)
		return;
	e->config.reuse_threads = reuse;
	value_give_up(e);
}

bool engine_may_race(struct engine *e)
{
	return e->value && value_may_race(e);
}

static bool is_limit(const struct engine *e)
{
	const struct engine_estimate *x = estimate_so_far(e);

	if (e->config.estimate == ESTIMATE_ONLY && x && e->config.max_executions)
		return x->descents >= (double)e->config.max_executions;
	return e->config.max_executions && executions_done(e) >= e->config.max_executions;
}

bool engine_advance(struct engine *e, struct engine_outcome *o)
{
	if (e->value && o->ending == END_BLOCKED && value_may_be_stuck(e, verdict_is_stuck))
		value_leaves(e, "a thread may stay in a loop for ever");
	o->more = !e->wrong && e->strategy->again(e, o);
	if (o->more && is_limit(e)) {
		o->more = false;
		o->limit = true;
	}
	e->stats.ledger.cause[CAUSE_DRAWN] += o->more && e->config.mode == ENGINE_ONLINE;
	return o->more;
}

bool engine_makes(struct engine *e, struct engine_outcome *o)
{
	return e->value ? value_makes(e, o) : memo_makes(e, o);
}

void engine_gone(struct engine *e, uint64_t addr)
{
	if (e->online)
		gone_note(e, addr);
}

bool engine_gave_up_writes(const struct engine *e)
{
	return e->online && e->online->giving.lost;
}

bool engine_gave_up_fences(const struct engine *e)
{
	return e->online && e->online->sc.was_last;
}

bool engine_wants_steps(struct engine *e)
{
	struct giving *v = e->online ? &e->online->giving : NULL;

	if (!v || !v->any || v->everything || engine_events(e) > e->graph.capacity / 8 * 7)
		return false;
	return v->everything_next = true;
}

bool engine_hang_wants_steps(struct engine *e)
{
	struct engine_outcome o = { .seed = e->seed };

	if (!e->online || !e->online->giving.any || e->online->giving.everything || over(e))
		return false;
	verdict_judge(e, &o);
	return (o.ending == END_DEADLOCK || o.ending == END_AWAIT_STUCK) && engine_wants_steps(e);
}

void engine_fail(struct engine *e)
{
	e->failed = true;
}

void engine_void(struct engine *e)
{
	e->dead_end = true;
}

bool engine_followed(struct engine *e)
{
	return guide_followed(e);
}

void engine_number(struct engine *e, uint64_t number)
{
	e->run = number - 1;
}

const struct corpus *engine_corpus(const struct engine *e)
{
	return &e->online->choices.fuzz->corpus;
}

unsigned engine_strategy(const struct engine *e)
{
	return e->online ? e->online->choices.strategy : e->config.strategy;
}

void engine_rerun(struct engine *e)
{
	e->stats.ledger.ended[ENDED_RERUN]++;
	e->stats.ledger.cause[CAUSE_RERUN]++;
	if (e->config.mode == ENGINE_ONLINE) {
		e->run--; /* its number is what it is drawn from */
		choices_again(&e->online->choices);
	} else {
		graph_truncate(&e->graph, e->graph.n);
	}
}

void engine_bound(struct engine *e, uint64_t more)
{
	const uint64_t at = 2 * (engine_events(e) + e->yields) + more, most = e->config.max_events;

	e->cut_at = most && most < at ? most : at;
	e->calm_until = 0;
}

const uint32_t *engine_clock(const struct engine *e, uint32_t tid)
{
	static const uint32_t zero[HEDDLE_MAX_THREADS];
	uint32_t done = e->done[tid];

	if (e->value)
		return value_clock(e, tid);
	return done ? graph_hb(&e->graph, e->graph.at[tid][done - 1]) : zero;
}

uint32_t engine_threads(const struct engine *e)
{
	return e->graph.nthreads;
}

uint32_t engine_most_threads(const struct engine *e)
{
	return e->graph.most_threads;
}

const struct engine_stats *engine_stats(const struct engine *e)
{
	return estimate_stats(e);
}

const struct engine_estimate *engine_estimate(const struct engine *e)
{
	return estimate_so_far(e);
}

bool engine_is_descending(const struct engine *e)
{
	return estimate_is_on(e);
}

const char *engine_error(const struct engine *e)
{
	return e->error;
}
