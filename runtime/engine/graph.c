/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.c - the pool of events, threads and locations of the current graph
 *
 * Cost: adding or taking back an event is O(k) for k threads (the clocks); pushing a graph
 * is O(n k), a copy. Nothing is allocated: the tables are cut once at their largest size
 * from sparse memory.
 */
#include "engine/graph.h"

#include <string.h>

#include "engine/futex.h"

static bool is_sc(const struct event *ev)
{
	return ev->order == ORDER_SC && !(is_rmw_write(ev));
}

static void set_base(struct graph *g, uint32_t base)
{
	g->base = base;
	g->ev = g->pool + base;
	g->porf = g->pool_porf + (size_t)base * g->stride;
	g->hb = g->pool_hb + (size_t)base * g->stride;
	g->msg = g->pool_msg + (size_t)base * g->stride;
	hbmo_rebase(g);
}

static size_t clock_bytes(uint32_t capacity)
{
	return (size_t)capacity * HEDDLE_MAX_THREADS * sizeof(uint32_t);
}

size_t graph_bytes(uint32_t capacity)
{
	return 4 * clock_bytes(capacity) + hbmo_bytes(capacity) +
	       (size_t)capacity *
		       (sizeof(struct event) + sizeof(struct location) + 4 * sizeof(uint32_t)) +
	       4096;
}

void graph_init(struct graph *g, struct arena *a, enum sync_mode sync, uint32_t capacity)
{
	size_t clock = clock_bytes(capacity);

	g->capacity = capacity;
	g->sync = sync;
	g->stride = 4;
	g->rmw = g->witness.doubt = NO_POS;
	g->pool = arena_take(a, capacity * sizeof(struct event));
	g->pool_porf = arena_take(a, clock);
	g->pool_hb = arena_take(a, clock);
	g->pool_msg = arena_take(a, clock);
	for (int t = 0; t < HEDDLE_MAX_THREADS; t++)
		g->at[t] = arena_take(a, capacity * sizeof(uint32_t));
	g->late = arena_take(a, capacity * sizeof(uint32_t));
	g->late_locks = arena_take(a, capacity * sizeof(uint32_t));
	g->locs = arena_take(a, capacity * sizeof(struct location));
	g->loc_table = arena_take(a, (size_t)2 * capacity * sizeof(uint32_t));
	hbmo_init(&g->hbmo, a, capacity);
	g->scratch = *a;
	set_base(g, 0);
}

void graph_clear(struct graph *g)
{
	hbmo_clear(g);
	g->witness.doubt = NO_POS;
	graph_unlink(g);
	g->n = 0;
	g->nlate = g->nlate_locks = 0;
	set_base(g, 0);
}

void graph_respread(uint32_t *rows, size_t n, uint32_t from, uint32_t to, int fill)
{
	for (size_t i = n; i-- > 0;) {
		memmove(rows + i * to, rows + i * from, from * sizeof(uint32_t));
		memset(rows + i * to + from, fill, (to - from) * sizeof(uint32_t));
	}
}

void graph_widen(struct graph *g, uint32_t nthreads)
{
	uint32_t stride = g->stride;
	size_t n = (size_t)g->base + g->n;

	if (nthreads > g->nthreads)
		g->nthreads = nthreads;
	while (stride < nthreads)
		stride *= 2;
	if (stride == g->stride)
		return;
	graph_respread(g->pool_porf, n, g->stride, stride, 0);
	graph_respread(g->pool_hb, n, g->stride, stride, 0);
	graph_respread(g->pool_msg, n, g->stride, stride, 0);
	hbmo_respread(g, stride);
	g->stride = stride;
	set_base(g, g->base);
}

static uint32_t *loc_slot(const struct graph *g, uint64_t addr, unsigned size)
{
	uint64_t h = (addr ^ (size ? 0 : 0x8000000000000000u)) * 0x9e3779b97f4a7c15u;
	uint32_t mask = 2 * g->capacity - 1, i = (uint32_t)(h >> 32) & mask;

	for (;; i = (i + 1) & mask) {
		uint32_t *slot = &g->loc_table[i];

		if (!*slot)
			return slot;
		if (g->locs[*slot - 1].addr == addr && !g->locs[*slot - 1].size == !size)
			return slot;
	}
}

uint32_t graph_find_location(const struct graph *g, uint64_t addr, unsigned size)
{
	return *loc_slot(g, addr, size) - 1;
}

uint32_t graph_location(struct graph *g, uint64_t addr, unsigned size)
{
	uint32_t *slot = loc_slot(g, addr, size);

	if (!*slot) {
		must(g->nlocs < g->capacity);
		g->locs[g->nlocs] = (struct location){ .addr = addr,
						       .size = size,
						       .last = NO_POS,
						       .taker = NO_POS,
						       .mo_first = NO_POS,
						       .mo_last = RF_INIT };
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
	g->nsc += is_sc(ev);
	g->nfences += is_sc_fence(ev);
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
	g->nsc -= is_sc(ev);
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

void graph_link(struct graph *g)
{
	g->nlate = g->nlate_locks = 0;
	for (uint32_t pos = 0; pos < g->n; pos++)
		g->ev[pos].taker = NO_POS;
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		link_event(g, pos);
		if ((ev->flags & EV_PLACED) && ev->mo_before == RF_INIT)
			g->locs[ev->loc].mo_first = pos;
		if ((ev->flags & EV_PLACED) && ev->mo_after == NO_POS)
			g->locs[ev->loc].mo_last = pos;
		if ((ev->flags & EV_READ) && ev->rf < RF_NONE && ev->rf > pos)
			g->late[g->nlate++] = pos;
		if (ev->slot_rank != UINT32_MAX && (ev->flags & EV_READ))
			g->late_locks[g->nlate_locks++] = pos;
	}
}

void graph_unlink(struct graph *g)
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
		if (ev->flags & EV_PLACED)
			l->mo_first = l->mo_last = NO_POS;
	}
	g->nsc = g->nfences = g->nblocked = 0;
}

