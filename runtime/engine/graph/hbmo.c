/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hbmo.c - see hbmo.h
 *
 * An event enters with its edges: whatever write stands behind an event of the location
 * that happens before it (the event itself, or what it reads) is not later than the write
 * behind the new event; in another chain, the whole chain comes before (Lemma 3.2 of the
 * paper). Of each thread only the last such event counts, the others come before it.
 *
 * Invariant: the clock of a write's chain is at least the clock of the chain of the
 * write before it in its thread, and contains that chain's top. So whoever meets "all writes of thread u up to this one"
 * need look at that one alone. When a chain learns of a new predecessor, its exits are told.
 *
 * A read that was revisited observes a write inserted after it: it enters together with
 * that write. Everything that happens after it was inserted later still.
 *
 * Cost: O(k log q) for an event, and more only where a chain that already has successors in
 * its threads learns of a new predecessor. Memory: k entries per event of the pool.
 */
#include "engine/graph/hbmo_list.h"

#include <string.h>

/* ---- Tables ------------------------------------------------------------------------------ */

/* Room in the log for so many clock entries raised per event; when full, undoing means
 * building the order again from the start. */
enum {
	RAISES = 4
};

size_t hbmo_bytes(uint32_t capacity, uint32_t threads)
{
	return (size_t)capacity *
		       (sizeof(struct placed) + 2 * threads * sizeof(uint32_t) + sizeof(uint32_t) +
			RAISES * sizeof(struct raise) + sizeof(struct hbmo_saved)) +
	       4096 + 6 * ARENA_SKEW;
}

void hbmo_init(struct hbmo *h, struct arena *a, uint32_t capacity, uint32_t threads)
{
	size_t clock = (size_t)capacity * threads * sizeof(uint32_t);

	h->pool = arena_table(a, capacity * sizeof(struct placed));
	h->pool_clock = arena_table(a, clock);
	h->last = arena_table(a, clock);
	h->queue = arena_table(a, capacity * sizeof(uint32_t));
	h->log = arena_table(a, (size_t)RAISES * capacity * sizeof(struct raise));
	h->saved = arena_table(a, capacity * sizeof(struct hbmo_saved));
	h->maxlog = RAISES * capacity;
	h->at = h->pool;
	h->clock = h->pool_clock;
	h->raises = 1;
}

void hbmo_rebase(struct graph *g)
{
	g->hbmo.at = g->hbmo.pool + g->base;
	g->hbmo.clock = g->hbmo.pool_clock + (size_t)g->base * g->stride;
}

void hbmo_locate(struct graph *g, uint32_t loc)
{
	memset(last_of(g, loc), 0xff, g->stride * sizeof(uint32_t));
}

void hbmo_respread(struct graph *g, uint32_t stride)
{
	struct hbmo *h = &g->hbmo;

	graph_respread(h->pool_clock, (size_t)g->base + g->n, g->stride, stride, 0);
	graph_respread(h->last, g->nlocs, g->stride, stride, 0xff);
}

static uint32_t *clock_of(const struct graph *g, uint32_t top)
{
	return g->hbmo.clock + (size_t)top * g->stride;
}

/* ---- Chains and their clocks -------------------------------------------------------------- */

static uint32_t top_of(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? RF_INIT : placed_at(g, write)->top;
}

static uint32_t rank_of(const struct graph *g, uint32_t write)
{
	return write == RF_INIT ? 0 : placed_at(g, write)->rank;
}

/* Raises an entry of a chain's clock. Returns whether it was lower. */
static bool raise_entry(struct graph *g, uint32_t top, uint32_t tid, uint32_t to)
{
	struct hbmo *h = &g->hbmo;
	uint32_t *entry = &clock_of(g, top)[tid];

	if (*entry >= to)
		return false;
	if (top != h->entered)
		h->raises++;
	if (top == h->entered)
		; /* the chain leaves with its top */
	else if (h->logging && h->nlog < h->maxlog)
		h->log[h->nlog++] = (struct raise){ .top = top, .tid = tid, .old = *entry };
	else
		h->floor = h->entered + 1;
	*entry = to;
	return true;
}

/* A write comes before a chain, if it is not in it. */
static bool precede(struct graph *g, uint32_t write, uint32_t top)
{
	uint32_t from = top_of(g, write);

	if (from == RF_INIT || from == top)
		return false;
	return raise_entry(g, top, g->ev[write].tid, write + 1);
}

/* All that precedes one chain precedes another. */
static bool carry(struct graph *g, uint32_t from, uint32_t to)
{
	const uint32_t *clock = clock_of(g, from);
	bool raised = false;

	for (uint32_t t = 0; t < g->nthreads; t++)
		raised |= clock[t] && raise_entry(g, to, t, clock[t]);
	return raised;
}

