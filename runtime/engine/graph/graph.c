/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.c - the pool of events, threads and locations of the current graph
 *
 * Cost: adding or taking back an event is O(k) for k threads (the clocks); pushing a graph
 * is O(n k), a copy. Nothing is allocated: the tables are cut once at their largest size
 * from sparse memory.
 */
#include "engine/graph/graph.h"

#include <string.h>

#include "base/table.h"
#include "engine/graph/checks.h"
#include "engine/graph/futex.h"

static bool is_sc(const struct event *ev)
{
	return ev->order == ORDER_SC && !(is_rmw_write(ev));
}

/* An event that may be sc comes or goes, or its label does. */
static void count_sc(struct graph *g, const struct event *ev, uint32_t by)
{
	if (!is_sc(ev))
		return;
	g->nsc += by;
	if (ev->loc != NO_LOC)
		g->locs[ev->loc].nsc += by;
}

static void set_base(struct graph *g, uint32_t base)
{
	g->base = base;
	g->ev = g->pool + base;
	g->notes = g->pool_notes + base;
	g->waits = g->pool_waits + base;
	g->porf = g->pool_porf + (size_t)base * g->stride;
	g->hb = g->pool_hb + (size_t)base * g->stride;
	g->msg = g->pool_msg + (size_t)base * g->stride;
	hbmo_rebase(g);
}

static size_t clock_bytes(uint32_t capacity, uint32_t threads)
{
	return (size_t)capacity * threads * sizeof(uint32_t);
}

/* Clock entries that there can be. */
static uint32_t width_of(uint32_t threads)
{
	return (threads + 3) & ~3u;
}

static size_t folded_bytes(uint32_t threads)
{
	return (size_t)width_of(threads) * width_of(threads) * sizeof(uint32_t);
}

size_t graph_bytes(uint32_t capacity, uint32_t threads)
{
	return 4 * clock_bytes(capacity, threads) + hbmo_bytes(capacity, threads) +
	       waiting_bytes(capacity) + sizeof(struct wide_states) +
	       (size_t)capacity *
		       (sizeof(struct event) + sizeof(struct notes) + sizeof(struct waits) +
			sizeof(struct location) + 4 * sizeof(uint32_t)) +
	       folded_bytes(threads) + 4096 + (threads + 11) * ARENA_SKEW;
}

/* Events are no larger than they need to be to stand on as few lines of the cache as possible. */
enum {
	LINE = 64
};

