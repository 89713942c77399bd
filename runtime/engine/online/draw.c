/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draw.c - see draw.h
 *
 * What may be drawn is the end of a list, mo from the thread's floor on. Of a short one each is as
 * likely as the others. Of a longer one the last NEAR share half the chance; one that is d back has a
 * chance of about 1/d of the rest, so that none is out of reach and a walk is O(log q) on average. (Under wra, where nothing but
 * what is hidden leaves the list, it is O(1) on average, by jumps.)
 */
#include "engine/online/draw.h"

#include "base/prng.h"
#include "engine/graph/futex.h"
#include "engine/run/run.h"

enum {
	NEAR = 8,
	FAR_STEPS = 24, /* doublings, at most */
	TOLD = 10
};

struct list {
	const struct event *ev;
	const uint32_t *clock;
	uint32_t
		floor; /* the first of them, or NO_POS: the one that was there at the moment `since` */
	uint32_t oldest; /* of the location: there is none before it */
	uint64_t since;
	uint32_t near[NEAR], n;
	bool whole; /* those are all */
};

/* How much of each thread the next event of this one knows of by hb, before it reads. */
static const uint32_t *clock_of(const struct graph *g, uint32_t tid)
{
	static const uint32_t nothing[HEDDLE_MAX_THREADS];
	uint32_t n = g->count[tid];

	return n ? graph_hb(g, g->at[tid][n - 1]) : nothing;
}

/* As agrees(), where the model may have something to say. */
static __attribute__((noinline)) bool admitted_by_model(struct engine *e, const struct list *l,
							uint32_t write, bool reads, bool writes,
							unsigned order, struct drawing *d)
{
	struct online *on = e->online;

	if (online_in_order(e, l->ev->loc)) {
		d->place.behind = on->sc.last;
		return true;
	}
	switch (on->way) {
	case WAY_MEMORY:
	case WAY_APPEND:
	case WAY_BUFFERS:
		return !writes || write == e->graph.locs[l->ev->loc].mo_last ||
		       (write != RF_INIT && !on->mo.of[write].label);
	case WAY_WEAK:
		return !mod_hidden(&on->mo, l->ev->loc, l->ev->tid, l->clock, write);
	case WAY_RC11:
		d->place.behind = NO_POS;
		return sc_order_is_empty(&on->sc) ||
		       sc_order_admits(&on->sc,
				       &(struct sc_question){ .tid = l->ev->tid,
							      .loc = l->ev->loc,
							      .write = write,
							      .clock = l->clock,
							      .order = order,
							      .reads = reads,
							      .writes = writes },
				       &d->place);
	default:
		return true;
	}
}

/* May it be this one, as the model has it beyond coherence? writes: a write comes right behind it. */
static inline bool agrees(struct engine *e, const struct list *l, uint32_t write, bool reads,
			  bool writes, unsigned order, struct drawing *d)
{
	d->write = write;
	if (e->online->way == WAY_RC11 && sc_order_is_empty(&e->online->sc) &&
	    !e->config.parts_in_order) {
		d->place.behind = NO_POS;
		return true;
	}
	return admitted_by_model(e, l, write, reads, writes, order, d);
}

static bool may_read(struct engine *e, const struct list *l, uint32_t write, struct drawing *d)
{
	const struct event *ev = l->ev;
	enum guard guard;
	bool writes;

	/* Most of those that it is asked about are taken, where threads add. */
	if (ev->kind == OP_RMW)
		return !mod_taken(&e->online->mo, ev->loc, write) &&
		       agrees(e, l, write, true, true, ev->order_success, d);
	guard = graph_guard(&e->graph, ev, write, 0, NULL);
	writes = guard == GUARD_WRITES;
	if (guard == GUARD_BLOCKS)
		return false;
	if ((writes || ev->kind == OP_FUTEX_LOOK) && mod_taken(&e->online->mo, ev->loc, write))
		return false;
	return agrees(e, l, write, true, writes, writes ? ev->order_success : ev->order_fail, d);
}

static bool may_follow(struct engine *e, const struct list *l, uint32_t write, struct drawing *d)
{
	return !mod_taken(&e->online->mo, l->ev->loc, write) &&
	       agrees(e, l, write, false, true, l->ev->order, d);
}

typedef bool admits(struct engine *e, const struct list *l, uint32_t write, struct drawing *d);

