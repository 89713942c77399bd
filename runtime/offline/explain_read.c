/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain_read.c - see explain_read.h
 *
 * The cut of the engine's graph, with the read observing the write, becomes an execution of
 * the offline checkers, which find cycles. The two parts of a read-modify-write are one event
 * there. What threads learn of other than by memory becomes accesses whose rf edge is
 * happens-before in every model (EX_SYNC): creation and start, end and join write and read a
 * location of their own, and so do a signal and the waiter that it takes out. Under tso
 * creation and end empty the store buffer (model_tso.c), which is what sc stores do there.
 *
 * With a total modification order (`mo` equivalence) that one is judged, and no other: the
 * writes of the cut in its order, and a read-modify-write that is asked about right behind what
 * it reads.
 *
 * Cost: that of the check; a search where the model needs one and mo is open.
 */
#include "offline/explain_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/guard.h"

struct bridge {
	struct explanation *e;
	enum engine_model model;
	const struct graph *g;
	const uint32_t *cut;
	uint32_t read, write; /* in question */
	bool rmw;
	uint32_t *index; /* of each event of the graph that is one of the execution */
};

/* The location of what happens between two threads. */
enum link_kind {
	LINK_CREATE,
	LINK_END,
	LINK_WAKE
};

static uint32_t link_location(struct bridge *b, enum link_kind kind, uint32_t number)
{
	static const char *const words[] = { "create", "end", "wake" };
	char name[32];
	int n = snprintf(name, sizeof(name), "%s:%u", words[kind], number);

	return execution_location(&b->e->x, name, (size_t)n);
}

static uint32_t memory_location(struct bridge *b, uint32_t loc)
{
	const struct location *l = &b->g->locs[loc];
	char name[40];
	int n = snprintf(name, sizeof(name), "%s0x%llx",
			 l->size ? "" : "object:", (unsigned long long)l->addr);

	return execution_location(&b->e->x, name, (size_t)n);
}

/* Is the event one part of a read-modify-write whose other part is in the cut, too? */
static bool is_pair(const struct bridge *b, const struct event *ev)
{
	return (ev->flags & (EV_READ | EV_EXCLUSIVE)) == (EV_READ | EV_EXCLUSIVE) &&
	       ev->index + 1 < b->cut[ev->tid];
}

/* ---- Which events there are ---------------------------------------------------------------- */

static bool reads_event(const struct event *ev)
{
	return ev->rf < RF_NONE;
}

/* Does the event let threads go on that wait for a condition variable or at a barrier? */
static bool wakes(const struct event *ev)
{
	return is_rmw_write(ev) && (ev->kind == OP_COND_SIGNAL || ev->kind == OP_COND_BROADCAST ||
				    ev->kind == OP_BARRIER_ARRIVE || ev->kind == OP_FUTEX_WAKE ||
				    ev->kind == OP_FUTEX_REQUEUE);
}

static bool is_event(const struct bridge *b, uint32_t pos)
{
	const struct event *ev = &b->g->ev[pos];

	switch (ev->kind) {
	case OP_CREATE:
	case OP_END:
		return true;
	case OP_START:
	case OP_JOIN:
	case OP_COND_WOKEN:
	case OP_BARRIER_PASS:
		return reads_event(ev);
	case OP_FENCE:
		return ev->order > ORDER_RLX;
	default:
		return pos == b->read ||
		       ((ev->flags & (EV_READ | EV_WRITE)) && !(ev->flags & EV_BLOCKED));
	}
}

/* Gives each event of the cut the index that it has in the execution. */
static void number_events(struct bridge *b)
{
	const struct graph *g = b->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < b->cut[t]; i++) {
			uint32_t pos = g->at[t][i];

			if (is_rmw_write(&g->ev[pos]))
				b->index[pos] = b->index[g->at[t][i - 1]];
			else
				b->index[pos] = is_event(b, pos) ? n++ : EX_NONE;
			n += wakes(&g->ev[pos]);
		}
	}
}

/* ---- The execution ------------------------------------------------------------------------- */

static void add(struct bridge *b, struct execution_event ev, uint32_t step)
{
	struct explanation *e = b->e;

	e->step = offline_grow(e->step, e->x.n + 1, sizeof(*e->step));
	e->step[e->x.n] = step;
	execution_add(&e->x, &ev);
}

static void observe(const struct bridge *b, struct execution_event *x, uint32_t write)
{
	x->rf_tid = EX_INIT;
	if (write == RF_INIT)
		return;
	x->rf_tid = b->g->ev[write].tid;
	x->rf_index = b->index[write];
}

/* What a thread writes for, or reads from, another: false if it is no such event. */
static bool link_event(struct bridge *b, const struct event *ev, struct execution_event *x)
{
	const struct graph *g = b->g;

	x->order = ORDER_RLX;
	switch (ev->kind) {
	case OP_CREATE:
	case OP_END:
		x->kind = EX_WRITE;
		x->loc = ev->kind == OP_CREATE ? link_location(b, LINK_CREATE, ev->peer)
					       : link_location(b, LINK_END, ev->tid);
		if (b->model == MODEL_TSO)
			x->order = ORDER_SC;
		return true;
	case OP_START:
	case OP_JOIN:
	case OP_COND_WOKEN:
	case OP_BARRIER_PASS:
		x->kind = EX_READ | EX_SYNC;
		observe(b, x, ev->rf);
		if (ev->kind == OP_COND_WOKEN || ev->kind == OP_BARRIER_PASS)
			x->rf_index++;
		x->loc = ev->kind == OP_START  ? link_location(b, LINK_CREATE, ev->tid)
			 : ev->kind == OP_JOIN ? link_location(b, LINK_END, g->ev[ev->rf].tid)
					       : link_location(b, LINK_WAKE, ev->rf);
		return true;
	default:
		return false;
	}
}