static void *aligned(void *p)
{
	return (void *)(((uintptr_t)p + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

void graph_init(struct graph *g, struct arena *a, enum sync_mode sync, uint32_t capacity,
		uint32_t threads)
{
	size_t clock = clock_bytes(capacity, threads);

	g->capacity = capacity;
	g->most_threads = threads;
	g->sync = sync;
	g->stride = 4;
	g->rmw = g->witness.doubt = g->witness.about = NO_POS;
	g->pool = aligned(arena_table(a, capacity * sizeof(struct event) + LINE));
	g->pool_notes = arena_table(a, capacity * sizeof(struct notes));
	g->pool_waits = arena_table(a, capacity * sizeof(struct waits));
	g->pool_porf = arena_table(a, clock);
	g->pool_hb = arena_table(a, clock);
	g->pool_msg = arena_table(a, clock);
	for (uint32_t t = 0; t < threads; t++)
		g->at[t] = g->old[t] = arena_table(a, capacity * sizeof(uint32_t));
	g->width = width_of(threads);
	g->folded = arena_table(a, folded_bytes(threads));
	g->late = arena_table(a, capacity * sizeof(uint32_t));
	g->late_locks = arena_table(a, capacity * sizeof(uint32_t));
	g->locs = arena_table(a, capacity * sizeof(struct location));
	g->loc_bits = table_bits(capacity, TABLE_BITS_LEAST);
	g->loc_table = arena_table(a, table_slots(g->loc_bits) * sizeof(uint32_t));
	hbmo_init(&g->hbmo, a, capacity, threads);
	g->waiting = arena_take(a, sizeof(*g->waiting));
	waiting_init(g->waiting, a, capacity);
	g->scratch = *a;
	set_base(g, 0);
}

void graph_respread(uint32_t *rows, size_t n, uint32_t from, uint32_t to, int fill)
{
	for (size_t i = n; i-- > 0;) {
		memmove(rows + i * to, rows + i * from, from * sizeof(uint32_t));
		memset(rows + i * to + from, fill, (to - from) * sizeof(uint32_t));
	}
}

bool graph_widen(struct graph *g, uint32_t nthreads)
{
	uint32_t stride = g->stride;
	size_t n = (size_t)g->base + g->n;

	if (nthreads > g->nthreads)
		g->nthreads = nthreads;
	while (stride < nthreads)
		stride += 4;
	if (stride == g->stride)
		return false;
	graph_respread(g->pool_porf, n, g->stride, stride, 0);
	graph_respread(g->pool_hb, n, g->stride, stride, 0);
	graph_respread(g->pool_msg, n, g->stride, stride, 0);
	hbmo_respread(g, stride);
	g->stride = stride;
	set_base(g, g->base);
	return true;
}

static bool is_at(const struct location *l, uint64_t addr, unsigned size)
{
	return l->addr == addr && !l->size == !size;
}

static uint32_t *loc_slot(const struct graph *g, uint64_t addr, unsigned size)
{
	uint64_t hash = table_hash(addr ^ (size ? 0 : 0x8000000000000000u));
	uint32_t *slot;

	TABLE_FIND(slot, g->loc_table, g->loc_bits, hash,
		   !*slot || is_at(&g->locs[*slot - 1], addr, size));
	return slot;
}

uint32_t graph_find_location(const struct graph *g, uint64_t addr, unsigned size)
{
	return *loc_slot(g, addr, size) - 1;
}

uint32_t graph_look_up(struct graph *g, uint64_t addr, unsigned size)
{
	uint32_t *slot = loc_slot(g, addr, size);

	if (!*slot) {
		must(g->nlocs < g->capacity);
		g->locs[g->nlocs] =
			(struct location){ .addr = addr,
					   .size = size,
					   .last = NO_POS,
					   .taker = NO_POS,
					   .mo_first = NO_POS,
					   .mo_last = RF_INIT,
					   .cell = g->cell ? g->cell(g->ctx, addr, size) : 0 };
		hbmo_locate(g, g->nlocs);
		*slot = ++g->nlocs;
	}
	return *slot - 1;
}

/* Where the read-modify-writes that read what this one reads begin. */
static uint32_t *takers(struct graph *g, const struct event *write)
{
	uint32_t source = graph_rmw_source(g, write);

	return source == RF_INIT ? &g->locs[write->loc].taker : &g->ev[source].taker;
}

static void link_event(struct graph *g, uint32_t pos)
{
	struct event *ev = &g->ev[pos];

	g->at[ev->tid][ev->index] = pos;
	g->count[ev->tid] = ev->index + 1;
	if (ev->order == ORDER_SC) {
		count_sc(g, ev, 1);
		g->nfences += is_sc_fence(ev);
	}
	g->nblocked += !!(ev->flags & EV_BLOCKED);
	if (ev->loc != NO_LOC) {
		ev->prev_at_loc = g->locs[ev->loc].last;
		g->locs[ev->loc].last = pos;
	}
	if (is_rmw_write(ev)) {
		ev->next_taker = *takers(g, ev);
		*takers(g, ev) = pos;
	}
}

static void unlink_event(struct graph *g, uint32_t pos)
{
	struct event *ev = &g->ev[pos];

	if (is_rmw_write(ev))
		*takers(g, ev) = ev->next_taker;
	g->count[ev->tid] = ev->index;
	count_sc(g, ev, -1u);
	g->nfences -= is_sc_fence(ev);
	g->nblocked -= !!(ev->flags & EV_BLOCKED);
	if (ev->loc != NO_LOC)
		g->locs[ev->loc].last = ev->prev_at_loc;
}

static uint32_t *mo_slot(struct graph *g, uint32_t loc, uint32_t before)
{
	return before == RF_INIT ? &g->locs[loc].mo_first : &g->ev[before].mo_after;
}

void graph_place(struct graph *g, uint32_t write, uint32_t behind)
{
	struct event *ev = &g->ev[write];
	uint32_t *slot = mo_slot(g, ev->loc, behind);

	must(!(ev->flags & EV_PLACED));
	ev->flags |= EV_PLACED;
	ev->mo_before = behind;
	ev->mo_after = *slot;
	if (*slot != NO_POS)
		g->ev[*slot].mo_before = write;
	else
		g->locs[ev->loc].mo_last = write;
	*slot = write;
}

void graph_unplace(struct graph *g, uint32_t write)
{
	struct event *ev = &g->ev[write];

	if (!(ev->flags & EV_PLACED))
		return;
	ev->flags &= (uint8_t)~EV_PLACED;
	*mo_slot(g, ev->loc, ev->mo_before) = ev->mo_after;
	if (ev->mo_after != NO_POS)
		g->ev[ev->mo_after].mo_before = ev->mo_before;
	else
		g->locs[ev->loc].mo_last = ev->mo_before;
}

/* Of a list of places, ascending: how many are before this one? */
static uint32_t places_before(const uint32_t *list, uint32_t n, uint32_t pos)
{
	while (n && list[n - 1] >= pos)
		n--;
	return n;
}

/* The first and the last write of each location in mo. */
static void find_ends(struct graph *g)
{
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		if (!(ev->flags & EV_PLACED))
			continue;
		if (ev->mo_before == RF_INIT)
			g->locs[ev->loc].mo_first = pos;
		if (ev->mo_after == NO_POS)
			g->locs[ev->loc].mo_last = pos;
	}
}

/* Hangs in the events from a place on; those before it are in. */
static void link_from(struct graph *g, uint32_t from)
{
	g->nlate = places_before(g->late, g->nlate, from);
	g->nlate_locks = places_before(g->late_locks, g->nlate_locks, from);
	for (uint32_t pos = from; pos < g->n; pos++)
		if (g->ev[pos].flags & EV_WRITE)
			g->ev[pos].taker = NO_POS;
	for (uint32_t pos = from; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		link_event(g, pos);
		graph_speaks(g, ev);
		if ((ev->flags & EV_READ) && ev->rf < RF_NONE && ev->rf > pos)
			g->late[g->nlate++] = pos;
		if (ev->slot_rank != UINT32_MAX && (ev->flags & EV_READ))
			g->late_locks[g->nlate_locks++] = pos;
	}
	if (g->mo || g->witness.kept)
		find_ends(g);
}

void graph_link(struct graph *g)
{
	link_from(g, 0);
}

/* Takes out the events from a place on. */
static void unlink_from(struct graph *g, uint32_t from)
{
	for (uint32_t pos = g->n; pos-- > from;) {
		const struct event *ev = &g->ev[pos];

		unlink_event(g, pos);
		if (ev->flags & EV_PLACED) /* what is left has other ends: link_from() */
			g->locs[ev->loc].mo_first = g->locs[ev->loc].mo_last = NO_POS;
	}
}

static void unlink_all(struct graph *g)
{
	/* Nothing is left, so nothing need be taken back one by one. */
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];
		struct location *l;

		g->count[ev->tid] = 0;
		if (ev->loc == NO_LOC)
			continue;
		l = &g->locs[ev->loc];
		l->last = l->taker = NO_POS;
		l->nsc = 0;
		if (ev->flags & EV_PLACED)
			l->mo_first = l->mo_last = NO_POS;
	}
	g->nsc = g->nfences = g->nblocked = 0;
}

