/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.c - reads that wait for a value
 *
 * A thread that waits for another one looks at a location again and again, by loads, by
 * compare-and-swaps or exchanges that do not succeed. With some values it does nothing but
 * come back (they fail), with others it goes on (preload/await/await.txt). Every order in which waiting
 * threads look would be an execution, blocked for ever, beside the ones that go on from there.
 * So the exploration asks beforehand what a value would do, and treats an await like a lock:
 *
 *	- it is enabled while it may observe some write that lets its thread pass;
 *	- it is added to the graph with such a write; the others that pass are its alternatives,
 *	  now or as revisits, as for any read;
 *	- one more alternative is to wait, which is to observe nothing yet. It stands for all
 *	  writes that fail, and is what the await does in the canonical graph if nothing that is
 *	  there lets it pass.
 *
 * A complete execution contains no look in vain, so nothing is lost. (In-place revisits of
 * Awamoche, CAV 2023, pursue the same end by changing blocked reads.)
 *
 * Waiting is needed for two reasons. A revisit may delete the await when nothing of what it keeps
 * lets it pass: then it must have been one that waited. And a thread may wait for good although
 * something would have let it pass, when that is not the last word. Where neither can be,
 * explore_gate.c leaves that alternative out.
 *
 * Why nothing is lost: explore.txt, A1 to A3; which values fail is the runtime's (preload/await/await.txt).
 *
 * What becomes of threads that still wait when nothing can move any more: explore_stuck.c.
 *
 * Whether a value fails is a fact of the program: the thread is given the value, runs to its next
 * operation, and is put back (preload/await/probe.c, tests/engine/interp.c). That can be done only
 * while it stands at the read. So each value that any write stores, or may store, at a location
 * where threads wait gets a bit, and each await knows of all bits which of them fail. When a new
 * value turns up, the execution is run again, and every await is asked again as its thread
 * comes by (e->topping), before anything is decided that depends on it; the revisits of the
 * write that brought it are noted only then (e->late).
 *
 * Bounds: AWAIT_VALUES a location, AWAIT_LOCATIONS. A program with more is explored from the start
 * without any of this.
 */
#include "engine/run/await.h"

#include "engine/run/run.h"

static struct await_values *values_of(const struct engine *e, uint32_t loc)
{
	uint32_t i = e->graph.locs[loc].awaits;

	return i ? &e->await_values[i - 1] : NULL;
}

static uint64_t all_of(const struct await_values *v)
{
	return v->n == AWAIT_VALUES ? UINT64_MAX : ((uint64_t)1 << v->n) - 1;
}

/* The bit of a value, or 0 if it was not met yet. */
static uint64_t bit_of(const struct await_values *v, struct value value)
{
	/* Many count from 0 on, and are met in that order. */
	if (value.lo < v->n && value_eq(v->value[value.lo], value))
		return (uint64_t)1 << value.lo;
	for (uint32_t i = 0; i < v->n; i++)
		if (value_eq(v->value[i], value))
			return (uint64_t)1 << i;
	return 0;
}

static void meet_value(struct engine *e, struct await_values *v, struct value value)
{
	if (bit_of(v, value))
		return;
	e->await_version++;
	if (v->n == AWAIT_VALUES)
		e->restart |= RESTART_AWAITS;
	else
		v->value[v->n++] = value;
}

/* The first thread waits at the location. */
static struct await_values *begin_values(struct engine *e, uint32_t loc)
{
	struct graph *g = &e->graph;
	struct await_values *v;

	if (e->await_locs == AWAIT_LOCATIONS) {
		e->restart |= RESTART_AWAITS;
		return NULL;
	}
	v = &e->await_values[e->await_locs++];
	g->locs[loc].awaits = e->await_locs;
	e->await_version++;
	v->n = 0;
	meet_value(e, v, g->locs[loc].initial);
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (g->ev[p].flags & EV_WRITE)
			meet_value(e, v, g->ev[p].written);
	return v;
}

