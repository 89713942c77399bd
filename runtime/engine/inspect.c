/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inspect.c - what others may ask about the execution so far
 */
#include <string.h>

#include "engine/engine.h"
#include "engine/inspect.h"
#include "engine/online/online.h"
#include "engine/run/run.h"
#include "engine/run/state.h"
#include "engine/stops.h"

/* Lists the steps of each thread, into step_at; n: how many there are. Nobody keeps these lists while the program runs. */
static void list_steps(const struct engine *e, uint32_t *n)
{
	if (e->online)
		return; /* events know */
	memset(n, 0, e->nthreads * sizeof(*n));
	for (uint32_t i = 0; i < e->nran; i++) {
		uint32_t tid = e->ran[i].tid;

		e->step_at[tid][n[tid]++] = e->ran[i].pos;
	}
}

/* The step that an event belongs to: how many operations of its thread come before it. */
static uint32_t step_of(const struct engine *e, uint32_t pos, const uint32_t *nsteps)
{
	const struct event *ev = &e->graph.ev[pos];
	const uint32_t *at = e->step_at[ev->tid];
	uint32_t lo = 0, hi = nsteps[ev->tid];

	if (is_rmw_write(ev))
		pos = graph_po_before(&e->graph, ev);
	if (e->online)
		return e->graph.ev[pos].slot;
	/* Places grow along a thread; pseudo operations (NO_POS) come last. */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (at[mid] < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void describe(const struct engine *e, uint32_t pos, struct engine_step_record *r,
		     const uint32_t *nsteps)
{
	const struct graph *g = &e->graph;
	const struct event *ev = &g->ev[pos];

	r->kind = ev->kind;
	r->order = ev->order;
	r->size = ev->size;
	r->choice = ev->choice;
	r->peer = ev->peer;
	r->addr = ev->loc == NO_LOC ? 0 : g->locs[ev->loc].addr;
	r->pc = ev->pc;
	r->value = ev->read;
	r->rf_tid = -2;
	if (ev->rf == RF_INIT) {
		r->rf_tid = -1;
	} else if (ev->rf < RF_NONE) {
		r->rf_tid = g->ev[ev->rf].tid;
		r->rf_index = step_of(e, ev->rf, nsteps);
	}
	if (ev->flags & EV_READ)
		r->flags |= STEP_READ;
	if (ev->flags & EV_WRITE) {
		r->flags |= STEP_WROTE;
		r->stored = ev->written;
	} else if ((ev->flags & EV_EXCLUSIVE) && ev->index + 1 < g->count[ev->tid]) {
		r->flags |= STEP_WROTE;
		r->stored = g->ev[g->at[ev->tid][ev->index + 1]].written;
	}
}

static void describe_ran(const struct engine *e, const struct ran *ran, uint32_t index,
			 struct engine_step_record *r, const uint32_t *nsteps)
{
	memset(r, 0, sizeof(*r));
	r->tid = ran->tid;
	r->index = index;
	r->rf_tid = -2;
	if (ran->pos != NO_POS) {
		describe(e, ran->pos, r, nsteps);
		return;
	}
	r->kind = e->thread[ran->tid].pending.kind;
	r->peer = e->thread[ran->tid].pending.peer;
	r->choice = r->kind == OP_STUCK && e->thread[ran->tid].pending.fn == STUCK_TOGETHER;
	r->pc = e->thread[ran->tid].pending.pc;
}

void inspect_event(const struct engine *e, uint32_t pos, struct engine_step_record *r)
{
	uint32_t nsteps[HEDDLE_MAX_THREADS];

	list_steps(e, nsteps);
	memset(r, 0, sizeof(*r));
	r->tid = e->graph.ev[pos].tid;
	r->index = step_of(e, pos, nsteps);
	describe(e, pos, r, nsteps);
}

uint32_t engine_step_behind(const struct engine *e, uint32_t tid, uint32_t n)
{
	uint32_t nsteps[HEDDLE_MAX_THREADS];

	if (e->online && n < e->graph.count[tid])
		return e->ran_before ? 0 : e->graph.ev[e->graph.at[tid][n]].slot;
	list_steps(e, nsteps);
	return n < e->graph.count[tid] ? step_of(e, e->graph.at[tid][n], nsteps) : nsteps[tid];
}

uint64_t engine_ran(const struct engine *e)
{
	return e->nran;
}

size_t engine_steps(const struct engine *e, struct engine_step_record *out, size_t max)
{
	uint32_t index[HEDDLE_MAX_THREADS] = { 0 }, nsteps[HEDDLE_MAX_THREADS], stop = 0;
	struct engine_step_record still;
	size_t n = 0;

	list_steps(e, nsteps);
	/* Of a long random execution the last ones are left. */
	for (uint32_t i = 0; e->ran_before && i < e->nran; i++)
		if (e->ran[i].pos != NO_POS && !index[e->ran[i].tid])
			index[e->ran[i].tid] = e->graph.ev[e->ran[i].pos].slot;
	for (uint32_t i = 0; i <= e->nran; i++) {
		for (; stop < e->nstops && e->stop[stop].at == i; stop++, n++)
			if (n < max)
				stops_describe(&e->stop[stop], index[e->stop[stop].tid], &out[n]);
		if (i == e->nran)
			break;
		if (n < max)
			describe_ran(e, &e->ran[i], index[e->ran[i].tid], &out[n], nsteps);
		index[e->ran[i].tid]++;
		n++;
	}
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (stops_still(e, t, index[t], &still)) {
			if (n < max)
				out[n] = still;
			n++;
		}
	return n;
}

bool engine_synchronises(const struct engine *e)
{
	return run_synchronises(e) || (e->online && e->online->giving.synchronised);
}

size_t engine_could_read(struct engine *e, uint32_t tid, const struct op *op,
			 struct engine_choice *out, size_t max)
{
	struct graph *g = &e->graph;
	uint32_t nsteps[HEDDLE_MAX_THREADS], pos, n;
	struct candidate *c;
	size_t found = 0;
	bool blocks;
	char *mark;

	if (!op_reads(op))
		return 0;
	run_meet(e, op);
	mark = arena_mark(&g->scratch);
	c = arena_take(&g->scratch, (g->n + 2) * sizeof(*c));
	pos = run_add_read(e, tid, op);
	n = run_candidates(e, pos, c, &blocks);
	list_steps(e, nsteps);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t write = c[i].write;
		struct engine_choice choice = { .rf_tid = -1 };

		if (c[i].taken) /* by a read-modify-write, which this one would have to undo */
			continue;
		choice.value = graph_value(g, g->ev[pos].loc, write);
		if (write != RF_INIT) {
			choice.rf_tid = (int32_t)g->ev[write].tid;
			choice.rf_index = step_of(e, write, nsteps);
		}
		if (found < max)
			out[found] = choice;
		found++;
	}
	graph_truncate(g, pos);
	arena_reset(&g->scratch, mark);
	return found;
}

void engine_waits_in_vain(struct engine *e, uint32_t tid)
{
	e->thread[tid].pending.peer = 0;
}

bool engine_knows_without(const struct engine *e, uint32_t tid, uint32_t from, uint32_t to)
{
	const struct graph *g = &e->graph;
	uint32_t known[HEDDLE_MAX_THREADS] = { 0 }, n = e->done[tid];
	const uint32_t *now = graph_porf(g, g->at[tid][n - 1]);

	must(from < to && to <= n);
	if (from <= g->low[tid] && g->low[tid])
		return false; /* nobody knows any more */
	if (from)
		memcpy(known, graph_porf(g, g->at[tid][from - 1]), e->nthreads * sizeof(*known));
	for (uint32_t i = to; i < n; i++) {
		const struct event *ev = &g->ev[g->at[tid][i]];
		const uint32_t *porf = ev->rf < RF_NONE ? graph_porf(g, ev->rf) : NULL;

		for (uint32_t t = 0; porf && t < e->nthreads; t++)
			known[t] = known[t] > porf[t] ? known[t] : porf[t];
	}
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (t != tid && known[t] < now[t])
			return false;
	return true;
}

struct thread_set engine_known_threads(const struct engine *e, uint32_t tid,
				       uint32_t given[HEDDLE_MAX_THREADS])
{
	const struct graph *g = &e->graph;
	const uint32_t *known = engine_porf(e, tid);
	uint32_t ended[HEDDLE_MAX_THREADS] = { 0 };
	struct thread_set alive = { 0 };

	memset(given, 0, HEDDLE_MAX_THREADS * sizeof(*given));
	if (e->online) { /* all know of what was given back */
		memcpy(given, e->online->giving.given, sizeof(e->online->giving.given));
		memcpy(ended, e->online->giving.ended, sizeof(ended));
	}
	given[0] = 1;
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		if (ev->index >= known[ev->tid])
			continue;
		if (ev->kind == OP_CREATE)
			given[ev->peer]++;
		ended[ev->tid] += ev->kind == OP_END;
	}
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (given[t] > ended[t])
			thread_set_add(&alive, t);
	return alive;
}