/* An access or a fence. */
static struct execution_event access_event(struct bridge *b, uint32_t pos)
{
	const struct event *ev = &b->g->ev[pos];
	bool asked = pos == b->read;
	struct execution_event x = { .tid = ev->tid, .order = ev->order };

	if (ev->flags & EV_FENCE) {
		x.kind = EX_FENCE;
		return x;
	}
	x.loc = memory_location(b, ev->loc);
	x.kind = ev->flags & EV_WRITE ? EX_WRITE : EX_READ;
	if (asked ? b->rmw : is_pair(b, ev))
		x.kind |= EX_WRITE;
	if (x.kind & EX_READ)
		observe(b, &x, asked ? b->write : ev->rf);
	if (asked)
		x.order = graph_order_given(b->g, ev, b->write);
	if ((x.kind & EX_READ) && !ev->size && x.order != ORDER_RLX)
		x.kind |= EX_SYNC;
	/* Nothing is released without a write. */
	if (!(x.kind & EX_WRITE) && (x.order == ORDER_REL || x.order == ORDER_ACQ_REL))
		x.order = x.order == ORDER_REL ? ORDER_RLX : ORDER_ACQ;
	return x;
}

static void add_thread(struct bridge *b, uint32_t t)
{
	const struct graph *g = b->g;
	uint32_t step = 0;

	for (uint32_t i = 0; i < b->cut[t]; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];
		struct execution_event x = { .tid = t };

		if (!is_rmw_write(ev)) {
			step++;
			if (is_event(b, pos))
				add(b, link_event(b, ev, &x) ? x : access_event(b, pos), step - 1);
		}
		if (wakes(ev))
			add(b,
			    (struct execution_event){ .tid = t,
						      .kind = EX_WRITE,
						      .order = ORDER_RLX,
						      .loc = link_location(b, LINK_WAKE, pos) },
			    step - 1);
	}
}

/* ---- A modification order ------------------------------------------------------------------ */

/* The write's place is behind the ones that have got theirs. */
static void rank_write(struct bridge *b, uint32_t pos, uint32_t *count)
{
	const struct execution *x = &b->e->x;
	uint32_t e = x->first[b->g->ev[pos].tid] + b->index[pos];

	if (!b->e->rank[e])
		b->e->rank[e] = ++count[x->loc[e]];
}

/* The read in question writes right behind what it reads. */
static void rank_asked(struct bridge *b, uint32_t behind, uint32_t *count)
{
	if (b->rmw && b->write == behind)
		rank_write(b, b->read, count);
}

/* That of the graph. What waking and joining write comes once at its location. */
static void rank_writes(struct bridge *b)
{
	const struct graph *g = b->g;
	const struct execution *x = &b->e->x;
	uint32_t *count = offline_zeroed(x->nlocs, sizeof(*count));

	b->e->rank = offline_zeroed(x->n, sizeof(*b->e->rank));
	rank_asked(b, RF_INIT, count);
	for (uint32_t l = 0; l < g->nlocs; l++) {
		for (uint32_t w = g->locs[l].mo_first; w != NO_POS; w = g->ev[w].mo_after) {
			if (!in_cut(&g->ev[w], b->cut))
				continue;
			rank_write(b, w, count);
			rank_asked(b, w, count);
		}
	}
	for (uint32_t e = 0; e < x->n; e++)
		if ((x->kind[e] & EX_WRITE) && !b->e->rank[e])
			b->e->rank[e] = ++count[x->loc[e]];
	free(count);
}

static enum explained judge(struct bridge *b, bool given)
{
	struct explanation *e = b->e;
	const struct graph *g = b->g;
	struct execution_error error;
	bool decided = true, whole;

	memset(e, 0, sizeof(*e));
	execution_init(&e->x);
	b->index = offline_room(g->n, sizeof(*b->index));
	number_events(b);
	for (uint32_t t = 0; t < g->nthreads; t++)
		add_thread(b, t);
	whole = execution_finish(&e->x, &error);
	must(whole); /* a cut is closed under rf */
	if (given && b->model != MODEL_WRA) {
		rank_writes(b);
		check_mo(&e->x, b->model, e->rank, &e->v);
	} else {
		decided = checker_best(&e->x, b->model)->check(&e->x, b->model, false, &e->v);
	}
	free(b->index);
	if (!decided)
		return EXPLAIN_TOO_LARGE;
	return e->v.consistent ? EXPLAIN_MAY : EXPLAIN_MAY_NOT;
}

enum explained explain_read(struct explanation *e, enum engine_model model, const struct graph *g,
			    const uint32_t *cut, uint32_t read, uint32_t write, bool rmw)
{
	struct bridge b = {
		.e = e, .model = model, .g = g, .cut = cut, .read = read, .write = write, .rmw = rmw
	};

	return judge(&b, g->mo);
}

enum explained explain_graph(struct explanation *e, enum engine_model model, const struct graph *g,
			     const uint32_t *cut, bool given)
{
	struct bridge b = {
		.e = e, .model = model, .g = g, .cut = cut, .read = NO_POS, .write = NO_POS
	};

	return judge(&b, given);
}

void explanation_release(struct explanation *e)
{
	verdict_release(&e->v);
	execution_release(&e->x);
	free(e->step);
	free(e->rank);
	memset(e, 0, sizeof(*e));
}