/* Is there none before it? */
static bool is_first(const struct engine *e, const struct list *l, uint32_t write)
{
	return write == l->floor || write == l->oldest ||
	       (l->floor == RF_NONE && moment_of(&e->online->moments, write) <= l->since);
}

/* Where the list begins; and where it ends. */
static uint32_t list_ends(struct engine *e, struct list *l)
{
	struct online *on = e->online;
	const struct event *ev = l->ev;
	const uint32_t last = e->graph.locs[ev->loc].mo_last;
	uint32_t own;

	l->oldest = mod_oldest(&on->mo, ev->loc);
	l->floor = RF_NONE;
	l->since = on->moments.since[ev->tid];
	if (online_in_order(e, ev->loc))
		return l->floor = last;
	switch (on->way) {
	case WAY_MEMORY:
		return last;
	case WAY_BUFFERS:
		own = buffers_own(&on->buffers, ev->tid, ev->loc);
		if (own == NO_POS)
			return last;
		if (!on->mo.of[own].label)
			return l->floor = own;
		if (l->since < moment_of(&on->moments, own))
			l->since = moment_of(&on->moments, own);
		return last;
	case WAY_WEAK:
		l->floor = l->oldest;
		return last;
	default:
		l->floor = mod_floor_now(&on->mo, ev->loc, ev->tid, l->clock);
		return last;
	}
}

/* The last writes, and how far the list goes. */
static void list_begin(struct engine *e, struct list *l, const struct event *ev)
{
	uint32_t w;

	l->ev = ev;
	l->clock = clock_of(&e->graph, ev->tid);
	w = list_ends(e, l);
	for (l->n = 0, l->whole = false; l->n < NEAR && !l->whole;) {
		l->near[l->n++] = w;
		l->whole = is_first(e, l, w);
		w = l->whole ? w : mod_before(&e->online->mo, w);
	}
}

static uint32_t walk_back(struct engine *e, const struct list *l, uint32_t w, uint32_t steps)
{
	while (steps-- && !is_first(e, l, w))
		w = mod_before(&e->online->mo, w);
	return w;
}

/* One that is further back than the near ones. */
static uint32_t draw_far(struct engine *e, const struct list *l)
{
	uint32_t near = l->near[NEAR - 1], steps = NEAR, far;

	for (int i = 0; i < FAR_STEPS && prng_below(&e->random, 2); i++)
		steps *= 2;
	steps = 1 + prng_below(&e->random, steps);
	if (e->online->way != WAY_WEAK)
		return walk_back(e, l, near, steps);
	far = mod_far_before(&e->online->mo, l->ev->loc, near, steps);
#ifdef HEDDLE_CHECKS
	must(far == walk_back(e, l, near, steps));
#endif
	return far;
}

/* Any that is admitted, from the n-th near one on back. */
static bool find_any(struct engine *e, const struct list *l, admits *may, struct drawing *d)
{
	uint32_t w = l->near[l->n - 1];

	while (!is_first(e, l, w)) {
		w = mod_before(&e->online->mo, w);
		if (may(e, l, w, d))
			return true;
	}
	return false;
}

/* The newest write that the read may observe. */
static bool take_newest(struct engine *e, const struct list *l, struct drawing *d)
{
	for (uint32_t w = l->near[0];; w = mod_before(&e->online->mo, w)) {
		if (may_read(e, l, w, d))
			return true;
		if (is_first(e, l, w))
			return false;
	}
}

static bool take_named(struct engine *e, const struct list *l, uint32_t write, struct drawing *d)
{
	for (uint32_t w = l->near[0];; w = mod_before(&e->online->mo, w)) {
		if (w == write)
			return may_read(e, l, w, d);
		if (is_first(e, l, w))
			return false;
	}
}

/* What the guide wants, if it can be had. */
static bool take_guided(struct engine *e, const struct list *l, struct drawing *d)
{
	uint32_t write = RF_NONE;
	enum guide_read how = guide_read(e, l->ev, &write);

	if (how == GUIDE_FREE)
		return false;
	return (how == GUIDE_NAMED && take_named(e, l, write, d)) || take_newest(e, l, d);
}

