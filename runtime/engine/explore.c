/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore.c - the strategy that visits every execution graph once
 *
 * The algorithm is in the design, Section 7. Here it runs without recursion: while the
 * program executes, every alternative is noted as work on a stack, stamped with the size of
 * the graph it belongs to. When the program is through, the latest work is taken, the graph
 * cut back to its stamp, changed, and the program executed again: it repeats the graph and
 * goes on from there. A backward revisit makes a new graph on top of the current one
 * (graph_push()) with its own work; when that is done, the one below is current again. So
 * memory is one graph for each level of backward revisits.
 *
 * Events are added by the enabled thread with the lowest number: a function of the graph,
 * as optimality demands.
 *
 * Read-modify-writes. The read may observe a write that another has taken; the graph is then
 * only good for the revisits that take the other away (it is not executed).
 *
 * Guarded operations (locks). One that finds nothing to pass on is no event: its thread
 * waits. When another takes its write away by a revisit it stays in the graph, blocked, and
 * the first write that lets it pass is given to it in place, with no alternative: whoever
 * might have come before it takes that write from it in turn. A thread that waits when
 * everything else is over tries to take what it needs from those who have it
 * (WORK_STEAL); if nobody comes after it, that is the only way those orders are found.
 *
 * Invariant: work is sorted by stamp within a graph. Caller: engine.c, through the strategy.
 */
#include "engine/state.h"

static void explore_begin(struct engine *e)
{
	(void)e;
}

static int explore_pick(struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (run_enabled(e, t))
			return (int)t;
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && e->thread[t].pending.kind == OP_EXIT)
			return (int)t;
	return ENGINE_OVER;
}

static void after_write(struct engine *e, uint32_t write);

/* Lets a blocked read observe the write that frees it. */
static void free_in_place(struct engine *e, uint32_t read, uint32_t write)
{
	e->in_place[e->nin_place++] = (struct in_place){
		.read = read, .write = write, .old_rf = e->graph.ev[read].rf
	};
	e->repeating++;
	if (run_set_read(e, read, write, 0) == GUARD_WRITES) {
		e->repeating++;
		after_write(e, run_add_write_part(e, read));
	}
}

/* Blocked reads that the new write lets pass: the first gets it, the others in other graphs. */
static void free_blocked(struct engine *e, uint32_t write)
{
	struct graph *g = &e->graph;
	uint32_t first = NO_POS;

	for (uint32_t i = 0; i < g->nlate; i++) {
		uint32_t read = g->late[i];
		struct question q;
		bool ok;

		if (!(g->ev[read].flags & EV_BLOCKED) || g->ev[read].loc != g->ev[write].loc ||
		    run_guard(e, read, write, 0) == GUARD_BLOCKS)
			continue;
		model_ask(&q, e->model, g, g->count, read);
		ok = model_admits(&q, write);
		model_asked(&q);
		if (!ok)
			continue;
		if (first == NO_POS)
			first = read;
		else
			e->work[e->nwork++] = (struct work){ .kind = WORK_IN_PLACE,
							     .stamp = write,
							     .read = read };
	}
	if (first != NO_POS)
		free_in_place(e, first, write);
}

/* Everything that a new write brings about. */
static void after_write(struct engine *e, uint32_t write)
{
	revisit_note(e, write);
	if (e->graph.nlate)
		free_blocked(e, write);
}

/*
 * Lets the read at pos, the latest event, observe rf. False: the graph is only good for
 * revisits, and they are noted.
 */
static bool observe(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice, bool taken)
{
	uint32_t write;

	if (run_set_read(e, pos, rf, choice) != GUARD_WRITES)
		return true;
	write = run_add_write_part(e, pos);
	if (!taken) {
		after_write(e, write);
		return true;
	}
	if (!revisit_note(e, write))
		e->stats.wasted++;
	return false;
}

static void note_read(struct engine *e, uint32_t pos, const struct candidate *c, uint32_t choice)
{
	e->work[e->nwork++] = (struct work){ .kind = WORK_READ,
					     .stamp = pos,
					     .rf = c->write,
					     .choice = choice,
					     .taken = c->taken };
}

static enum step_status add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t pos = run_add_read(e, tid, op), n, first = NO_POS;
	struct candidate *c = arena_take(&g->scratch, (g->n + 1) * sizeof(*c));

	n = run_candidates(e, pos, false, c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t choices = guard_choices(
			op->kind, graph_value(g, g->ev[pos].loc, c[i].write));

		for (uint32_t k = 0; k < choices; k++)
			if (first == NO_POS && !c[i].taken)
				first = i;
			else
				note_read(e, pos, &c[i], k);
	}
	must(first != NO_POS);
	observe(e, pos, c[first].write, 0, false);
	arena_reset(&g->scratch, mark);
	return STEP_DONE;
}

