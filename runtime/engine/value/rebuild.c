/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rebuild.c - see rebuild.h
 *
 * Each consistent graph can be built event by event, in any order that po and rf agree with, and is consistent at each
 * step. Events that read nothing are added as soon as they can be: there is no choice about them. A
 * thread that is at a read observes one of the good writes that are there and that the model admits, or none
 * of these but one that comes later, if any can. So each graph is built in one way at most. What
 * a read may not observe now it may not later either; a read without anything left ends that branch.
 *
 * The question is NP-hard for sc (RVF, Section 3); what keeps it short is that reads first observe what they did before.
 */
#include "engine/value/rebuild.h"

#include <string.h>

#include "engine/explore/explore.h"
#include "engine/run/run.h"
#include "engine/value/queues.h"

static const struct event *next_of(const struct rebuilt *b, uint32_t tid)
{
	const uint32_t i = b->e->graph.count[tid];

	return i < b->end[tid] ? &b->old[b->at[tid][i]] : NULL;
}

/* What the read, of either graph, wrote in the old one. */
static struct value written_behind(const struct rebuilt *b, const struct event *read)
{
	return b->old[b->at[read->tid][read->index + 1]].written;
}

/* Is that event of the old graph in the new one? */
static bool is_there(const struct rebuilt *b, const struct event *ev)
{
	return ev->index < b->e->graph.count[ev->tid];
}

/* Appends the event; a read observes nothing yet, and what is none and waits for another one has that at rf. */
static uint32_t append(struct graph *g, const struct event *from, uint32_t rf)
{
	struct event *ev = graph_next(g);
	uint32_t pos;

	*ev = *from;
	ev->rf = rf;
	if (from->flags & EV_READ) {
		ev->flags = EV_READ;
		ev->order = ev->order_success;
		ev->rf = RF_NONE;
		ev->written = g->locs[ev->loc].initial;
	}
	pos = graph_add(g, ev);
	if (ev->flags & EV_WRITE)
		witness_add(g, pos);
	return pos;
}

static uint32_t add_event(struct rebuilt *b, const struct event *from)
{
	struct graph *g = &b->e->graph;
	uint32_t rf = from->rf;

	if (from->kind == OP_COND_WOKEN)
		rf = queue_waker(b->e, from->tid);
	else if (!(from->flags & EV_READ) && rf < RF_NONE)
		rf = g->at[b->old[rf].tid][b->old[rf].index];
	return append(g, from, rf);
}

/*
 * A futex wake, at pos: whom does it take out if it observes that write, so that the same threads sleep behind it as in the old graph? False: it
 * cannot, as one of them sleeps there on another word, or with other bits.
 */
static bool wakes_the_same(const struct rebuilt *b, uint32_t pos, uint32_t write, uint32_t *choice)
{
	const struct graph *g = &b->e->graph;
	const struct event *ev = &g->ev[pos];
	const uint32_t n = graph_choices_of(g, ev, write);
	struct value written;

	for (*choice = 0; *choice < n; ++*choice) {
		graph_guard(g, ev, write, *choice, &written);
		if (value_eq(written, written_behind(b, ev)))
			return true;
	}
	return false;
}

/* The read at pos, the last event, a futex wake, has its write, as in the old graph: what it is cannot be told where the chain has gaps. */
static void add_wake(const struct rebuilt *b, uint32_t pos)
{
	struct graph *g = &b->e->graph;
	struct event *ev = graph_next(g);

	*ev = g->ev[pos];
	ev->written = written_behind(b, ev);
	ev->flags = EV_WRITE | EV_EXCLUSIVE;
	ev->rf = RF_NONE;
	witness_add(g, graph_add(g, ev));
}

/* The read, the last event, observes that. */
static void observes(struct engine *e, uint32_t pos, uint32_t write)
{
	e->graph.witness.promised = 0;
	if (run_set_read(e, pos, write, e->graph.ev[pos].choice) == GUARD_WRITES)
		run_add_write_part(e, pos);
}

void rebuild_as_it_was(struct engine *e, const struct event *from)
{
	uint32_t pos;

	witness_settle(&e->graph, e->model);
	pos = append(&e->graph, from, from->rf);
	if (from->flags & EV_READ)
		observes(e, pos, from->rf);
}