void graph_clear(struct graph *g)
{
	hbmo_clear(g);
	g->witness.doubt = NO_POS;
	unlink_all(g);
	checks_gone(g, 0, g->n);
	waiting_clear(g->waiting);
	g->n = 0;
	g->nlate = g->nlate_locks = 0;
	set_base(g, 0);
}

void graph_ask_cells(struct graph *g)
{
	for (uint32_t i = 0; g->cell && i < g->nlocs; i++)
		g->locs[i].cell = g->cell(g->ctx, g->locs[i].addr, g->locs[i].size);
}

uint32_t graph_add(struct graph *g, const struct event *ev)
{
	uint32_t pos = g->n;
	struct event *e = graph_next(g);

	if (e != ev)
		*e = *ev;
	e->index = g->count[e->tid];
	e->flags &= (uint8_t)~EV_PLACED;
	if (e->flags & EV_WRITE)
		e->taker = e->head = NO_POS;
	g->n++;
	link_event(g, pos);
	graph_clocks(g, pos);
	return pos;
}

enum guard graph_guard_of(const struct graph *g, const struct event *ev, uint32_t write,
			  uint32_t choice, struct value *written)
{
	if (futex_kind(ev->kind))
		return futex_guard(g, ev, write, choice, written);
	struct value unwanted;
	struct guard_op op = { .kind = ev->kind,
			       .fn = ev->fn,
			       .size = ev->size,
			       .tid = ev->tid,
			       .choice = choice,
			       .arg = ev->arg,
			       .expected = ev->expected };

	if (waiting_kind(ev->kind))
		return waiting_apply(g->waiting, &op, graph_value(g, ev->loc, write), written);
	return guard_apply(&op, graph_value(g, ev->loc, write), written ? written : &unwanted);
}

