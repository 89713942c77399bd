/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.c - from operations to events
 *
 * What an operation means (which orders it has, whether it reads, writes, waits) is decided
 * here, once for all strategies.
 */
#include "engine/run/run.h"

#include "base/prng.h"
#include "engine/graph/futex.h"
#include "engine/run/memo.h"
#include "engine/run/peeked.h"

/* Library operations always synchronise as POSIX wants it; programs cannot weaken them. */
void run_library_orders(const struct op *op, unsigned *success, unsigned *fail)
{
	switch (op->kind) {
	case OP_TRYLOCK:
		*success = ORDER_ACQ;
		*fail = ORDER_RLX;
		break;
	case OP_LOCK:
	case OP_ONCE_ENTER:
	case OP_FUTEX_LOOK:
	case OP_COUNT_LOOK:
	case OP_COUNT_AWAIT:
		*success = *fail = ORDER_ACQ;
		break;
	case OP_UNLOCK:
	case OP_ONCE_DONE:
		*success = *fail = ORDER_REL;
		break;
	case OP_SEM_WAIT:
	case OP_COND_BEGIN:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_BARRIER_ARRIVE:
	case OP_RDLOCK:
	case OP_WRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
	case OP_COUNT_CLOSE:
	case OP_COUNT_OPEN:
	case OP_READY_TAKE:
	case OP_READY_LOCK:
	case OP_READY_MARK:
	case OP_READY_RELEASE:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
		*success = *fail = ORDER_ACQ_REL;
		break;
	case OP_COND_LEAVE:
		*success = ORDER_ACQ_REL;
		*fail = ORDER_ACQ;
		break;
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		*success = ORDER_ACQ_REL;
		*fail = ORDER_RLX;
		break;
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_READY_TRYTAKE:
		*success = ORDER_ACQ_REL;
		*fail = ORDER_ACQ;
		break;
	default:
		break;
	}
}

struct event *run_peek(struct engine *e, uint32_t tid, const struct op *op)
{
	struct event *ev = run_event(e, tid, op);

	ev->index = e->graph.count[tid];
	ev->flags = op_reads(op) ? EV_READ : EV_WRITE;
	return ev;
}

int run_exit(const struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && e->thread[t].pending.kind == OP_EXIT)
			return (int)t;
	return ENGINE_OVER;
}

void run_choose(struct engine *e, uint32_t pos, uint32_t choice)
{
	e->graph.ev[pos].choice = choice;
	e->graph.ev[pos].read = value_of(choice);
}

void run_meet_anew(struct engine *e, const struct op *op, uint32_t loc)
{
	struct location *l = &e->graph.locs[loc];

	const bool makes = e->memo && e->memo->making; /* its memory is as some run has left it */
	const struct value now =
		makes ? l->initial : e->config.initial(e->config.ctx, op->addr, op->size, op->kind);

	/* `initial` may be that of an execution which another engine has begun. (memo.txt, K10) */
	if (makes)
		e->memo->unknown |= !l->run || !value_eq(l->initial, l->found);
	else if (e->memo)
		memo_meets(e, l, now);
	l->run = e->begun;
	e->met++;
	l->initial = now;
}

bool run_stays_calm(struct engine *e)
{
	const uint64_t events = engine_events(e) + e->yields;
	uint64_t until = e->graph.capacity - 4;

	if (run_is_cut(e))
		return false;
	if (e->cut_at && until > e->graph.n + (e->cut_at - events))
		until = e->graph.n + (e->cut_at - events);
	if (until > e->graph.n + (e->graph.capacity - RUN_LOCATIONS - e->graph.nlocs))
		until = e->graph.n + (e->graph.capacity - RUN_LOCATIONS - e->graph.nlocs);
	e->calm_until = (uint32_t)until;
	return true;
}

uint32_t run_draw_choice(struct engine *e, const struct op *op)
{
	if (op->peer < 2)
		return 0;
	/* How a wait ends: rather as things stand, or most executions came to nothing. */
	if (op->fn && op->arg.lo < op->peer && prng_below(&e->random, 8))
		return (uint32_t)op->arg.lo;
	return prng_below(&e->random, op->peer);
}

bool run_reads_latest_so(struct engine *e, unsigned how)
{
	return how == LOAD_LATEST || (how == LOAD_LATELY && prng_below(&e->random, 8));
}

bool run_is_void(const struct engine *e, uint32_t tid)
{
	const struct thread *th = &e->thread[tid];
	const struct op *op = &th->pending;

	return th->state == THREAD_WAITS &&
	       (((op->kind == OP_COND_WOKEN || op->kind == OP_COUNT_AWAIT ||
		  op->kind == OP_READY_TAKE) &&
		 op->peer) ||
		futex_follows_look(op->kind));
}