/* Is what the event, which reads nothing, waits for in the new graph? */
static bool can_be_there(const struct rebuilt *b, const struct event *ev)
{
	if (ev->kind == OP_COND_WOKEN)
		return queue_waker(b->e, ev->tid) != NO_POS;
	return ev->rf >= RF_NONE || is_there(b, &b->old[ev->rf]);
}

/* Adds what reads nothing and can be there. */
static void add_others(struct rebuilt *b)
{
	bool any;

	do {
		any = false;
		for (uint32_t t = 0; t < b->e->nthreads; t++) {
			const struct event *ev;

			while ((ev = next_of(b, t)) && !(ev->flags & EV_READ) &&
			       can_be_there(b, ev)) {
				add_event(b, ev);
				any = true;
			}
		}
	} while (any);
}

static bool is_done(const struct rebuilt *b)
{
	for (uint32_t t = 0; t < b->e->nthreads; t++)
		if (next_of(b, t))
			return false;
	return true;
}

/* ---- What a read may observe ------------------------------------------------------------------- */

/* Was the thread's read put off until another write than this is there? */
static bool is_put_off(const struct rebuilt *b, uint32_t tid, uint32_t write)
{
	const struct graph *g = &b->e->graph;
	const struct value_point *p;

	if (!b->put_off[tid])
		return false;
	p = &b->e->value->point[b->put_off[tid] - 1];
	return write == RF_INIT || g->ev[write].index < p->count[g->ev[write].tid];
}

static bool agrees(const struct rebuilt *b, const struct event *read, const struct event *write)
{
	return !b->may_observe || b->may_observe(b, read, write);
}

/* Could the read observe that write, as far as values and po say? */
static bool is_alike(const struct rebuilt *b, const struct event *read, const struct event *write)
{
	return (write->flags & EV_WRITE) && write->loc == read->loc &&
	       value_eq(write->written, read->read) &&
	       !(write->tid == read->tid && write->index > read->index) && agrees(b, read, write);
}

/* Is the write, of the new graph, a good one? */
static bool is_good(const struct rebuilt *b, const struct event *read, uint32_t write)
{
	const struct graph *g = &b->e->graph;

	if (b->by_value)
		return value_eq(graph_value(g, read->loc, write), read->read) &&
		       agrees(b, read, write == RF_INIT ? NULL : &g->ev[write]);
	return value_is_good(b->e, read->slot, write) &&
	       agrees(b, read, write == RF_INIT ? NULL : &g->ev[write]);
}

/* The write of that name, in the old graph; NULL: the initial one. */
static const struct event *old_named(const struct rebuilt *b, uint64_t name)
{
	return name ? &b->old[b->at[(name - 1) >> 32][(uint32_t)(name - 1)]] : NULL;
}

static bool has_choice(const struct rebuilt *b, const struct event *read)
{
	const struct value_search *v = b->e->value;
	const struct value_node *node = &v->node[read->slot];
	uint32_t n = 0;

	if (!b->by_value && !b->may_observe)
		return node->ngood > 1;
	for (uint32_t i = 0; !b->by_value && i < node->ngood; i++)
		n += agrees(b, read, old_named(b, v->good[node->good + i]));
	if (!b->by_value)
		return n > 1;
	n += value_eq(b->e->graph.locs[read->loc].initial, read->read) && agrees(b, read, NULL);
	for (uint32_t i = 0; i < b->n && n < 2; i++)
		n += is_alike(b, read, &b->old[i]);
	return n > 1;
}

/* Is a good write of the read not there yet? */
static bool more_to_come(const struct rebuilt *b, const struct event *read)
{
	const struct value_search *v = b->e->value;
	const struct value_node *node = &v->node[read->slot];

	for (uint32_t i = 0; b->by_value && i < b->n; i++)
		if (is_alike(b, read, &b->old[i]) && !is_there(b, &b->old[i]))
			return true;
	for (uint32_t i = 0; !b->by_value && i < node->ngood; i++) {
		const uint64_t name = v->good[node->good + i];

		if (name && (uint32_t)(name - 1) >= b->e->graph.count[(name - 1) >> 32] &&
		    agrees(b, read, old_named(b, name)))
			return true;
	}
	return false;
}