uint32_t graph_add(struct graph *g, const struct event *ev)
{
	uint32_t pos = g->n;
	struct event *e = &g->ev[pos];

	must((size_t)g->base + pos + 1 < g->capacity);
	*e = *ev;
	e->index = g->count[e->tid];
	e->gen = 0;
	e->flags &= (uint8_t)~EV_PLACED;
	e->taker = NO_POS;
	g->n++;
	link_event(g, pos);
	graph_clocks(g, pos);
	return pos;
}

enum guard graph_guard(const struct graph *g, const struct event *ev, uint32_t write,
		       uint32_t choice, struct value *written)
{
	if (futex_kind(ev->kind))
		return futex_guard(g, ev, write, choice, written);
	struct guard_op op = { .kind = ev->kind,
			       .fn = ev->fn,
			       .size = ev->size,
			       .tid = ev->tid,
			       .choice = choice,
			       .arg = ev->arg,
			       .expected = ev->expected };

	return guard_apply(&op, graph_value(g, ev->loc, write), written);
}

uint32_t graph_choices(const struct graph *g, const struct event *ev, uint32_t write)
{
	if (futex_kind(ev->kind))
		return futex_choices(g, ev, write);
	return guard_choices(ev->kind, graph_value(g, ev->loc, write));
}

unsigned graph_order_given(const struct graph *g, const struct event *ev, uint32_t write)
{
	struct value written;

	return graph_guard(g, ev, write, 0, &written) == GUARD_READS ? ev->order_fail
								     : ev->order_success;
}

void graph_label(struct graph *g, uint32_t pos, unsigned flags, unsigned order)
{
	struct event *ev = &g->ev[pos];

	g->nsc -= is_sc(ev);
	g->nblocked -= !!(ev->flags & EV_BLOCKED);
	ev->flags = (uint8_t)flags;
	ev->order = (uint8_t)order;
	g->nsc += is_sc(ev);
	g->nblocked += !!(ev->flags & EV_BLOCKED);
}

void graph_truncate(struct graph *g, uint32_t n)
{
	uint32_t kept = 0;

	hbmo_retract(g, n);
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
}

void graph_select(struct graph *g, uint32_t base, uint32_t n)
{
	hbmo_drop(g);
	set_base(g, base);
	g->n = n;
	hbmo_pop(g);
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

uint32_t graph_push(struct graph *g, const uint8_t *keep, uint32_t revisited, uint32_t write)
{
	const struct event *old = g->ev;
	uint32_t old_n = g->n, stride = g->stride, n = 0, at_new = 0;
	const uint32_t *old_clocks[3] = { g->porf, g->hb, g->msg };
	size_t row = stride * sizeof(uint32_t);
	char *mark = arena_mark(&g->scratch);
	uint32_t *place = arena_take(&g->scratch, old_n * sizeof(uint32_t));
	uint32_t *before = arena_take(&g->scratch, (old_n + 1) * sizeof(uint32_t));

	hbmo_push(g);
	graph_unlink(g);
	must((size_t)g->base + 2 * (size_t)old_n < g->capacity);
	set_base(g, g->base + old_n);
	uint32_t *clocks[3] = { g->porf, g->hb, g->msg };
	for (uint32_t pos = 0; pos < old_n; pos++) {
		before[pos] = n;
		if (!keep[pos])
			continue;
		if (pos == revisited)
			at_new = n;
		place[pos] = n++;
	}
	/* Events that stand together are copied together; most are before the first that goes. */
	for (uint32_t from = 0, to; from < old_n; from = to) {
		for (to = from; to < old_n && keep[to]; to++)
			;
		if (to == from) {
			to++;
			continue;
		}
		memcpy(&g->ev[place[from]], &old[from], (to - from) * sizeof(*old));
		for (int c = 0; c < 3; c++)
			memcpy(clocks[c] + (size_t)place[from] * stride,
			       old_clocks[c] + (size_t)from * stride, (to - from) * row);
	}
	before[old_n] = n;
	if (revisited != NO_POS) {
		g->ev[at_new].rf = write;
		g->ev[at_new].read = old[write].written;
	}
	g->n = n;
	if (g->mo || g->witness.kept)
		carry_mo(g, old, keep, place);
	if (g->witness.doubt != NO_POS)
		g->witness.doubt = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (g->ev[i].slot <= old_n)
			g->ev[i].slot = before[g->ev[i].slot];
		if (g->ev[i].asked <= old_n)
			g->ev[i].asked = before[g->ev[i].asked];
		if (g->ev[i].rf < RF_NONE)
			g->ev[i].rf = place[g->ev[i].rf];
		if ((g->ev[i].flags & EV_WRITE) && g->ev[i].head != NO_POS)
			g->ev[i].head = place[g->ev[i].head];
	}
	arena_reset(&g->scratch, mark);
	graph_link(g);
	return at_new;
}
