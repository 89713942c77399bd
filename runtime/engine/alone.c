/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.c - threads that go on alone when nothing else can move (wra; explore.txt, S6)
 *
 * Whoever runs the program follows such a thread through its loop, through all that it may read,
 * and tells whether it ever gets out. Here is what it may read, and what comes of the execution.
 */
#include "engine/engine.h"
#include "engine/explore/explore.h"

bool engine_is_alone(const struct engine *e, uint32_t tid)
{
	return tid < e->nthreads && (e->thread[tid].state == THREAD_STUCK || await_waits(e, tid));
}

/* Does the thread that knows so much know of a write that came after this one? */
static bool is_hidden(const struct graph *g, uint32_t loc, uint32_t write, const uint32_t *knows)
{
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *w = &g->ev[p];

		if ((w->flags & EV_WRITE) && p != write && w->index < knows[w->tid] &&
		    (write == RF_INIT || happens_before(g, write, p)))
			return true;
	}
	return false;
}

uint32_t engine_alone_reads(struct engine *e, const struct op *op, const uint32_t *knows,
			    struct engine_source *out, uint32_t max)
{
	struct graph *g = &e->graph;
	uint32_t loc, n = 0, p;

	run_meet(e, op);
	loc = graph_location(g, op->addr, op->size);
	for (p = g->locs[loc].last;; p = g->ev[p].prev_at_loc) {
		uint32_t write = p == NO_POS ? RF_INIT : p;

		if ((p == NO_POS || (g->ev[p].flags & EV_WRITE)) &&
		    !is_hidden(g, loc, write, knows)) {
			if (n < max)
				out[n] = (struct engine_source){
					.value = graph_value(g, loc, write),
					.knows = p == NO_POS ? NULL : graph_porf(g, p),
				};
			n++;
		}
		if (p == NO_POS)
			return n;
	}
}

/* Per event: 1 + the index of the last read of its thread up to it, 0 if there is none. */
static uint32_t *list_reads(struct graph *g, uint32_t nthreads)
{
	uint32_t *last = arena_take(&g->scratch, (g->n + 1) * sizeof(*last));

	for (uint32_t t = 0; t < nthreads; t++)
		for (uint32_t i = 0, reads = 0; i < g->count[t]; i++) {
			if (g->ev[g->at[t][i]].flags & EV_READ)
				reads = i + 1;
			last[g->at[t][i]] = reads;
		}
	return last;
}

/*
 * Do the writes come in this order if rounds are done that were left out? That takes a read that is before
 * the later one, which the round comes before; and it is not before the earlier one, which the round reads. (S7)
 */
static bool may_come_first(const struct engine *e, uint32_t first, uint32_t later,
			   const uint32_t *last)
{
	const struct graph *g = &e->graph;
	const uint32_t *to = graph_porf(g, later), *from = graph_porf(g, first);

	if (to[g->ev[first].tid] > g->ev[first].index)
		return false; /* they do anyway */
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (to[t] > from[t] && last[g->at[t][to[t] - 1]] > from[t])
			return true;
	return false;
}

bool engine_rounds_may_hide(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	const uint32_t *last = list_reads(g, e->nthreads);
	bool may = false;

	for (uint32_t w = 0; w < g->n && !may; w++) {
		const struct event *ev = &g->ev[w];

		if (!(ev->flags & EV_WRITE) || ev->loc == NO_LOC)
			continue;
		for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
			may |= p != w && (g->ev[p].flags & EV_WRITE) &&
			       may_come_first(e, w, p, last);
	}
	arena_reset(&g->scratch, mark);
	return may;
}

static void alone_is_stuck(struct engine *e, struct engine_outcome *o)
{
	struct ledger *l = &e->stats.ledger;
	uint32_t first = e->nthreads;

	for (uint32_t t = e->nthreads; t-- > 0;) {
		struct op *op = &e->thread[t].pending;

		if (!engine_is_alone(e, t))
			continue;
		first = t;
		op->peer += !op->peer; /* a replay is told that its loop is for ever */
		if (o->together)
			op->fn = STUCK_TOGETHER;
		if (e->thread[t].state == THREAD_STUCK)
			continue;
		op->kind = OP_STUCK;
		op->peer = 1;
		run_stops(e, t, op);
	}
	must(first < e->nthreads);
	o->ending = END_AWAIT_STUCK;
	o->unknown = o->mutual = o->together = false;
	o->thread = first;
	o->waiting = e->thread[first].pending;
	l->ended[ENDED_BLOCKED]--;
	l->ended[ENDED_BUG]++;
	e->stats.blocked--;
	e->stats.failed++;
}

/* They do, but the process has ended: nobody waits any more. */
static void complete_behind_exit(struct engine *e, struct engine_outcome *o)
{
	struct ledger *l = &e->stats.ledger;

	o->ending = END_COMPLETE;
	o->unknown = o->mutual = o->together = false;
	l->ended[ENDED_BLOCKED]--;
	l->ended[ENDED_COMPLETE]++;
	e->stats.blocked--;
	e->stats.executions++;
}

void engine_alone_for_ever(struct engine *e, struct engine_outcome *o)
{
	must(o->ending == END_BLOCKED && (o->unknown || o->together));
	must(e->stats.ledger.ended[ENDED_BLOCKED]);
	if (e->exited)
		complete_behind_exit(e, o);
	else
		alone_is_stuck(e, o);
}