/* Did it observe that in the old graph? */
static bool as_before(const struct rebuilt *b, const struct event *read, uint32_t write)
{
	const struct graph *g = &b->e->graph;

	if (write == RF_INIT || read->rf >= RF_NONE)
		return write == read->rf;
	return event_name(&g->ev[write]) == event_name(&b->old[read->rf]);
}

/* The good writes that are there for the thread's next event, at pos, into out; as before comes first. */
static uint32_t good_writes(const struct rebuilt *b, uint32_t pos, uint32_t *out)
{
	const struct graph *g = &b->e->graph;
	const struct event *read = &g->ev[pos], *from = &b->old[b->at[read->tid][read->index]];
	uint32_t n = 0, w = g->locs[read->loc].last;

	for (;; w = g->ev[w].prev_at_loc) {
		if ((w == RF_INIT || (g->ev[w].flags & EV_WRITE)) && is_good(b, from, w) &&
		    !is_put_off(b, read->tid, w)) {
			out[n] = w;
			if (as_before(b, from, w)) {
				out[n] = out[0];
				out[0] = w;
			}
			n++;
		}
		if (w == RF_INIT)
			return n;
	}
}

/*
 * Which of them, from the one of that number on, the model admits, into b->out: the first `most` of them. *next, if there is any: the number behind the
 * first one.
 */
static uint32_t choices_from(struct rebuilt *b, uint32_t tid, uint32_t from, uint32_t most,
			     uint32_t *next)
{
	struct engine *e = b->e;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t pos, n, ngood, *good, choice;

	witness_settle(g, e->model);
	pos = add_event(b, next_of(b, tid));
	good = arena_take(&g->scratch, (g->n + 1) * sizeof(*good));
	ngood = good_writes(b, pos, good);
	n = from < ngood ? run_may_observe(e, pos, good + from, ngood - from, most, b->out) : 0;
	for (*next = from; n && good[*next] != b->out[0];)
		++*next;
	*next += n > 0;
	/* A wake may observe one at most, the last of the chain. */
	if (n && g->ev[pos].kind == OP_FUTEX_WAKE && !b->has_gaps)
		n = wakes_the_same(b, pos, b->out[0], &choice);
	graph_truncate(g, pos);
	arena_reset(&g->scratch, mark);
	return n;
}

static uint32_t choices(struct rebuilt *b, uint32_t tid, uint32_t most)
{
	uint32_t next;

	return choices_from(b, tid, 0, most, &next);
}

/* The thread's next event, a read, observes that. */
static void observe(struct rebuilt *b, uint32_t tid, uint32_t write)
{
	struct graph *g = &b->e->graph;
	uint32_t pos;

	witness_settle(g, b->e->model);
	pos = add_event(b, next_of(b, tid));
	if (g->ev[pos].kind != OP_FUTEX_WAKE) {
		observes(b->e, pos, write);
		return;
	}
	if (!b->has_gaps)
		must(wakes_the_same(b, pos, write, &g->ev[pos].choice));
	g->witness.promised = 0;
	must(run_set_read(b->e, pos, write, g->ev[pos].choice) == GUARD_WRITES);
	add_wake(b, pos);
}

/* ---- Only what has no choice ---------------------------------------------------------------- */

/* Adds an event that observes nothing, as one that does nothing, and if it is a read that writes, that as a write. */
static void add_silent(struct rebuilt *b, uint32_t tid)
{
	struct event ev = *next_of(b, tid);
	const bool writes = ev.flags & EV_EXCLUSIVE;

	ev.kind = OP_CHOOSE;
	ev.flags = 0;
	ev.order = ORDER_RLX;
	ev.loc = NO_LOC;
	ev.rf = RF_NONE;
	graph_add(&b->e->graph, &ev);
	if (!writes)
		return;
	ev = *next_of(b, tid);
	ev.flags = EV_WRITE;
	witness_add(&b->e->graph, graph_add(&b->e->graph, &ev));
}