/* Does a thread begin with this what it ends with an operation of kind `waits`? */
static bool begins(unsigned kind, unsigned waits)
{
	if (waits == OP_BARRIER_PASS)
		return kind == OP_BARRIER_ARRIVE;
	return kind == OP_COND_BEGIN || kind == OP_FUTEX_WAIT;
}

/* The thread's latest write at the location that began such a wait, or NO_POS. */
static uint32_t begin_of(const struct graph *g, uint32_t tid, uint32_t loc, unsigned waits)
{
	for (uint32_t i = g->count[tid], pos; graph_back(g, tid, &i, &pos);) {
		const struct event *ev = &g->ev[pos];

		if (begins(ev->kind, waits) && ev->loc == loc && (ev->flags & EV_WRITE))
			return pos;
	}
	return NO_POS;
}

/* The read-modify-write that reads the write at `at`, or NO_POS. */
static uint32_t next_in_chain(const struct graph *g, uint32_t loc, uint32_t at)
{
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (is_rmw_write(&g->ev[p]) && graph_rmw_source(g, &g->ev[p]) == at)
			return p;
	return NO_POS;
}

/* Does the thread, having begun to wait, go on with this state of the object? */
static bool lets_go(const struct graph *g, const struct op *op, uint32_t tid, struct value state)
{
	if (op->kind != OP_COND_WOKEN)
		return state.lo % op->arg.lo == 0;
	const struct waiting is = waiting_of(g->waiting, state);

	return !thread_set_has(&is.set, tid);
}

/*
 * The first write behind `at` in its chain that lets the thread go on, or NO_POS, in *found; by
 * one walk from the last write back. False: the writes were not inserted in the order of the
 * chain (revisits add some anew), so that this says nothing.
 */
static bool walk_back(const struct graph *g, uint32_t loc, uint32_t at, uint32_t tid,
		      const struct op *op, uint32_t *found)
{
	uint32_t next = NO_POS;

	*found = NO_POS;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		if (!is_rmw_write(&g->ev[p]) ||
		    (next != NO_POS && graph_rmw_source(g, &g->ev[next]) != p))
			return false;
		if (p == at)
			return true;
		if (lets_go(g, op, tid, g->ev[p].written))
			*found = p;
		next = p;
	}
	return false;
}

uint32_t run_waker(const struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	uint32_t loc = graph_find_location(g, op->addr, 0);
	uint32_t at = begin_of(g, tid, loc, op->kind), found;

	if (at != NO_POS && !lets_go(g, op, tid, g->ev[at].written) &&
	    walk_back(g, loc, at, tid, op, &found))
		return found;
	while (at != NO_POS && !lets_go(g, op, tid, g->ev[at].written))
		at = next_in_chain(g, loc, at);
	return at;
}

/* The end of an earlier thread of that id does not count, once it is used again. */
static uint32_t end_of(const struct engine *e, uint32_t tid)
{
	return e->thread[tid].state == THREAD_ENDED ? graph_end_of(&e->graph, tid) : NO_POS;
}

static uint32_t creator_of(const struct engine *e, uint32_t tid)
{
	const struct thread *th = &e->thread[tid];

	return graph_at(&e->graph, th->creator, th->create_index);
}

enum guard run_guard(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice)
{
	const struct event *ev = &e->graph.ev[pos];

	if (is_await(ev) && await_fails(e, ev, rf))
		return GUARD_BLOCKS;
	return graph_guard(&e->graph, ev, rf, choice, NULL);
}

static uint32_t add_write(struct engine *e, const struct event *ev)
{
	uint32_t pos = graph_add(&e->graph, ev);

	witness_add(&e->graph, pos);
	return pos;
}

uint32_t run_add_behind(struct engine *e, uint32_t tid, const struct op *op, uint32_t rf)
{
	struct event *ev = run_event(e, tid, op);

	ev->rf = rf;
	if (op->kind == OP_STORE || op->kind == OP_UNLOCK || op->kind == OP_ONCE_DONE)
		run_set_written(ev, op);
	else if (op->kind == OP_FENCE)
		ev->flags = EV_FENCE;
	else if (op->kind == OP_COND_WOKEN || op->kind == OP_BARRIER_PASS)
		ev->loc = NO_LOC;
	return ev->flags & EV_WRITE ? add_write(e, ev) : graph_add(&e->graph, ev);
}