/* The clock of a chain was raised: what follows its writes in their threads learns of it. */
static void tell_exits(struct graph *g, uint32_t top)
{
	uint32_t *queue = g->hbmo.queue, n = 0;

	if (placed_at(g, top)->exits == NO_POS)
		return;
	/* Depth first; a chain is listed again only when its clock was raised again. */
	for (uint32_t c = top;; c = queue[--n]) {
		for (uint32_t x = placed_at(g, c)->exits; x != NO_POS;
		     x = placed_at(g, x)->next_exit) {
			uint32_t to = placed_at(g, x)->top;

			if (to != RF_INIT && carry(g, c, to) && placed_at(g, to)->exits != NO_POS) {
				must(n < g->capacity);
				queue[n++] = to;
			}
		}
		if (!n)
			return;
	}
}

/* Gives a write its chain; returns whether the chain is known to follow more than before. */
static bool join_chain(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	struct placed *p = placed_at(g, pos);
	uint32_t before = p->prev == NO_POS ? NO_POS : placed_at(g, p->prev)->write, from;
	bool raised;

	if (ev->flags & EV_EXCLUSIVE) {
		uint32_t source = graph_rmw_source(g, ev);

		p->top = top_of(g, source);
		p->rank = rank_of(g, source) + 1;
	} else {
		p->top = pos;
		memset(clock_of(g, pos), 0, g->stride * sizeof(uint32_t));
	}
	if (before == NO_POS || p->top == RF_INIT)
		return false;
	from = top_of(g, before);
	if (from == RF_INIT || from == p->top)
		return false;
	p->exit_of = from;
	p->next_exit = placed_at(g, from)->exits;
	placed_at(g, from)->exits = pos;
	/* The one before may be a read-modify-write in a chain that another thread began. */
	raised = precede(g, before, p->top);
	raised |= precede(g, from, p->top);
	return carry(g, from, p->top) || raised;
}

/*
 * Everything of the location that happens before an event comes before a chain. What has
 * happened before the event's predecessor in its list already comes before that one's chain.
 */
static bool follow_past(struct graph *g, uint32_t pos, uint32_t top)
{
	const struct event *ev = &g->ev[pos];
	uint32_t prev = placed_at(g, pos)->prev;
	const uint32_t *hb = graph_hb(g, pos), *last = last_of(g, ev->loc);
	const uint32_t *known = prev == NO_POS ? NULL : graph_hb(g, prev);
	bool raised = false;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t from = t == ev->tid ? prev : last[t], e, write;

		if (from == NO_POS || (t != ev->tid && known && known[t] == hb[t]) ||
		    (e = hbmo_last_below(g, from, hb[t])) == NO_POS)
			continue;
		write = event_write(&g->ev[e], e);
		if (write != RF_INIT)
			raised |= precede(g, write, top);
	}
	return raised;
}

static void enter_event(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	bool raised = false;
	uint32_t top;

	hbmo_list_add(g, pos);
	if (g->hbmo.weak)
		return;
	if (ev->flags & EV_WRITE)
		raised = join_chain(g, pos);
	top = top_of(g, event_write(ev, pos));
	if (top == RF_INIT)
		return; /* nothing comes before the initial write */
	raised |= follow_past(g, pos, top);
	if (raised)
		tell_exits(g, top);
}

/* Calls act for the reads before the write at pos that observe it: they were revisited. */
static void with_late_reads(struct graph *g, uint32_t pos, void (*act)(struct graph *, uint32_t))
{
	for (uint32_t i = 0; i < g->nlate; i++)
		if (g->ev[g->late[i]].rf == pos)
			act(g, g->late[i]);
}

static void enter(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];

	placed_at(g, pos)->depth = 0;
	if (ev->loc == NO_LOC || (ev->flags & EV_BLOCKED))
		return;
	if ((ev->flags & EV_READ) && ev->rf < RF_NONE && ev->rf > pos)
		return;
	enter_event(g, pos);
	if (ev->flags & EV_WRITE)
		with_late_reads(g, pos, enter_event);
}

/* ---- Taking back -------------------------------------------------------------------------- */

static void leave_event(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	struct placed *p = placed_at(g, pos);

	if (!p->depth)
		return;
	if ((ev->flags & EV_WRITE) && p->exit_of != NO_POS)
		placed_at(g, p->exit_of)->exits = p->next_exit;
	last_of(g, ev->loc)[ev->tid] = p->prev;
	p->depth = 0;
}

static void forget_lists(struct graph *g)
{
	for (uint32_t pos = 0; pos < g->hbmo.entered; pos++)
		if (placed_at(g, pos)->depth)
			last_of(g, g->ev[pos].loc)[g->ev[pos].tid] = NO_POS;
}