uint32_t graph_choices_of(const struct graph *g, const struct event *ev, uint32_t write)
{
	if (futex_kind(ev->kind))
		return futex_choices(g, ev, write);
	return graph_choices_with(g, ev->kind, graph_value(g, ev->loc, write));
}

uint32_t graph_choices_with(const struct graph *g, unsigned kind, struct value state)
{
	if (kind != OP_COND_SIGNAL)
		return 1;
	const struct waiting is = waiting_of(g->waiting, state);
	const uint32_t n = thread_set_count(&is.set);

	return n ? n : 1;
}

unsigned graph_order_given(const struct graph *g, const struct event *ev, uint32_t write)
{
	return graph_guard(g, ev, write, 0, NULL) == GUARD_READS ? ev->order_fail
								 : ev->order_success;
}

void graph_label(struct graph *g, uint32_t pos, unsigned flags, unsigned order)
{
	struct event *ev = &g->ev[pos];

	count_sc(g, ev, -1u);
	g->nblocked -= !!(ev->flags & EV_BLOCKED);
	ev->flags = (uint8_t)flags;
	ev->order = (uint8_t)order;
	count_sc(g, ev, 1);
	g->nblocked += !!(ev->flags & EV_BLOCKED);
}

void graph_truncate(struct graph *g, uint32_t n)
{
	uint32_t kept = 0, end = g->n;

	must(n <= g->n);
	hbmo_retract(g, n);
	if (!n && !g->base)
		waiting_clear(g->waiting);
	if (g->witness.doubt >= n)
		g->witness.doubt = NO_POS;
	while (g->n > n) {
		graph_unplace(g, --g->n);
		unlink_event(g, g->n);
	}
	for (uint32_t i = 0; i < g->nlate; i++)
		if (g->late[i] < n)
			g->late[kept++] = g->late[i];
	g->nlate = kept;
	while (g->nlate_locks && g->late_locks[g->nlate_locks - 1] >= n)
		g->nlate_locks--;
	checks_gone(g, n, end);
}

void graph_pop(struct graph *g, uint32_t base, uint32_t n)
{
	uint32_t shared;

	must(g->hbmo.nsaved && base < g->base);
	shared = g->hbmo.saved[g->hbmo.nsaved - 1].shared;
	shared = shared < g->n ? shared : g->n;
	hbmo_drop(g);
	unlink_from(g, shared);
	set_base(g, base);
	g->n = n;
	hbmo_pop(g);
	link_from(g, shared);
}

/* How many events at the beginning stay as they are, in their places, for as long as the new graph is there. */
static uint32_t shared_events(const struct graph *g, const uint8_t *keep, uint32_t revisited)
{
	uint32_t n = 0, end = revisited < g->n ? revisited : g->n;

	while (n < end && keep[n] && keep[n] != KEEP_FOR_NOW)
		n++;
	return n;
}

/* In the new graph, mo is what it was among the writes kept. */
static void carry_mo(struct graph *g, const struct event *old, const uint8_t *keep,
		     const uint32_t *place)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct event *ev = &g->ev[i];

		if (!(ev->flags & EV_PLACED))
			continue;
		while (ev->mo_before != RF_INIT && !keep[ev->mo_before])
			ev->mo_before = old[ev->mo_before].mo_before;
		while (ev->mo_after != NO_POS && !keep[ev->mo_after])
			ev->mo_after = old[ev->mo_after].mo_after;
		if (ev->mo_before != RF_INIT)
			ev->mo_before = place[ev->mo_before];
		if (ev->mo_after != NO_POS)
			ev->mo_after = place[ev->mo_after];
	}
}

/* A revisit's new graph, as it is made from the events of the old one. */
struct move {
	const struct event *old;
	const struct waits *old_waits;
	uint32_t old_n;
	const uint32_t *old_clocks[3];
	const uint8_t *keep;
	uint32_t shared;
	uint32_t *place;  /* of a kept event, in the new graph */
	uint32_t *before; /* how many events before a place are kept */
};