/* Has the thread that goes to sleep looked at the queue without observing anything? */
static bool looked_silently(const struct rebuilt *b, const struct event *from)
{
	const struct graph *g = &b->e->graph;
	uint32_t i = from->index;

	if (from->kind != OP_FUTEX_WAIT)
		return false;
	while (b->old[b->at[from->tid][--i]].kind != OP_FUTEX_LOOK)
		must(i);
	return g->ev[g->at[from->tid][i]].kind != OP_FUTEX_LOOK;
}

/* What the read, which has no choice, observes in all executions of its node. */
static uint32_t only_good(const struct rebuilt *b, const struct event *read)
{
	const struct value_search *v = b->e->value;

	must(!b->by_value);
	return value_named(&b->e->graph, v->good[v->node[read->slot].good]);
}

/*
 * Adds the thread's next event, a read, if that can be now. False: there is no such graph. (With `last` there is one of all but that, so it
 * is not asked.)
 */
static bool add_without_choice(struct rebuilt *b, uint32_t tid, const struct event *last, bool *any)
{
	const struct event *from = next_of(b, tid);

	if (has_choice(b, from)) {
		add_silent(b, tid);
		*any = true;
		return true;
	}
	must(!looked_silently(b, from)); /* it has at least as many good writes as the look */
	if (more_to_come(b, from))
		return true;
	if (last)
		b->out[0] = only_good(b, from);
	else if (!choices(b, tid, 1))
		return false;
	observe(b, tid, b->out[0]);
	return *any = true;
}

/* Nothing else can be added: threads that wait at condition variables go on, whoever woke them. False: there are none. */
static bool add_woken(struct rebuilt *b)
{
	bool any = false;

	for (uint32_t t = 0; t < b->e->nthreads; t++)
		if (next_of(b, t) && next_of(b, t)->kind == OP_COND_WOKEN) {
			add_silent(b, t);
			any = true;
		}
	return any;
}

bool rebuild_musts(struct rebuilt *b, const struct event *last)
{
	bool any = true;

	b->has_gaps = true;
	while (any) {
		any = false;
		add_others(b);
		for (uint32_t t = 0; t < b->e->nthreads; t++) {
			const struct event *ev = next_of(b, t);

			if (ev && ev != last && (ev->flags & EV_READ) &&
			    !add_without_choice(b, t, last, &any))
				return false;
		}
		any = any || add_woken(b);
	}
	for (uint32_t t = 0; t < b->e->nthreads; t++) {
		const struct event *ev = next_of(b, t);

		if (ev && ev != last)
			return false; /* each of some reads waits for a write behind another one of them */
	}
	return !last || choices(b, last->tid, 1);
}

/* ---- A search ------------------------------------------------------------------------------ */

enum {
	DEAD = VALUE_ROW,
	DONE
};

/* The thread whose read is next, and what it observes first: one that has no choice, if there is such a one. DEAD: some read has nothing left. */
static uint32_t pick(struct rebuilt *b)
{
	uint32_t best = DEAD;

	for (uint32_t t = 0; t < b->e->nthreads; t++) {
		const struct event *ev = next_of(b, t);
		uint32_t n, next;
		bool later;

		if (!ev || !(ev->flags & EV_READ))
			continue;
		n = choices_from(b, t, 0, 2, &next);
		later = more_to_come(b, ev);
		if (!n && !later)
			return DEAD;
		if (n && (best == DEAD || (n == 1 && !later))) {
			best = t;
			b->first = b->out[0];
			b->behind_first = next;
		}
		if (n == 1 && !later)
			return t;
	}
	return best == DEAD && is_done(b) ? DONE : best;
}

/* Is there nothing left that the read asked about could observe? What it may not observe now it may not later. */
static bool is_dead(struct rebuilt *b)
{
	const struct event *last = &b->old[b->n - 1];

	return next_of(b, last->tid) == last && !more_to_come(b, last) && !choices(b, last->tid, 1);
}