static void start_again(struct graph *g)
{
	struct hbmo *h = &g->hbmo;

	forget_lists(g);
	h->entered = h->floor = 0;
	h->nlog = h->log_base;
	h->intact = false;
}

void hbmo_retract(struct graph *g, uint32_t n)
{
	struct hbmo *h = &g->hbmo;

	graph_changes(g, n);
	if (n < h->floor) {
		start_again(g);
		return;
	}
	while (h->entered > n) {
		uint32_t pos = --h->entered, nlog = placed_at(g, pos)->nlog;

		if (!placed_at(g, pos)->depth || g->ev[pos].loc == NO_LOC)
			continue;
		/* A late read is taken back with its write, which has left before it. */
		if (g->ev[pos].flags & EV_WRITE)
			with_late_reads(g, pos, leave_event);
		leave_event(g, pos);
		while (h->nlog > nlog) {
			const struct raise *r = &h->log[--h->nlog];

			clock_of(g, r->top)[r->tid] = r->old;
		}
	}
}

void hbmo_push(struct graph *g, uint32_t base, uint32_t shared)
{
	struct hbmo *h = &g->hbmo;

	must(h->nsaved < g->capacity);
	graph_changes(g, shared);
	if (h->entered > shared)
		hbmo_retract(g, shared);
	memcpy(h->pool + base, h->at, h->entered * sizeof(*h->at));
	memcpy(h->pool_clock + (size_t)base * g->stride, h->clock,
	       (size_t)h->entered * g->stride * sizeof(uint32_t));
	h->saved[h->nsaved++] = (struct hbmo_saved){ .entered = h->entered,
						     .floor = h->floor,
						     .nlog = h->nlog,
						     .log_base = h->log_base,
						     .shared = shared,
						     .intact = h->intact };
	h->log_base = h->nlog;
	h->floor = h->entered; /* the log of what is shared is the graph's below */
	h->intact = true;
}

void hbmo_drop(struct graph *g)
{
	struct hbmo *h = &g->hbmo;

	if (h->intact && h->entered > h->saved[h->nsaved - 1].entered)
		hbmo_retract(g, h->saved[h->nsaved - 1].entered);
	if (!h->intact)
		forget_lists(g);
}

void hbmo_pop(struct graph *g)
{
	struct hbmo *h = &g->hbmo;
	const struct hbmo_saved *s = &h->saved[--h->nsaved];
	bool in_lists = h->intact;

	graph_changes(g, s->shared);
	h->entered = s->entered;
	h->floor = s->floor;
	h->nlog = s->nlog;
	h->log_base = s->log_base;
	h->intact = s->intact;
	for (uint32_t pos = 0; !in_lists && pos < h->entered; pos++)
		if (placed_at(g, pos)->depth)
			last_of(g, g->ev[pos].loc)[g->ev[pos].tid] = pos;
}

void hbmo_clear(struct graph *g)
{
	g->hbmo.log_base = g->hbmo.nsaved = 0;
	graph_changes(g, 0);
	start_again(g);
}

/* ---- Questions ---------------------------------------------------------------------------- */

bool hbmo_knows(const struct graph *g, uint32_t read)
{
	return read + 1 == g->n || (g->ev[read].flags & EV_BLOCKED);
}

static void see(struct hbmo_view *v, const struct graph *g, uint32_t pos)
{
	uint32_t write = event_write(&g->ev[pos], pos), n = v->nseen++;

	v->seen[n].pos = pos;
	if (g->hbmo.weak)
		return;
	v->seen[n].top = top_of(g, write);
	v->seen[n].rank = rank_of(g, write);
	if (v->seen[n].top != RF_INIT)
		v->beyond_init = true;
	else if (v->seen[n].rank > v->init_rank)
		v->init_rank = v->seen[n].rank;
}

static bool join(uint32_t *into, const uint32_t *from, uint32_t n)
{
	bool raised = false;

	for (uint32_t i = 0; i < n; i++)
		if (from[i] > into[i]) {
			into[i] = from[i];
			raised = true;
		}
	return raised;
}

/* Closes v->before: what comes before the chains in it is in it, too. */
static void close_past(struct hbmo_view *v, const struct graph *g)
{
	uint32_t done[HEDDLE_MAX_THREADS];
	bool again = true;

	memset(done, 0, g->nthreads * sizeof(*done));
	while (again) {
		again = false;
		for (uint32_t t = 0; t < g->nthreads; t++) {
			uint32_t top;

			if (v->before[t] == done[t])
				continue;
			done[t] = v->before[t];
			again = true;
			top = top_of(g, v->before[t] - 1);
			join(v->before, clock_of(g, top), g->nthreads);
			if (v->before[g->ev[top].tid] < top + 1)
				v->before[g->ev[top].tid] = top + 1;
		}
	}
}