static void find_places(struct graph *g, struct move *m)
{
	uint32_t n = m->shared;

	m->place = arena_take(&g->scratch, m->old_n * sizeof(uint32_t));
	m->before = arena_take(&g->scratch, (m->old_n + 1) * sizeof(uint32_t));
	for (uint32_t pos = 0; pos < n; pos++)
		m->place[pos] = m->before[pos] = pos;
	for (uint32_t pos = n; pos < m->old_n; pos++) {
		m->before[pos] = n;
		if (m->keep[pos])
			m->place[pos] = n++;
	}
	m->before[m->old_n] = n;
}

static void copy_events(struct graph *g, const struct move *m, uint32_t from, uint32_t n)
{
	uint32_t *clocks[3] = { g->porf, g->hb, g->msg }, to = m->place[from];

	memcpy(&g->ev[to], &m->old[from], n * sizeof(*m->old));
	if (g->any_waits)
		memcpy(&g->waits[to], &m->old_waits[from], n * sizeof(*m->old_waits));
	for (int c = 0; c < 3; c++)
		memcpy(clocks[c] + (size_t)to * g->stride,
		       m->old_clocks[c] + (size_t)from * g->stride,
		       (size_t)n * g->stride * sizeof(uint32_t));
}

/* Events that stand together are copied together; most are shared. */
static void copy_kept(struct graph *g, const struct move *m)
{
	uint32_t to;

	if (m->shared)
		copy_events(g, m, 0, m->shared);
	for (uint32_t from = m->shared; from < m->old_n; from = to + 1) {
		for (to = from; to < m->old_n && m->keep[to]; to++)
			;
		if (to > from)
			copy_events(g, m, from, to - from);
	}
}

static void move_asked(struct event *ev, const struct move *m)
{
	if (ev->asked <= m->old_n)
		ev->asked = m->before[ev->asked];
}

/* Events name others by their places, which are new behind what is shared. */
static void move_names(struct graph *g, const struct move *m)
{
	for (uint32_t i = m->shared; i < g->n; i++) {
		struct event *ev = &g->ev[i];

		if (ev->slot <= m->old_n)
			ev->slot = m->before[ev->slot];
		move_asked(ev, m);
		if (ev->rf < RF_NONE)
			ev->rf = m->place[ev->rf];
		if ((ev->flags & EV_WRITE) && ev->head != NO_POS)
			ev->head = m->place[ev->head];
	}
	/* A thread comes to an operation before that is inserted, so only the last shared event of a
	 * thread can name a later place. */
	for (uint32_t t = 0; t < g->nthreads; t++)
		if (g->count[t])
			move_asked(&g->ev[g->at[t][g->count[t] - 1]], m);
	for (uint32_t i = 0; i < g->nlate && g->late[i] < m->shared; i++)
		g->ev[g->late[i]].rf = m->place[g->ev[g->late[i]].rf];
}

uint32_t graph_push(struct graph *g, const uint8_t *keep, uint32_t revisited, uint32_t write)
{
	struct move m = { .old = g->ev,
			  .old_waits = g->waits,
			  .old_n = g->n,
			  .old_clocks = { g->porf, g->hb, g->msg },
			  .keep = keep,
			  .shared = shared_events(g, keep, revisited) };
	char *mark = arena_mark(&g->scratch);
	uint32_t at_new = 0;

	/* Both are kept, or the new graph reads from nowhere. */
	must(revisited == NO_POS ||
	     (revisited < g->n && write < g->n && keep[revisited] && keep[write]));
	must((size_t)g->base + 2 * (size_t)m.old_n < g->capacity);
	find_places(g, &m);
	hbmo_push(g, g->base + m.old_n, m.shared);
	unlink_from(g, m.shared);
	set_base(g, g->base + m.old_n);
	copy_kept(g, &m);
	g->n = m.before[m.old_n];
	if (revisited != NO_POS) {
		at_new = m.place[revisited];
		g->ev[at_new].rf = write;
		g->ev[at_new].read = m.old[write].written;
	}
	if (g->mo || g->witness.kept)
		carry_mo(g, m.old, keep, m.place);
	if (g->witness.doubt != NO_POS)
		g->witness.doubt = 0;
	move_names(g, &m);
	arena_reset(&g->scratch, mark);
	link_from(g, m.shared);
	return at_new;
}