struct engine_wakes engine_wakes(const struct engine *e, struct value before, struct value after)
{
	struct waiting from = waiting_of(e->graph.waiting, before);
	const struct waiting to = waiting_of(e->graph.waiting, after);

	thread_set_subtract(&from.set, &to.set);
	return (struct engine_wakes){ .woken = thread_set_count(&from.set),
				      .moved = thread_set_count(&to.moved) };
}

bool engine_read_initial(const struct engine *e, uint32_t tid)
{
	uint32_t done = e->done[tid];
	const struct event *ev;

	if (!done)
		return false;
	ev = &e->graph.ev[e->graph.at[tid][done - 1]];
	if (is_rmw_write(ev)) /* behind its read */
		ev = &e->graph.ev[e->graph.at[tid][done - 2]];
	return (ev->flags & EV_READ) && ev->rf == RF_INIT;
}

/* The read-modify-write that wrote what this event reads. */
static bool row_before(const struct graph *g, const struct event *read, uint32_t *tid,
		       uint32_t *index)
{
	const struct event *write = read->rf < RF_NONE ? &g->ev[read->rf] : NULL;

	if (!(read->flags & EV_READ) || !write || !is_rmw_write(write))
		return false;
	*tid = write->tid;
	*index = write->index - 1;
	return true;
}