/* All events before place n are in the order, and no others. */
static void bring_up_to_date(struct graph *g, uint32_t n)
{
	struct hbmo *h = &g->hbmo;

	if (h->entered > n)
		hbmo_retract(g, n);
	for (; h->entered < n; h->entered++) {
		enter(g, h->entered);
		if (!h->logging)
			h->floor = h->entered + 1;
	}
}

void hbmo_sync(struct graph *g)
{
	bring_up_to_date(g, g->n);
}

static void look_back(struct hbmo_view *v, const struct graph *g, uint32_t read, bool all)
{
	const struct event *ev = &g->ev[read];
	uint32_t before = graph_po_before(g, ev);
	const uint32_t *last = last_of(g, ev->loc), *hb, *known = NULL;
	bool closed = true;

	v->loc = ev->loc;
	v->read = read;
	v->nseen = v->init_rank = 0;
	v->beyond_init = false;
	memset(v->before, 0, g->nthreads * sizeof(uint32_t));
	if (before == NO_POS)
		return;
	hb = graph_hb(g, before);
	if (!all && last[ev->tid] != NO_POS)
		known = graph_hb(g, last[ev->tid]);
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t pos = last[t];

		if (pos == NO_POS || (known && t != ev->tid && known[t] == hb[t]))
			continue;
		pos = hbmo_last_below(g, pos, hb[t]);
		if (pos != NO_POS)
			see(v, g, pos);
	}
	if (!v->beyond_init || g->hbmo.weak)
		return;
	for (uint32_t i = 0; i < v->nseen; i++) {
		uint32_t top = v->seen[i].top;

		if (top == RF_INIT)
			continue;
		closed &= placed_at(g, top)->closed == g->hbmo.raises;
		join(v->before, clock_of(g, top), g->nthreads);
	}
	if (!closed)
		close_past(v, g);
	if (v->nseen == 1 && !g->hbmo.logging) {
		memcpy(clock_of(g, v->seen[0].top), v->before, g->nthreads * sizeof(uint32_t));
		placed_at(g, v->seen[0].top)->closed = g->hbmo.raises;
	}
}

void hbmo_ask(struct hbmo_view *v, struct graph *g, uint32_t read)
{
	bring_up_to_date(g, read + 1 == g->n ? read : g->n);
	look_back(v, g, read, g->hbmo.weak);
}

void hbmo_ask_within(struct hbmo_view *v, struct graph *g, uint32_t read)
{
	bring_up_to_date(g, g->n);
	look_back(v, g, read, true);
}

static bool overwrites(const struct graph *g, uint32_t by, uint32_t write)
{
	return by != RF_INIT && by != write && (write == RF_INIT || happens_before(g, write, by));
}

bool hbmo_overwritten(const struct hbmo_view *v, const struct graph *g, uint32_t write)
{
	for (uint32_t i = 0; i < v->nseen; i++) {
		uint32_t pos = v->seen[i].pos;

		/* NO_POS and RF_INIT are the same: the thread's last write may be neither. */
		if (overwrites(g, placed_at(g, pos)->write, write) ||
		    (!g->hbmo.weak && overwrites(g, event_write(&g->ev[pos], pos), write)))
			return true;
	}
	return false;
}

uint32_t hbmo_floor(const struct hbmo_view *v, struct graph *g)
{
	uint32_t w;

	g->gen++;
	for (uint32_t i = 0; i < v->nseen; i++) {
		uint32_t write = event_write(&g->ev[v->seen[i].pos], v->seen[i].pos);

		if (write != RF_INIT)
			g->notes[write].gen = g->gen;
	}
	for (w = g->locs[v->loc].mo_last; w != RF_INIT && g->notes[w].gen != g->gen;)
		w = g->ev[w].mo_before;
	return w;
}

bool hbmo_admits(const struct hbmo_view *v, const struct graph *g, uint32_t write)
{
	uint32_t top = top_of(g, write), rank = rank_of(g, write);

	if (top == RF_INIT)
		return !v->beyond_init && rank >= v->init_rank;
	for (uint32_t i = 0; i < v->nseen; i++)
		if (v->seen[i].top == top && v->seen[i].rank > rank)
			return false;
	return v->before[g->ev[top].tid] < top + 1;
}

bool hbmo_precedes(const struct graph *g, uint32_t write, uint32_t other)
{
	uint32_t from = top_of(g, write), to = top_of(g, other);

	if (from == to)
		return rank_of(g, write) < rank_of(g, other);
	/* The initial write's chain is the first. */
	return from == RF_INIT || (to != RF_INIT && clock_of(g, to)[g->ev[from].tid] > from);
}
