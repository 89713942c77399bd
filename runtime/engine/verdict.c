/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.c - what an execution that came to its end is
 *
 * Nothing can move any more. Every thread is through, or (in this order of importance)
 * one was stopped by a failed assume or an await, or waits where that is no execution; the
 * process ended while others waited; or threads wait for ever. A thread stopped at an await is a
 * bug only when the values of its last round can be the latest for good (explore.txt, S5), or,
 * under wra, when no write that it may still observe sends it elsewhere (S6, alone.c).
 */
#include "engine/verdict.h"

#include "engine/engine.h"

#include "engine/explore/explore.h"
#include "engine/online/online.h"

/* Has none of its last round been given back? */
static bool verdict_round_is_there(const struct engine *e, uint32_t tid)
{
	const uint32_t low = e->online ? e->online->giving.low[tid] : 0;

	return !low || (e->thread[tid].state == THREAD_STUCK
				? verdict_round_from(e, tid) > low
				: e->graph.count[tid] - low >= e->thread[tid].pending.peer);
}

uint32_t verdict_round_from(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;
	uint32_t i = g->count[tid];

	/* The write of a read-modify-write is counted with its read. */
	for (uint32_t left = e->thread[tid].pending.peer; i > g->low[tid] && left; i--)
		left -= !is_rmw_write(&g->ev[g->at[tid][i - 1]]);
	return i;
}

/* Does the event take a lock, or free it, or a share of it? A try that failed only looks. */
static bool is_of_lock(const struct event *ev)
{
	return (ev->flags & EV_EXCLUSIVE) && (op_takes_lock(ev->kind) || op_frees_lock(ev->kind));
}

/* Appends what it read in that. Of locks see frees_for_good(). */
static uint32_t last_round(struct engine *e, uint32_t tid, uint32_t *reads, uint32_t n)
{
	const struct graph *g = &e->graph;

	for (uint32_t i = g->count[tid]; i-- > verdict_round_from(e, tid);) {
		const struct event *ev = &g->ev[g->at[tid][i]];

		if ((ev->flags & EV_READ) && !is_of_lock(ev))
			reads[n++] = g->at[tid][i];
	}
	return n;
}

/*
 * Has nobody taken the lock, or freed it, since the thread's write freed it, but in a last round, which leaves everything as it
 * was? Then the thread finds there what it found. (await.txt, D5)
 */
static bool is_free_for_good(const struct engine *e, uint32_t freed)
{
	const struct graph *g = &e->graph;

	for (uint32_t p = g->locs[g->ev[freed].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if ((ev->flags & EV_WRITE) && ev->tid != g->ev[freed].tid &&
		    !happens_before(g, p, freed) &&
		    (e->thread[ev->tid].state != THREAD_STUCK ||
		     ev->index < verdict_round_from(e, ev->tid)))
			return false;
	}
	return true;
}

static bool frees_for_good(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	for (uint32_t i = g->count[tid]; i-- > verdict_round_from(e, tid);)
		if ((g->ev[g->at[tid][i]].flags & EV_WRITE) &&
		    op_frees_lock(g->ev[g->at[tid][i]].kind) && !is_free_for_good(e, g->at[tid][i]))
			return false;
	return true;
}

/*
 * Appends what has to be the last word for a thread that tries to get a lock again and again: of each location of its last
 * round, which is one of so many events, the thread's last access. That may be a write, where it took and freed another lock:
 * it finds that as it left it.
 */
static uint32_t last_tries(struct engine *e, uint32_t tid, uint32_t *last, uint32_t n)
{
	const struct graph *g = &e->graph;
	uint32_t left = e->thread[tid].pending.peer, from = n;

	for (uint32_t i = g->count[tid]; i-- > g->low[tid] && left--;) {
		uint32_t pos = g->at[tid][i], k = from;

		if (!(g->ev[pos].flags & (EV_READ | EV_WRITE)))
			continue;
		while (k < n && g->ev[last[k]].loc != g->ev[pos].loc)
			k++;
		if (k == n)
			last[n++] = pos;
	}
	return n;
}

/* Is the write hidden from the end of the thread: does it know of one that came after it? */
static bool is_hidden(const struct graph *g, uint32_t tid, uint32_t loc, uint32_t write)
{
	const uint32_t *hb = graph_hb(g, g->at[tid][g->count[tid] - 1]);

	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *w = &g->ev[p];

		if ((w->flags & EV_WRITE) && p != write && w->index < hb[w->tid] &&
		    (write == RF_INIT || happens_before(g, write, p)))
			return true;
	}
	return false;
}

/* Would the thread, finding this write instead of what it last read or wrote there, go round as well, for all that is known? */
static bool goes_round(const struct engine *e, uint32_t pos, uint32_t write)
{
	const struct graph *g = &e->graph;
	const struct event *ev = &g->ev[pos];
	struct value found = graph_value(g, ev->loc, event_write(ev, pos));

	if (is_hidden(g, ev->tid, ev->loc, write) ||
	    value_eq(graph_value(g, ev->loc, write), found))
		return true;
	return (ev->flags & EV_AWAIT) &&
	       await_stays_with(e, &waits_of(g, ev)->mask, ev->loc, write);
}