uint32_t run_add_simple(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t rf = RF_NONE;

	if (op->kind == OP_START)
		rf = creator_of(e, tid);
	else if (op->kind == OP_JOIN)
		rf = end_of(e, op->peer);
	else if (op->kind == OP_COND_WOKEN || op->kind == OP_BARRIER_PASS)
		rf = run_waker(e, tid, op);
	return run_add_behind(e, tid, op, rf);
}

uint32_t run_add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	struct event *ev = run_event(e, tid, op);

	ev->flags = EV_READ;
	if (op->await && e->awaits) {
		ev->flags |= EV_AWAIT;
		*waits_of(&e->graph, ev) = (struct waits){ .mask = e->thread[tid].await };
		e->graph.any_waits = true;
	}
	return graph_add(&e->graph, ev);
}

enum guard run_set_read(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice)
{
	struct graph *g = &e->graph;
	struct event *ev = &g->ev[pos];
	enum guard guard = rf == RF_NONE ? GUARD_BLOCKS : run_guard(e, pos, rf, choice);
	unsigned flags = EV_READ | (ev->flags & (EV_AWAIT | EV_LOOKS)), order = ev->order_success;
	bool first = ev->rf == RF_NONE;

	must(rf >= RF_NONE ||
	     (rf < g->n && (g->ev[rf].flags & EV_WRITE) && g->ev[rf].loc == ev->loc));
	hbmo_retract(g, pos);
	if (guard == GUARD_WRITES)
		flags |= EV_EXCLUSIVE;
	else if (guard == GUARD_BLOCKS)
		flags |= EV_BLOCKED;
	else
		order = ev->order_fail;
	ev->rf = rf;
	ev->choice = choice;
	ev->read = rf == RF_NONE ? value_of(0) : graph_value(g, ev->loc, rf);
	graph_label(g, pos, flags, order);
	if (first)
		graph_learn(g, pos);
	else
		graph_clocks(g, pos);
	witness_observed(g, e->model, pos);
	return guard;
}

uint32_t run_add_write_part(struct engine *e, uint32_t read)
{
	struct event *ev = graph_next(&e->graph);

	*ev = e->graph.ev[read];
	graph_guard(&e->graph, &e->graph.ev[read], ev->rf, ev->choice, &ev->written);
	ev->flags = EV_WRITE | EV_EXCLUSIVE;
	ev->rf = RF_NONE;
	return add_write(e, ev);
}

/* Is a read-modify-write that reads this out of place? */
static bool cannot_write(struct engine *e, struct question *q, uint32_t write)
{
	const struct graph *g = &e->graph;

	return taken_in_cut(g, g->count, g->ev[q->read].loc, write) ||
	       (e->model->rmw_differs && !model_admits_rmw(q, write));
}

uint32_t run_candidates(struct engine *e, uint32_t pos, struct candidate *out, bool *blocks)
{
	struct graph *g = &e->graph;
	struct question q;
	uint32_t n = 0, coherent, *write;

	model_ask(&q, e->model, g, g->count, pos);
	write = arena_take(&g->scratch, (g->n + 1) * sizeof(*write));
	coherent = model_coherent(&q, write);
	*blocks = false;
	for (uint32_t i = 0; i < coherent; i++) {
		enum guard guard = run_guard(e, pos, write[i], 0);

		*blocks |= guard == GUARD_BLOCKS;
		if (guard == GUARD_BLOCKS || !model_agrees(&q, write[i]))
			continue;
		out[n] = (struct candidate){ .write = write[i], .witness = g->witness.extends };
		out[n++].taken = guard == GUARD_WRITES && cannot_write(e, &q, write[i]);
	}
	model_asked(&q);
	return n;
}

uint32_t run_may_observe(struct engine *e, uint32_t pos, const uint32_t *write, uint32_t n,
			 uint32_t most, uint32_t *out)
{
	struct question q;
	uint32_t found = 0;

	model_ask(&q, e->model, &e->graph, e->graph.count, pos);
	for (uint32_t i = 0; i < n && found < most; i++) {
		enum guard guard;

		if (!model_is_coherent(&q, write[i]))
			continue;
		guard = run_guard(e, pos, write[i], 0);
		if (guard != GUARD_BLOCKS && model_agrees(&q, write[i]) &&
		    !(guard == GUARD_WRITES && cannot_write(e, &q, write[i])))
			out[found++] = write[i];
	}
	model_asked(&q);
	return found;
}

bool run_may_go_on(struct engine *e, struct question *q, uint32_t pos, uint32_t write)
{
	struct graph *g = &e->graph;
	enum guard guard = run_guard(e, pos, write, 0);

	if (guard == GUARD_BLOCKS || ((guard == GUARD_WRITES || g->ev[pos].kind == OP_FUTEX_LOOK) &&
				      taken_in_cut(g, g->count, g->ev[pos].loc, write)))
		return false;
	return guard == GUARD_WRITES ? model_admits_rmw(q, write) : model_admits(q, write);
}