static inline __attribute__((always_inline)) bool draw(struct engine *e, struct list *l,
						       admits *may, struct drawing *d)
{
	if (!l->whole && prng_below(&e->random, 2) && may(e, l, draw_far(e, l), d))
		return true;
	for (uint32_t n = l->n; n;) {
		uint32_t i = n == 1 ? 0 : prng_below(&e->random, n);

		if (may(e, l, l->near[i], d))
			return true;
		l->near[i] = l->near[--n];
	}
	return false;
}

/*
 * Is it time to observe more than is known? Else a thread that works until it is told to stop, and never waits, does so for ever. It is at the
 * beginning of 2^k steps, from the 2^k-th on, for a sixteenth of them, if k is TOLD or more: so a loop, however long, comes by all of its reads in one of these.
 */
static bool is_told(uint32_t steps)
{
	const uint32_t since = 1u << (31 - __builtin_clz(steps | 1));

	return since >= 1u << TOLD && steps - since < since / 16;
}

/* What is it to observe, if it may? */
static enum sees wanted(struct engine *e, const struct event *read)
{
	struct choices *c = &e->online->choices;
	enum sees sees;

	if (run_reads_latest(e, read->kind, read->fn) || c->chooser->memory == MEMORY_LAST ||
	    (polling_wants_last(&e->online->polling, &e->graph, read) &&
	     prng_below(&e->random, POLLING_LUCK)))
		return SEES_LAST;
	sees = c->chooser->sees ? c->chooser->sees(c, read->tid) : SEES_ANY;
	return sees == SEES_OWN && is_told(c->steps) ? SEES_LAST : sees;
}

/* The first that a load may observe: its thread's view. Elsewhere the last. */
static bool draw_own(struct engine *e, const struct list *l, struct drawing *d)
{
	const enum online_way way = e->online->way;
	uint32_t w = l->floor;

	if (l->ev->kind != OP_LOAD || way == WAY_MEMORY || way == WAY_BUFFERS || way == WAY_WEAK)
		return may_read(e, l, l->near[0], d);
	for (int i = 0; i < NEAR; i++) {
		if (may_read(e, l, w, d))
			return true;
		w = mo_next(&e->graph, l->ev->loc, w);
		if (w == NO_POS)
			break;
	}
	return false;
}

/* The last that the strategy wants. */
static bool draw_by_wish(struct engine *e, const struct list *l, struct drawing *d)
{
	struct choices *c = &e->online->choices;

	for (uint32_t i = 0; i < l->n; i++)
		if (c->chooser->wants(c, l->ev, l->near[i]) && may_read(e, l, l->near[i], d))
			return true;
	return false;
}

static bool draw_wanted(struct engine *e, const struct list *l, struct drawing *d)
{
	uint32_t most = e->online->choices.talk.history;

	switch (wanted(e, l->ev)) {
	case SEES_LAST:
		return may_read(e, l, l->near[0], d);
	case SEES_OWN:
		return draw_own(e, l, d);
	case SEES_WANTED:
		return draw_by_wish(e, l, d);
	case SEES_RECENT:
		most = most < l->n ? most : l->n;
		return may_read(e, l, l->near[prng_below(&e->random, most)], d);
	default:
		return false;
	}
}

/*
 * Can the read-modify-write observe none but the last write, since all others that coherence lets it are taken? (O2) So it is where threads
 * add; nothing is to be drawn then. Not asked where anybody else has a say, or counts.
 */
static bool takes_last_alone(struct engine *e, const struct event *read)
{
	struct online *on = e->online;
	const uint32_t loc = read->loc;

	if (read->kind != OP_RMW || !online_looks_at_floors(on) || on->choices.chooser->sees ||
	    guide_is(&on->guide))
		return false;
	return mod_taken_from(&on->mo, loc, mod_oldest(&on->mo, loc)) ||
	       mod_taken_from(
		       &on->mo, loc,
		       mod_floor_now(&on->mo, loc, read->tid, clock_of(&e->graph, read->tid)));
}

static bool take_last(struct engine *e, const struct event *read, struct drawing *d)
{
	const struct list l = { .ev = read, .clock = clock_of(&e->graph, read->tid) };

#ifdef HEDDLE_CHECKS
	struct list all;

	list_begin(e, &all, read);
	for (uint32_t i = 1; i < all.n; i++)
		must(!may_read(e, &all, all.near[i], d));
	must(!find_any(e, &all, may_read, d));
#endif
	return may_read(e, &l, e->graph.locs[read->loc].mo_last, d);
}

