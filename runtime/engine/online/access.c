/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.c - loads, stores and read-modify-writes of memory, each in one go
 *
 * Nearly all that a program does is one of these, and most executions have neither a guide, nor store buffers, nor
 * accesses of several parts. So what online.c, strategy.c and engine.c do about any operation is done here without asking whether
 * it is another one. The same comes of it, and the same numbers are drawn.
 *
 * Caller: engine.c.
 */
#include "engine/online/access.h"

#include "base/prng.h"
#include "engine/online/draw.h"
#include "engine/online/enter.h"
#include "engine/run/peeked.h"

/* Where the store comes in mo: as draw_write(). */
static inline void place(struct engine *e, const struct event *write, struct drawing *d)
{
	const struct online *on = e->online;

	if (draw_may_come_earlier(on) && !prng_below(&e->random, DRAW_EARLIER) &&
	    draw_write_anywhere(e, write, d))
		return;
	if (on->way != WAY_RC11 || !sc_order_is_empty(&on->sc)) {
		draw_write_last(e, write, d);
		return;
	}
	*d = (struct drawing){ .write = e->graph.locs[write->loc].mo_last, .place.behind = NO_POS };
}

static inline void store(struct engine *e, struct event *ev, const struct op *op,
			 struct op_result *r)
{
	struct drawing d;
	uint32_t pos;

	ev->flags = EV_WRITE;
	place(e, ev, &d);
	ev->written = op->arg;
	pos = graph_append(&e->graph, NO_POS);
	enter_write(e->online, ev, pos, d.place);
	write_reaches_memory(e->online, pos, d.write);
	*r = (struct op_result){ .wrote = 1, .stored = ev->written };
}

/*
 * Is the last write the only one that the read may observe, since there is no other, or its thread knows of it, or it was there when the thread was
 * last seen to do something? Not said where anybody else has a say. Uncontended locations are all like that.
 */
static inline bool sees_last_alone(const struct engine *e, const struct event *read)
{
	const struct online *on = e->online;
	const struct graph *g = &e->graph;
	const struct chooser *chooser = on->choices.chooser;
	const uint32_t last = g->locs[read->loc].mo_last;

	if (chooser->sees || chooser->memory != MEMORY_ANY || (read->kind == OP_LOAD && read->fn) ||
	    !sc_order_is_empty(&on->sc))
		return false;
	if (last == RF_INIT)
		return true;
	if (on->way == WAY_MEMORY)
		return moment_of(&on->moments, last) <= on->moments.since[read->tid];
	return g->ev[last].index < graph_hb(g, g->at[read->tid][read->index - 1])[g->ev[last].tid];
}

/* What the read observes: as draw_read(). */
static inline void observe(struct engine *e, const struct event *read, struct drawing *d)
{
	bool found;

	if (!sees_last_alone(e, read)) {
		found = draw_read(e, read, d);
		must(found);
		return;
	}
	*d = (struct drawing){ .write = e->graph.locs[read->loc].mo_last, .place.behind = NO_POS };
	if (polling_wants_last(&e->online->polling, &e->graph, read))
		(void)prng_below(&e->random, POLLING_LUCK); /* it does in any case */
}

static inline void read_and_write(struct engine *e, struct event *ev, struct op_result *r)
{
	struct online *on = e->online;
	struct drawing d;
	enum guard guard;
	uint32_t pos;

	ev->flags = EV_READ;
	observe(e, ev, &d);
	guard = graph_guard(&e->graph, ev, d.write, 0, NULL);
	pos = run_add_peeked_read(e, d.write, 0, guard);
	enter_read(on, ev, pos, d.place);
	*r = (struct op_result){ .value = ev->read };
	if (guard != GUARD_WRITES) {
		learn_moment(on, ev->tid, d.write);
		return;
	}
	pos = run_append_write_part(e, pos);
	enter_write(on, ev + 1, pos, d.place);
	write_reaches_memory(on, pos, d.write);
	e->done[ev->tid]++;
	r->wrote = 1;
	r->stored = ev[1].written;
}

void online_access(struct engine *e, uint32_t tid, const struct op *op, struct op_result *r)
{
	struct online *on = e->online;
	struct event *ev = run_event_at(e, tid, op, e->thread[tid].loc);
	const uint32_t pos = e->graph.n;
	struct happening now = { .ev = ev };

	ev->index = e->graph.count[tid];
	if (op->kind == OP_STORE)
		store(e, ev, op, r);
	else
		read_and_write(e, ev, r);
	on->midway = false;
	if (r->wrote && !value_eq(r->value, r->stored))
		polling_works(&on->polling, tid);
	else
		now.spins = polling_happened(&on->polling, &e->graph, pos);
	e->picked = on->polling.goes_on;
	ev->slot = e->thread[tid].steps++;
	now.news = online_is_news(e, ev);
	choices_happened(&on->choices, &now);
	thread_becomes(e, tid, THREAD_RUNS);
	e->ran[e->nran++] = (struct ran){ .pos = pos, .tid = tid };
	e->done[tid]++;
}