bool run_could_pass(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	struct question q;
	uint32_t n, *write;
	bool found = false;

	model_ask(&q, e->model, g, g->count, pos);
	write = arena_take(&g->scratch, (g->n + 1) * sizeof(*write));
	n = model_coherent(&q, write);
	for (uint32_t i = 0; !found && i < n; i++)
		found = run_may_go_on(e, &q, pos, write[i]);
	model_asked(&q);
	return found;
}

bool run_can_pass(struct engine *e, uint32_t tid)
{
	const struct op *op = &e->thread[tid].pending;
	uint32_t pos;
	bool found;

	if (!guard_may_block(op->kind))
		return true;
	pos = run_add_read(e, tid, op);
	found = run_could_pass(e, pos);
	graph_truncate(&e->graph, pos);
	return found;
}

static bool is_free(const struct graph *g, uint32_t loc)
{
	uint32_t last = g->locs[loc].last; /* a lock's write, or one that frees it */

	return last == NO_POS ? !g->locs[loc].initial.lo : !g->ev[last].written.lo;
}

/* Can the mutex be taken, where that is explored by slots? */
static bool lock_is_free(struct engine *e, const struct op *op)
{
	return is_free(&e->graph, graph_location(&e->graph, op->addr, op->size));
}

/* Is it known that nothing lets the thread pass, and is the location as it was then? (C3) */
static bool waits_at_guard(const struct engine *e, uint32_t tid)
{
	const struct thread *th = &e->thread[tid];
	uint32_t loc;

	if (th->guard_at != e->done[tid] + 1)
		return false;
	loc = graph_find_location(&e->graph, th->pending.addr, th->pending.size);
	return loc != NO_LOC && th->guard_in_vain == e->graph.locs[loc].last + 2;
}

bool run_enabled(struct engine *e, uint32_t tid)
{
	const struct thread *th = &e->thread[tid];
	const struct op *op = &th->pending;

	if (th->state != THREAD_WAITS || is_aside(e, tid))
		return false;
	if (e->done[tid] < e->graph.count[tid])
		return false; /* a blocked read in the graph */
	if (lock_slotted(e, op))
		return lock_is_free(e, op);
	switch (op->kind) {
	case OP_JOIN:
		return end_of(e, op->peer) != NO_POS;
	case OP_COND_WOKEN:
	case OP_BARRIER_PASS:
		return run_waker(e, tid, op) != NO_POS;
	case OP_EXIT:
		return false; /* the strategies let it happen last */
	default:
		return !waits_at_guard(e, tid) && (!op->await || await_may_pass(e, tid));
	}
}

enum step_status run_stops(struct engine *e, uint32_t tid, const struct op *op)
{
	struct thread *th = &e->thread[tid];

	must(e->nran < 2 * e->graph.capacity);
	th->pending = *op;
	if (e->config.mode == ENGINE_REPLAY)
		e->step_at[tid][th->steps++] = NO_POS;
	e->ran[e->nran++] = (struct ran){ .pos = NO_POS, .tid = tid };
	if (op->kind == OP_EXIT) {
		e->exited = true;
		return STEP_DONE;
	}
	thread_becomes(e, tid, op->kind == OP_STUCK ? THREAD_STUCK : THREAD_STOPPED);
	return STEP_WAIT;
}

bool run_synchronises(const struct engine *e)
{
	for (uint32_t i = 0; i < e->nran; i++) {
		if (e->ran[i].pos == NO_POS)
			continue;
		switch (e->graph.ev[e->ran[i].pos].kind) {
		case OP_CREATE:
		case OP_START:
		case OP_END:
		case OP_JOIN:
		case OP_CHOOSE:
		case OP_PAUSE:
			break;
		default:
			return true;
		}
	}
	return false;
}

void run_keep_left(struct engine *e)
{
	const struct graph *g = &e->graph;

	for (uint32_t i = e->nran; i-- > 0;) {
		const struct event *ev = e->ran[i].pos == NO_POS ? NULL : &g->ev[e->ran[i].pos];
		struct location *l;

		if (!ev || ev->loc == NO_LOC || !(ev->flags & (EV_WRITE | EV_EXCLUSIVE)))
			continue;
		l = &e->graph.locs[ev->loc];
		if (l->shown.run != e->begun || l->shown.step <= i)
			l->shown.value =
				ev->flags & EV_WRITE
					? ev->written
					: g->ev[graph_at(g, ev->tid, ev->index + 1)].written;
		l->shown.run = e->begun;
		l->shown.step = e->nran;
	}
}