bool draw_read(struct engine *e, const struct event *read, struct drawing *d)
{
	struct list l;
	uint32_t oldest;

	d->place.behind = NO_POS;
	if (takes_last_alone(e, read))
		return take_last(e, read, d);
	list_begin(e, &l, read);
	if (guide_is(&e->online->guide) && take_guided(e, &l, d))
		return true;
	if (draw_wanted(e, &l, d))
		return true;
	oldest = l.near[l.n - 1];
	if (draw(e, &l, may_read, d))
		return true;
	l.near[l.n - 1] = oldest;
	return find_any(e, &l, may_read, d);
}

/* Can it pass only by a write of its own? Then only the last write of its object can let it. */
static bool passes_by_writing(unsigned kind)
{
	switch (kind) {
	case OP_LOCK:
	case OP_SEM_WAIT:
	case OP_RDLOCK:
	case OP_WRLOCK:
	case OP_READY_TAKE:
	case OP_READY_LOCK:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_REQUEUE:
		return true;
	default:
		return false;
	}
}

static bool any_admitted(struct engine *e, const struct event *read)
{
	const enum online_way way = e->online->way;
	struct drawing d;
	struct list l;

	list_begin(e, &l, read);
	for (uint32_t i = 0; i < l.n; i++) {
		if (may_read(e, &l, l.near[i], &d))
			return true;
		if (way != WAY_WEAK && passes_by_writing(read->kind))
			return false;
	}
	return find_any(e, &l, may_read, &d);
}

bool draw_goes_by_value(const struct engine *e, unsigned kind)
{
	return e->online->way != WAY_WEAK && passes_by_writing(kind) && !futex_kind(kind);
}

/*
 * Can it have what the last write has left? It writes, and is no sc access, so all models admit it behind the last write, and nothing
 * else about its thread counts but, under tso, a store of its own that has not left its buffer.
 */
static bool finds_it_so(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct online *on = e->online;
	const struct guard_op guard = { .kind = op->kind,
					.fn = op->fn,
					.size = op->size,
					.arg = op->arg,
					.expected = op->expected };
	const uint32_t loc = graph_location(&e->graph, op->addr, op->size);
	uint32_t last = e->graph.locs[loc].mo_last, own;
	struct value written;

	if (on->way == WAY_BUFFERS) {
		own = buffers_own(&on->buffers, tid, loc);
		if (own != NO_POS && !on->mo.of[own].label)
			last = own;
	}
	return !mod_taken(&on->mo, loc, last) &&
	       guard_apply(&guard, graph_value(&e->graph, loc, last), &written) != GUARD_BLOCKS;
}

bool draw_possible(struct engine *e, uint32_t tid, const struct op *op)
{
	bool possible;

	if (!draw_goes_by_value(e, op->kind))
		return any_admitted(e, run_peek(e, tid, op));
	possible = finds_it_so(e, tid, op);
#ifdef HEDDLE_CHECKS
	must(possible == any_admitted(e, run_peek(e, tid, op)));
#endif
	return possible;
}

/* Does the model have executions in which it is not the last in mo? What is written to library objects is. */
static bool may_come_earlier(const struct engine *e, const struct event *write)
{
	return draw_may_come_earlier(e->online) && write->size && !guide_is_calm(e) &&
	       !online_in_order(e, write->loc);
}

bool draw_write_anywhere(struct engine *e, const struct event *write, struct drawing *d)
{
	struct list l;

	list_begin(e, &l, write);
	return (l.n > 1 || !l.whole) && draw(e, &l, may_follow, d);
}

void draw_write_last(struct engine *e, const struct event *write, struct drawing *d)
{
	const uint32_t last = e->graph.locs[write->loc].mo_last;
	const struct list l = { .ev = write, .clock = clock_of(&e->graph, write->tid) };
	bool ok;

	*d = (struct drawing){ .write = last };
	ok = agrees(e, &l, last, false, true, write->order, d);
	must(ok || e->online->way == WAY_WEAK);
}

void draw_write(struct engine *e, const struct event *write, struct drawing *d)
{
	if (may_come_earlier(e, write) && !prng_below(&e->random, DRAW_EARLIER) &&
	    draw_write_anywhere(e, write, d))
		return;
	draw_write_last(e, write, d);
}