bool engine_rmw(const struct engine *e, uint32_t tid, uint32_t index, struct engine_rmw *out)
{
	const struct graph *g = &e->graph;
	const struct event *read;

	*out = (struct engine_rmw){ 0 };
	if (index + 1 >= g->count[tid] || index < g->low[tid])
		return false;
	read = &g->ev[g->at[tid][index]];
	if (!(read->flags & EV_READ) || !is_rmw_write(&g->ev[g->at[tid][index + 1]]))
		return false;
	out->read = read->read;
	out->written = g->ev[g->at[tid][index + 1]].written;
	out->has_before = row_before(g, read, &out->tid, &out->index);
	return true;
}

bool engine_row_at(const struct engine *e, uint32_t tid, uint32_t index, uint32_t *by, uint32_t *at)
{
	uint32_t pos = graph_at(&e->graph, tid, index);

	return pos != NO_POS && row_before(&e->graph, &e->graph.ev[pos], by, at);
}

static bool is_look(unsigned kind, unsigned order)
{
	return kind == OP_LOAD && order != ORDER_NA;
}

bool engine_stays_at(const struct engine *e, uint32_t tid, uint32_t by, uint32_t event)
{
	const struct graph *g = &e->graph;
	uint32_t loc = g->ev[graph_at(g, by, event)].loc, n = engine_porf(e, tid)[by];

	for (uint32_t i = event; i < n; i++) {
		const struct event *ev = &g->ev[graph_at(g, by, i)];

		if (ev->loc != loc || (ev->kind != OP_RMW && !is_look(ev->kind, ev->order)))
			return false;
	}
	return true;
}