void await_clear(struct engine *e)
{
	for (uint32_t l = 0; l < e->graph.nlocs; l++)
		e->graph.locs[l].awaits = 0;
	e->await_locs = 0;
	e->await_epoch++;
	e->await_version = 0;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

struct await_mask *await_mask_of(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	struct thread *th = &e->thread[tid];
	struct event *ev;

	if (e->done[tid] < g->count[tid]) {
		ev = &g->ev[g->at[tid][e->done[tid]]];
		return ev->flags & EV_AWAIT ? &waits_of(g, ev)->mask : NULL;
	}
	if (th->await_at != e->done[tid] + 1) {
		th->await_at = e->done[tid] + 1;
		th->await = (struct await_mask){ 0 };
		th->await_in_vain = 0;
	}
	return &th->await;
}

uint64_t engine_await_unknown(struct engine *e, uint32_t tid, const struct op *op)
{
	struct await_mask *mask;
	struct await_values *v;
	uint32_t loc;

	if (!e->awaits || !op->await || e->restart || around_follows(e))
		return 0;
	run_meet(e, op);
	loc = graph_location(&e->graph, op->addr, op->size);
	v = values_of(e, loc);
	if (!v)
		v = begin_values(e, loc);
	if (!v)
		return 0;
	meet_value(e, v, e->graph.locs[loc].initial);
	mask = await_mask_of(e, tid);
	return mask ? all_of(v) & ~mask->known : 0;
}

struct value engine_await_value(const struct engine *e, const struct op *op, unsigned bit)
{
	return values_of(e, graph_find_location(&e->graph, op->addr, op->size))->value[bit];
}

void engine_await_tell(struct engine *e, uint32_t tid, const struct await_mask *told)
{
	await_mask_add(await_mask_of(e, tid), told);
}

uint32_t engine_await_epoch(const struct engine *e)
{
	return e->await_epoch;
}

/* ---- What is known ----------------------------------------------------------------------------------- */

void await_meet(struct engine *e)
{
	struct graph *g = &e->graph;

	for (uint32_t p = 0; p < g->n; p++)
		if ((g->ev[p].flags & EV_AWAIT) && !values_of(e, g->ev[p].loc))
			begin_values(e, g->ev[p].loc);
	for (uint32_t p = 0; p < g->n; p++)
		if ((g->ev[p].flags & EV_WRITE) && values_of(e, g->ev[p].loc))
			meet_value(e, values_of(e, g->ev[p].loc), g->ev[p].written);
}

/* Do the awaits of the graph know of all values that were met which of them fail? */
static bool all_know(const struct engine *e)
{
	const struct graph *g = &e->graph;

	for (uint32_t p = 0; p < g->n; p++)
		if ((g->ev[p].flags & EV_AWAIT) &&
		    all_of(values_of(e, g->ev[p].loc)) & ~g->waits[p].mask.known)
			return false;
	return true;
}

bool await_is_ready(struct engine *e)
{
	struct graph *g = &e->graph;
	const struct event *last = g->n ? &g->ev[g->n - 1] : NULL;

	if (e->restart)
		return false;
	if (!e->await_locs)
		return true;
	if (last && (last->flags & EV_WRITE) && g->locs[last->loc].awaits)
		meet_value(e, values_of(e, last->loc), last->written);
	if (e->await_ready == e->await_version + 1) {
#ifdef HEDDLE_CHECKS
		must(all_know(e));
#endif
		return true;
	}
	await_meet(e);
	if (!all_know(e))
		return false;
	e->await_ready = e->await_version + 1;
	return true;
}

bool await_fails(struct engine *e, const struct event *ev, uint32_t write)
{
	uint64_t bit = bit_of(values_of(e, ev->loc), graph_value(&e->graph, ev->loc, write));

	/* There are too many values, or the initial one changes. Nothing is lost: all starts again. (A1) */
	if (!(bit & waits_of(&e->graph, ev)->mask.known))
		e->restart |= RESTART_AWAITS;
	return bit & waits_of(&e->graph, ev)->mask.fails;
}

void await_passes(struct engine *e, uint32_t read, uint32_t write)
{
	struct event *ev = &e->graph.ev[read];
	const struct await_values *v = ev->flags & EV_AWAIT ? values_of(e, ev->loc) : NULL;

	if (v)
		waits_of(&e->graph, ev)->mask.known |=
			bit_of(v, graph_value(&e->graph, ev->loc, write));
}

bool await_may_fail(const struct engine *e, const struct event *ev, struct value value)
{
	const struct await_mask *mask = &waits_of(&e->graph, ev)->mask;
	uint64_t bit = bit_of(values_of(e, ev->loc), value);

	return !(bit & mask->known) || (bit & mask->fails);
}

bool await_stays_with(const struct engine *e, const struct await_mask *mask, uint32_t loc,
		      uint32_t write)
{
	return bit_of(values_of(e, loc), graph_value(&e->graph, loc, write)) & mask->stays;
}

bool await_looked_in_vain(const struct engine *e)
{
	const struct graph *g = &e->graph;

	for (uint32_t p = g->n; p-- > 0;)
		if (g->ev[p].flags & EV_LOOKS)
			return true;
	return false;
}

/* ---- Whether to look ----------------------------------------------------------------------------------- */

static bool mask_passes(const struct await_mask *mask, const struct await_values *v,
			struct value value)
{
	return !(bit_of(v, value) & mask->fails);
}

bool await_may_pass(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	struct thread *th = &e->thread[tid];
	uint32_t loc = graph_location(g, th->pending.addr, th->pending.size), p;
	const struct await_values *v = values_of(e, loc);

	if (!e->awaits || !v || th->await_at != e->done[tid] + 1 || all_of(v) & ~th->await.known)
		return true; /* it is to be asked first */
	if (th->await_in_vain && th->await_in_vain == g->locs[loc].last + 2)
		return false;
	for (p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && mask_passes(&th->await, v, g->ev[p].written))
			return true;
	if (mask_passes(&th->await, v, g->locs[loc].initial))
		return true;
	th->await_in_vain = g->locs[loc].last + 2; /* A2 */
	return false;
}

void await_goes_on(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	uint32_t tid = g->ev[pos].tid, loc = g->ev[pos].loc;

	graph_truncate(g, pos);
	e->thread[tid].await_in_vain = g->locs[loc].last + 2;
}

/* M3 */
bool await_comes_first(const struct graph *g, uint32_t write, uint32_t other)
{
	const struct event *w = &g->ev[write];

	while (other != RF_INIT && other != write) {
		const struct event *o = &g->ev[other];

		if ((w->tid == o->tid && w->index < o->index) ||
		    graph_hb(g, other)[w->tid] > w->index)
			return true;
		if (!is_rmw_write(o))
			return false;
		other = graph_rmw_source(g, o);
		if (other == write)
			return true;
	}
	return false;
}