/* Does at a point what was not tried yet. False: all was, or it is all in vain. */
static bool take(struct rebuilt *b, uint32_t which)
{
	struct graph *g = &b->e->graph;
	struct value_point *p = &b->e->value->point[which];

	graph_truncate(g, p->n);
	b->put_off[p->tid] = p->before;
	if (p->later || (which < b->nbegun && is_dead(b)))
		return false;
	if (choices_from(b, p->tid, p->tried, 1, &p->tried)) {
		b->put_off[p->tid] = 0;
		observe(b, p->tid, b->out[0]);
		return true;
	}
	if (!more_to_come(b, next_of(b, p->tid)))
		return false;
	p->later = true;
	memcpy(p->count, g->count, sizeof(p->count));
	b->put_off[p->tid] = which + 1;
	return true;
}

/* Goes on where the graph is, for `most` steps (0: to the end); dead: nothing comes of it as it is. */
static enum value_answer go_on(struct rebuilt *b, uint32_t most, bool dead)
{
	struct value_search *v = b->e->value;
	uint32_t taken = 0;

	b->has_gaps = false;
	for (;; dead = false) {
		uint32_t t = DEAD;

		if (!dead) {
			add_others(b);
			t = b->is_useless && b->is_useless(b, b->ctx) ? DEAD : pick(b);
		}
		if (t == DONE && (!b->is_wanted || b->is_wanted(b->e)))
			return VALUE_OTHER;
		if (t != DEAD && t != DONE) {
			if (v->npoints == v->room)
				return VALUE_FULL;
			v->point[v->npoints++] = (struct value_point){ .n = b->e->graph.n,
								       .tid = t,
								       .tried = b->behind_first,
								       .before = b->put_off[t] };
		}
		if (most && taken++ == most)
			return VALUE_FULL;
		if (t != DEAD && t != DONE) {
			b->put_off[t] = 0;
			observe(b, t, b->first);
			continue;
		}
		while (v->npoints && !take(b, v->npoints - 1))
			v->npoints--;
		if (!v->npoints)
			return VALUE_NEVER;
	}
}

enum value_answer rebuild_search(struct rebuilt *b)
{
	b->e->value->npoints = b->nbegun = 0;
	return go_on(b, 0, false);
}

enum value_answer rebuild_change(struct rebuilt *b, uint32_t most)
{
	struct value_search *v = b->e->value;

	v->npoints = 0;
	for (uint32_t pos = 0; pos + 1 < b->n; pos++) {
		if (!(b->old[pos].flags & EV_READ) || !has_choice(b, &b->old[pos]))
			continue;
		if (v->npoints == v->room)
			return VALUE_FULL;
		v->point[v->npoints++] =
			(struct value_point){ .n = pos, .tid = b->old[pos].tid, .tried = 1 };
	}
	b->nbegun = v->npoints;
	return go_on(b, most, true);
}

/* ---- Its begin ---------------------------------------------------------------------------------- */

/* Of the events of b->old, what the new graph begins with: none, or all, of which it may lose those from the first choice on. */
static void keep_events(const struct rebuilt *b, bool as_it_is, uint8_t *keep)
{
	uint32_t pos = 0;

	memset(keep, as_it_is ? KEEP_FOR_NOW : 0, b->n);
	for (; as_it_is && pos + 1 < b->n; pos++) {
		if ((b->old[pos].flags & EV_READ) && has_choice(b, &b->old[pos]))
			return;
		keep[pos] = 1;
	}
}

bool rebuild_begin(struct rebuilt *b, struct engine *e, bool as_it_is)
{
	struct graph *g = &e->graph;
	uint8_t *keep;
	char *mark;

	if ((size_t)g->base + 4 * ((size_t)g->n + 4) > g->capacity)
		return false;
	*b = (struct rebuilt){ .e = e, .old = g->ev, .n = g->n };
	b->out = arena_take(&g->scratch, (g->n + 2) * sizeof(*b->out));
	for (uint32_t t = 0; t < e->nthreads; t++) {
		b->end[t] = g->count[t];
		b->at[t] = arena_take(&g->scratch, (g->count[t] + 1) * sizeof(uint32_t));
		memcpy(b->at[t], g->at[t], g->count[t] * sizeof(uint32_t));
	}
	mark = arena_mark(&g->scratch);
	keep = arena_take(&g->scratch, g->n);
	keep_events(b, as_it_is, keep);
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	return true;
}