/*
 * Without an order of all writes (wra) there is no latest one: a read may observe any that is not hidden
 * from its thread, in each round another. So all of them have to send it round. (S6)
 */
static bool all_go_round(const struct engine *e, const uint32_t *reads, uint32_t n)
{
	const struct graph *g = &e->graph;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t loc = g->ev[reads[i]].loc;

		if (!goes_round(e, reads[i], RF_INIT))
			return false;
		for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
			if ((g->ev[p].flags & EV_WRITE) && !goes_round(e, reads[i], p))
				return false;
	}
	return true;
}

/* In a long random execution the question is asked of mo as it was drawn: the graph is not whole any more. */
static bool are_last(const struct graph *g, const uint32_t *reads, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct event *ev = &g->ev[reads[i]];

		if (event_write(ev, reads[i]) != g->locs[ev->loc].mo_last)
			return false;
	}
	return true;
}

/*
 * Can all threads in this state, which stopped in a loop, have seen the latest values, for good? (S5) o->mutual: for all
 * that is known; several have rounds that cancel out, and who does such a round while another one does may find a way out.
 * o->together: then all others can.
 */
static bool stuck_for_good(struct engine *e, enum thread_state state, struct engine_outcome *o)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t *reads = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t)), n = 0;
	uint32_t parties = state == THREAD_STUCK ? verdict_cancel_parties(e) : 0;
	bool ok = true, again = true;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		if (e->thread[t].state != state)
			continue;
		ok = ok && e->thread[t].pending.peer; /* 0: the round would end another way */
		ok = ok && verdict_round_is_there(e, t);
		if (parties && verdict_cancels(e, t)) {
			again = again && verdict_cancels_again(e, t);
			continue;
		}
		ok = ok && (state != THREAD_STUCK || frees_for_good(e, t));
		n = state == THREAD_STUCK ? last_round(e, t, reads, n) : last_tries(e, t, reads, n);
	}
	/* What else it may read was asked while exploring; who repeats the execution does not know. */
	if (e->model->admits)
		ok = ok && (e->config.mode == ENGINE_REPLAY || all_go_round(e, reads, n));
	else if (e->online && e->online->giving.any)
		ok = ok && are_last(&e->graph, reads, n);
	else
		ok = ok && model_may_end(e->model, g, reads, n);
	arena_reset(&g->scratch, mark);
	if (parties == CANCEL_TOGETHER)
		return ok;
	o->mutual = parties > 1 && ((ok && again) || parties == CANCEL_ANYWHERE);
	o->together = o->mutual && ok;
	return ok && again && parties <= 1;
}

bool verdict_is_stuck(struct engine *e)
{
	struct engine_outcome o;

	return stuck_for_good(e, THREAD_STUCK, &o);
}

/*
 * Threads were stopped in loops, and do not stay there for certain. again: another execution tells. Under wra they have
 * to be followed, to know whether they ever leave (S6).
 */
static void stop_in_loops(const struct engine *e, struct engine_outcome *o, bool again)
{
	o->ending = again ? END_WASTED : END_BLOCKED;
	o->unknown = e->model->admits && !e->exited;
}

static bool waits_for_ever(const struct thread *th)
{
	return th->state == THREAD_WAITS && th->pending.kind != OP_EXIT;
}

static void blame(struct engine *e, struct engine_outcome *o, uint32_t tid,
		  enum engine_ending ending)
{
	o->ending = ending;
	o->thread = tid;
	o->waiting = e->thread[tid].pending;
}

/* Does a thread wait in the graph although it could pass? *awaits: only for a value. (C2) */
static bool waits_in_vain(struct engine *e, bool *awaits)
{
	struct graph *g = &e->graph;
	bool found = false;

	*awaits = true;
	for (uint32_t t = 0; g->nblocked && t < e->nthreads; t++) {
		uint32_t n = g->count[t], p = n ? g->at[t][n - 1] : NO_POS;

		if (p == NO_POS || !(g->ev[p].flags & EV_BLOCKED) || !run_could_pass(e, p))
			continue;
		found = true;
		*awaits = *awaits && (g->ev[p].flags & EV_AWAIT);
	}
	return found;
}

static bool may_be_called_off(unsigned kind)
{
	switch (kind) {
	case OP_JOIN:
	case OP_SEM_WAIT:
	case OP_COND_WOKEN:
	case OP_COUNT_TAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_AWAIT:
	case OP_READY_TAKE:
		return true;
	default:
		return false;
	}
}

/* Has the semaphore that would call the operation off been posted? In another execution it was. */
static bool is_called_off(const struct engine *e, const struct thread *th)
{
	const struct graph *g = &e->graph;
	const struct op *op = &th->pending;
	uint32_t loc;

	if (!may_be_called_off(op->kind))
		return false;
	loc = op->arg.hi ? graph_find_location(g, op->arg.hi, 0) : NO_LOC;
	if (loc == NO_LOC)
		return false;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && g->ev[p].written.lo)
			return true;
	return e->online && g->locs[loc].last != NO_POS && e->online->mo.at[loc].was_above;
}