bool engine_apart(const struct engine *e, uint32_t tid, const struct op *op, bool looks)
{
	const struct graph *g = &e->graph;
	const uint32_t *hb = engine_clock(e, tid);
	uint32_t loc = graph_find_location(g, op->addr, op->size);

	if (looks && is_look(op->kind, op->order))
		return true;
	for (uint32_t p = loc == NO_LOC ? NO_POS : g->locs[loc].last; p != NO_POS;
	     p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if ((op->kind != OP_RMW || ev->kind != OP_RMW) &&
		    !(looks && is_look(ev->kind, ev->order)) && ev->tid != tid && happened(e, p) &&
		    ev->index >= hb[ev->tid])
			return false;
	}
	return true;
}

bool engine_rmw_alone(const struct engine *e, uint32_t tid, uint32_t first_tid, uint32_t first,
		      bool looks)
{
	const struct graph *g = &e->graph;
	uint32_t pos = graph_at(g, first_tid, first);
	const uint32_t *known = engine_porf(e, tid), *before = graph_hb(g, pos);

	for (uint32_t p = g->locs[g->ev[pos].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if (ev->kind != OP_RMW && !(looks && is_look(ev->kind, ev->order)) &&
		    ev->index < known[ev->tid] && ev->index >= before[ev->tid])
			return false;
	}
	return true;
}

bool engine_knows_beyond_hb(const struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	const uint32_t *known = engine_porf(e, tid), *hb = engine_clock(e, tid);
	uint32_t loc = graph_find_location(g, op->addr, op->size);

	for (uint32_t p = loc == NO_LOC ? NO_POS : g->locs[loc].last; p != NO_POS;
	     p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if (ev->kind == OP_RMW && ev->tid != tid && ev->index < known[ev->tid] &&
		    ev->index >= hb[ev->tid])
			return true;
	}
	return false;
}

static bool is_of_lock(unsigned kind)
{
	switch (kind) {
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
		return true;
	default:
		return false;
	}
}

/* Did the thread's i-th event do nothing but look, or leave a count as it was? */
static bool looked(const struct graph *g, uint32_t tid, uint32_t i)
{
	const struct event *ev = &g->ev[g->at[tid][i]];
	bool counts = ev->kind >= OP_COUNT_TAKE && ev->kind <= OP_READY_RELEASE;

	if (!(ev->flags & EV_WRITE))
		return counts || ev->kind <= OP_FENCE;
	return counts && is_rmw_write(ev) && value_eq(ev->written, g->ev[g->at[tid][i - 1]].read);
}

bool engine_only_locked(const struct engine *e, uint32_t tid, uint32_t since)
{
	const struct graph *g = &e->graph;

	if (since < g->low[tid])
		return false; /* nobody knows any more */
	for (uint32_t i = e->done[tid]; i-- > since;) {
		const struct event *ev = &g->ev[g->at[tid][i]];

		if (!is_of_lock(ev->kind) && !looked(g, tid, i))
			return false;
	}
	return true;
}

uint32_t engine_operations(const struct engine *e, uint32_t tid)
{
	return e->thread[tid].steps;
}

bool engine_waiting(const struct engine *e, uint32_t tid, struct op *op)
{
	const struct thread *th = &e->thread[tid];

	if (tid >= e->nthreads)
		return false;
	if (th->state != THREAD_WAITS && th->state != THREAD_STUCK &&
	    (th->state != THREAD_STOPPED || !th->pending.expected.lo))
		return false;
	*op = th->pending;
	return true;
}

bool engine_has_event(const struct engine *e, uint64_t addr, unsigned size)
{
	const struct graph *g = &e->graph;
	uint32_t loc = graph_find_location(g, addr, size);

	if (loc == NO_LOC)
		return false;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (happened(e, p))
			return true;
	return false;
}

void engine_initial_changes(struct engine *e, uint64_t addr, unsigned size)
{
	uint32_t loc = graph_find_location(&e->graph, addr, size);

	if (loc != NO_LOC)
		e->graph.locs[loc].run =
			LOCATION_CHANGES; /* it is asked for again (engine_meet()) */
}

void engine_knew(const struct engine *e, uint32_t tid, uint32_t index, const uint32_t **clock,
		 const uint32_t **porf)
{
	static const uint32_t zero[HEDDLE_MAX_THREADS];
	const struct graph *g = &e->graph;

	*clock = index ? graph_hb(g, g->at[tid][index - 1]) : zero;
	*porf = index ? graph_porf(g, g->at[tid][index - 1]) : zero;
}

const uint32_t *engine_porf(const struct engine *e, uint32_t tid)
{
	static const uint32_t zero[HEDDLE_MAX_THREADS];
	uint32_t done = e->done[tid];

	return done ? graph_porf(&e->graph, e->graph.at[tid][done - 1]) : zero;
}

uint64_t engine_event_pc(const struct engine *e, uint32_t tid, uint32_t index)
{
	uint32_t pos = graph_at(&e->graph, tid, index);

	return pos == NO_POS ? 0 : e->graph.ev[pos].pc;
}

bool engine_any_value(const struct engine *e, uint32_t tid, uint32_t index,
		      bool (*is_it)(struct value v, void *ctx), void *ctx)
{
	const struct graph *g = &e->graph;
	uint32_t of = graph_at(g, tid, index), loc = of == NO_POS ? NO_LOC : g->ev[of].loc;

	if (loc == NO_LOC)
		return of == NO_POS; /* for all that is known */
	if (is_it(g->locs[loc].initial, ctx))
		return true;
	for (uint32_t pos = g->locs[loc].last; pos != NO_POS; pos = g->ev[pos].prev_at_loc) {
		const struct event *ev = &g->ev[pos];

		/* What knows of the event was written behind it. */
		if ((ev->flags & EV_WRITE) && happened(e, pos) &&
		    graph_porf(g, pos)[tid] <= index && is_it(ev->written, ctx))
			return true;
	}
	return g->given_back;
}

bool engine_others_access(const struct engine *e, uint64_t addr, unsigned size, uint32_t tid,
			  bool write)
{
	const struct graph *g = &e->graph;
	uint32_t loc = graph_find_location(g, addr, size);

	for (uint32_t pos = loc != NO_LOC ? g->locs[loc].last : NO_POS; pos != NO_POS;
	     pos = g->ev[pos].prev_at_loc) {
		const struct event *ev = &g->ev[pos];

		if (ev->tid != tid && (ev->flags & EV_WRITE || !write) && happened(e, pos))
			return true;
	}
	return false;
}

bool engine_beyond_hb(const struct engine *e, bool tries)
{
	return tries ? e->graph.beyond_hb : e->graph.beyond_hb_else;
}

static const struct engine_step_record *next_recorded(const struct engine *e, uint32_t tid)
{
	const struct engine_step_record *s = e->config.replay;

	for (size_t i = e->replay_at; i < e->recorded; i++)
		if (s[i].tid == tid)
			return &s[i];
	return NULL;
}

bool engine_recorded(const struct engine *e, uint32_t tid, enum op_kind kind)
{
	const struct engine_step_record *s = next_recorded(e, tid);

	return s && s->kind == kind;
}

bool engine_recorded_from(const struct engine *e, uint32_t tid, enum op_kind from)
{
	const struct engine_step_record *s = next_recorded(e, tid), *all = e->config.replay;

	if (!s || s->rf_tid < 0)
		return false;
	for (size_t i = 0; i < e->recorded; i++)
		if (all[i].tid == (uint32_t)s->rf_tid && all[i].index == s->rf_index)
			return all[i].kind == from;
	return false;
}

bool engine_recorded_rather(const struct engine *e, uint32_t tid, enum op_kind kind,
			    enum op_kind other)
{
	const struct engine_step_record *s = e->config.replay;

	for (size_t i = e->replay_at; i < e->recorded; i++)
		if (s[i].tid == tid && (s[i].kind == kind || s[i].kind == other))
			return s[i].kind == kind;
	return false;
}