static void add_choice(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos = run_add_simple(e, tid, op);

	e->graph.ev[pos].read = value_of(0);
	for (uint32_t k = 1; k < op->peer; k++)
		e->work[e->nwork++] =
			(struct work){ .kind = WORK_READ, .stamp = pos, .choice = k };
}

static enum step_status explore_add(struct engine *e, uint32_t tid, const struct op *op)
{
	if (op_reads(op))
		return add_read(e, tid, op);
	if (op->kind == OP_CHOOSE) {
		add_choice(e, tid, op);
		return STEP_DONE;
	}
	uint32_t pos = run_add_simple(e, tid, op);

	if (e->graph.ev[pos].flags & EV_WRITE)
		after_write(e, pos);
	return STEP_DONE;
}

/* Cuts the graph back to what it was when work with this stamp was noted. */
static void cut_back(struct engine *e, uint32_t stamp)
{
	graph_truncate(&e->graph, stamp + 1);
	while (e->nin_place > e->in_place_base && e->in_place[e->nin_place - 1].write >= stamp) {
		const struct in_place *p = &e->in_place[--e->nin_place];

		run_set_read(e, p->read, p->old_rf, 0);
	}
}

static bool do_read(struct engine *e, const struct work *w)
{
	struct event *ev = &e->graph.ev[w->stamp];

	if (ev->kind != OP_CHOOSE)
		return observe(e, w->stamp, w->rf, w->choice, w->taken);
	ev->choice = w->choice;
	ev->read = value_of(w->choice);
	return true;
}

static bool do_revisit(struct engine *e, const struct work *w)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	const uint32_t *prefix = graph_porf(g, w->stamp);
	uint8_t *keep = arena_take(&g->scratch, g->n);
	struct frame *f = &e->frame[e->nframes++];
	uint32_t read;

	for (uint32_t p = 0; p < g->n; p++)
		keep[p] = p <= w->read || g->ev[p].index < prefix[g->ev[p].tid];
	*f = (struct frame){ .base = g->base,
			     .n = g->n,
			     .work = e->work_base,
			     .in_place = e->in_place_base };
	e->work_base = e->nwork;
	e->in_place_base = e->nin_place;
	read = graph_push(g, keep, w->read, w->stamp);
	arena_reset(&g->scratch, mark);
	if (run_set_read(e, read, g->ev[read].rf, w->choice) == GUARD_WRITES)
		after_write(e, run_add_write_part(e, read));
	return true;
}

static bool do_steal(struct engine *e, const struct work *w)
{
	uint32_t pos = run_add_read(e, w->tid, &w->op);

	return observe(e, pos, w->rf, w->choice, true);
}

static void pop_graph(struct engine *e)
{
	const struct frame *f = &e->frame[--e->nframes];
	struct graph *g = &e->graph;

	graph_unlink(g);
	graph_select(g, f->base, f->n);
	graph_link(g);
	e->nin_place = e->in_place_base;
	e->work_base = f->work;
	e->in_place_base = f->in_place;
}

static bool do_work(struct engine *e, const struct work *w)
{
	cut_back(e, w->stamp);
	switch ((enum work_kind)w->kind) {
	case WORK_READ:
		return do_read(e, w);
	case WORK_REVISIT:
		return do_revisit(e, w);
	case WORK_IN_PLACE:
		free_in_place(e, w->read, w->stamp);
		return true;
	case WORK_STEAL:
		return do_steal(e, w);
	}
	return false;
}

/* What waiting threads could take from others, noted at the end of an execution. */
static void note_steals(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	const struct op *op = &e->thread[tid].pending;
	char *mark = arena_mark(&g->scratch);
	uint32_t pos = run_add_read(e, tid, op), n;
	struct candidate *c = arena_take(&g->scratch, (g->n + 1) * sizeof(*c));

	n = run_candidates(e, pos, false, c);
	graph_truncate(g, pos);
	for (uint32_t i = 0; i < n; i++)
		e->work[e->nwork++] = (struct work){ .kind = WORK_STEAL,
						     .stamp = pos - 1,
						     .tid = tid,
						     .rf = c[i].write,
						     .taken = true,
						     .op = *op };
	arena_reset(&g->scratch, mark);
}

static bool explore_again(struct engine *e, const struct engine_outcome *outcome)
{
	bool whole = outcome->ending != END_FAILED && outcome->ending != END_LIMIT;

	for (uint32_t t = 0; whole && t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_WAITS && guard_may_block(e->thread[t].pending.kind) &&
		    e->thread[t].done == e->graph.count[t])
			note_steals(e, t);
	for (;;) {
		while (e->nwork > e->work_base) {
			struct work w = e->work[--e->nwork];

			if (do_work(e, &w))
				return true;
		}
		if (!e->nframes)
			return false;
		pop_graph(e);
	}
}

const struct strategy strategy_explore = {
	.begin = explore_begin,
	.pick = explore_pick,
	.add = explore_add,
	.again = explore_again,
};