static bool takes_lock(unsigned kind)
{
	switch (kind) {
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
		return true;
	default:
		return false;
	}
}

/* Did thread tid end with a lock that it took? */
static bool kept_lock(const struct engine *e, uint32_t tid, uint32_t loc)
{
	const struct graph *g = &e->graph;
	const struct event *last = NULL;

	if (e->thread[tid].state != THREAD_ENDED)
		return false;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if (ev->tid == tid && (ev->flags & EV_WRITE) && (!last || ev->index > last->index))
			last = ev;
	}
	return last && takes_lock(last->kind);
}

/* Was the thread stopped where it tries to get a lock, again and again? */
static bool tries_lock(const struct thread *th)
{
	return th->state == THREAD_STOPPED && th->pending.expected.lo;
}

/*
 * One that tries to get a lock that nobody gives back any more; or HEDDLE_MAX_THREADS. While others may
 * be found to go on, or one was stopped for another reason, there is none.
 */
static uint32_t tries_for_ever(struct engine *e)
{
	uint32_t found = HEDDLE_MAX_THREADS, loc;
	struct engine_outcome as;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct thread *th = &e->thread[t];

		if (th->state == THREAD_STUCK || (th->state == THREAD_STOPPED && !tries_lock(th)))
			return HEDDLE_MAX_THREADS;
		if (th->state != THREAD_STOPPED)
			continue;
		loc = graph_find_location(&e->graph, th->pending.expected.lo, 0);
		for (uint32_t u = 0; loc != NO_LOC && u < e->nthreads; u++)
			if (kept_lock(e, u, loc))
				found = t;
	}
	if (found < HEDDLE_MAX_THREADS && (e->exited || !stuck_for_good(e, THREAD_STOPPED, &as)))
		return HEDDLE_MAX_THREADS;
	return found;
}

static void judge(struct engine *e, struct engine_outcome *o)
{
	bool stopped = false, stuck = false, awaits;

	if (waits_in_vain(e, &awaits)) {
		e->look_again = awaits && await_may_be_stuck(e);
		o->ending = END_WASTED;
		return;
	}
	o->ending = END_COMPLETE;
	for (uint32_t t = 0; t < e->nthreads; t++) {
		stopped |= e->thread[t].state == THREAD_STOPPED;
		stopped |= !e->exited && run_is_void(e, t);
		stuck |= e->thread[t].state == THREAD_STUCK;
	}
	if (stopped) {
		uint32_t t = tries_for_ever(e);

		o->ending = END_BLOCKED;
		if (t < HEDDLE_MAX_THREADS) {
			blame(e, o, t, END_AWAIT_STUCK);
			o->waiting.addr = o->waiting.expected.lo;
		}
		return;
	}
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (await_waits(e, t)) {
			e->look_again = await_may_be_stuck(e);
			stop_in_loops(e, o, e->look_again);
			return;
		}
	if (stuck && !stuck_for_good(e, THREAD_STUCK, o)) {
		/* Had it looked later, it would have gone on: that is another execution. Under wra nobody
		 * knows that. */
		stop_in_loops(e, o, await_looked_in_vain(e) && !e->model->admits && !o->mutual);
		return;
	}
	/* Once the process is over, nobody waits any more. */
	for (uint32_t t = 0; stuck && !e->exited && t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_STUCK) {
			blame(e, o, t, END_AWAIT_STUCK);
			return;
		}
	for (uint32_t t = 0; !e->exited && t < e->nthreads; t++)
		if (waits_for_ever(&e->thread[t]) && is_called_off(e, &e->thread[t])) {
			o->ending = END_BLOCKED;
			return;
		}
	for (uint32_t t = 0; !e->exited && t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && is_aside(e, t)) {
			blame(e, o, t, END_AWAIT_STUCK);
			return;
		}
	for (uint32_t t = 0; !e->exited && t < e->nthreads; t++)
		if (waits_for_ever(&e->thread[t])) {
			blame(e, o, t, END_DEADLOCK);
			return;
		}
}

/* Nothing comes of an execution in which accesses are torn, nor is anything known of one that is too large. */
static void judge_whole(struct engine *e, struct engine_outcome *o)
{
	enum wholeness found = o->ending == END_WASTED || o->ending == END_LIMIT
				       ? PARTS_WHOLE
				       : engine_is_whole(e);

	if (found == PARTS_WHOLE && e->graph.parts && e->graph.given_back &&
	    !e->config.parts_in_order)
		found = PARTS_UNKNOWN;
	o->unjudged = found == PARTS_UNKNOWN;
	if (found != PARTS_WHOLE) {
		o->ending = e->config.mode == ENGINE_ONLINE ? END_BLOCKED : END_WASTED;
		o->unknown = false;
	}
}

void verdict_judge(struct engine *e, struct engine_outcome *o)
{
	judge(e, o);
	judge_whole(e, o);
}
