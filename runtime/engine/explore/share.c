/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * share.c - subtrees of an exploration, given from one engine to another
 *
 * The exploration keeps no memory of what it visited, so an item of work together with the graph
 * it belongs to, cut back to the item's stamp, is all there is to know about the subtree below:
 * any engine can go on from there. Engines of several processes share one exploration that way;
 * together they visit every graph once, as one would.
 *
 * The oldest item of the lowest graph is given, the root of the largest subtree as far as one
 * can tell. Written down, it holds the events in the order of their insertion (so that places
 * stay what they are), their clocks, and locations by address with their initial values. What
 * the graph derives from these (lists by location, takers, the hbmo order) is made anew; a
 * witness is in doubt.
 *
 * Names of threads must mean the same to all engines, since the canonical write of a read
 * is the greatest in the order of names: config.names is a table common to them.
 *
 * A subtree has an identity, a hash of its events and its item, which does not depend on the
 * engine or on what else was done before. An engine that repeats somebody else's subtree (of
 * a process that died) is told what that one had given away, and leaves it out.
 *
 * Cost: O(n k) to give or take, for n events and k threads; nothing otherwise.
 * Caller: who runs the program, between engine_advance() and engine_begin().
 */
#include <string.h>

#include "engine/explore/share.h"

#include "engine/explore/estimate.h"
#include "engine/explore/explore.h"
#include "engine/explore/packet.h"
#include "engine/explore/strategy.h"

enum {
	MAGIC = 0x68647374
};

struct packet {
	uint32_t magic, n, nlocs, nthreads;
	uint32_t first_asks;            /* a location of the packet, or NO_LOC (explore_lock.c) */
	bool beyond_hb, beyond_hb_else; /* as in struct graph: its events may have */
	struct work work;
	/* Then locations, events, and for each kind of clock nthreads entries an event. */
};

/* ---- Names of threads -------------------------------------------------------------------------- */

struct thread_name engine_agree(struct engine_names *names, uint32_t t, struct thread_name mine)
{
	uint64_t want = (uint64_t)(mine.parent + 1) << 32 | mine.rank, now = 0;

	/* acq_rel: whoever comes first decides; nothing else travels with it */
	if (!atomic_compare_exchange_strong_explicit(&names->name[t], &now, want,
						     memory_order_acq_rel, memory_order_acquire))
		want = now;
	return (struct thread_name){ .parent = (uint32_t)(want >> 32) - 1, .rank = (uint32_t)want };
}

/* ---- The oldest item --------------------------------------------------------------------------- */

/* Some graph of the stack, its events as they stand in the pool. */
struct view {
	const struct event *ev;
	size_t base;
	uint32_t n;
};

/* The graph that the first item of work belongs to: the topmost whose work begins there. */
static struct view oldest_graph(const struct engine *e)
{
	const struct graph *g = &e->graph;
	uint32_t i = e->nframes;
	struct view v = { g->ev, g->base, g->n };

	if (!e->work_base)
		return v;
	while (e->frame[i - 1].work)
		i--;
	v.base = e->frame[i - 1].base;
	v.n = e->frame[i - 1].n;
	v.ev = g->pool + v.base;
	return v;
}

static void remove_oldest(struct engine *e, enum ledger_work why)
{
	e->stats.ledger.work[why]++;
	e->nwork--;
	e->work_given++;
	memmove(&e->work[0], &e->work[1], e->nwork * sizeof(e->work[0]));
	for (uint32_t i = 0; i < e->nframes; i++)
		e->frame[i].work -= e->frame[i].work > 0;
	e->work_base -= e->work_base > 0;
}

/* ---- Identity ------------------------------------------------------------------------------------ */

static void mix(struct engine_id *id, uint64_t x)
{
	id->a = (id->a ^ x) * 0x9e3779b97f4a7c15u;
	id->a ^= id->a >> 29;
	id->b = (id->b + x) * 0xbf58476d1ce4e5b9u;
	id->b ^= id->b >> 31;
}

static void mix_location(struct engine_id *id, const struct graph *g, uint32_t loc)
{
	if (loc == NO_LOC)
		return;
	mix(id, g->locs[loc].addr);
	mix(id, !g->locs[loc].size);
}

/* The write before this one in mo among the first n events, or RF_INIT. */
static uint32_t placed_before(const struct event *ev, uint32_t write, uint32_t n)
{
	uint32_t w = ev[write].mo_before;

	while (w != RF_INIT && w >= n)
		w = ev[w].mo_before;
	return w;
}

/* How many events of its graph an item needs. In place of a lock: those before it. */
static uint32_t size_of(const struct work *w)
{
	return w->kind == WORK_TAKE ? w->stamp : w->stamp + 1;
}

/*
 * Of the event at the stamp only the name counts: what it reads, or where it stands in mo, is
 * for the item to say, and was something else for the item before. But where an item is about a lock that came
 * earlier (WORK_SLOT), it stays as it is.
 */
static struct engine_id identify(const struct graph *g, const struct event *ev,
				 const struct work *w)
{
	struct engine_id id = { w->stamp, w->kind };
	const uint32_t stay = w->kind == WORK_SLOT ? w->stamp + 1 : w->stamp;

	for (uint32_t p = 0; p < size_of(w); p++) {
		mix(&id, (uint64_t)ev[p].tid << 40 | (uint64_t)ev[p].kind << 32 | ev[p].index);
		mix_location(&id, g, ev[p].loc);
		if (p == stay)
			break;
		mix(&id, (uint64_t)ev[p].rf << 32 | ev[p].choice);
		mix(&id, (uint64_t)ev[p].slot << 32 | ev[p].slot_rank);
		if (g->mo && (ev[p].flags & EV_PLACED))
			mix(&id, placed_before(ev, p, stay));
	}
	mix(&id, (uint64_t)w->read << 32 | w->rf);
	mix(&id, (uint64_t)w->choice << 1 | w->taken);
	return id;
}

/* What is found out elsewhere about the awaits of these events is not known here. (G5) */
static void open_gates(struct engine *e, const struct event *ev, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		await_give(e, &ev[i]);
}

bool share_skips(struct engine *e, const struct event *ev, const struct work *w)
{
	struct engine_id id = identify(&e->graph, ev, w);

	for (size_t i = 0; i < e->nskip; i++)
		if (e->skip[i].a == id.a && e->skip[i].b == id.b) {
			open_gates(e, ev, size_of(w));
			return true;
		}
	return false;
}

/* ---- Giving ---------------------------------------------------------------------------------------- */

/* The event as it stands alone: what others derive is left out, mo ends with the graph. */
static struct event packed_event(const struct event *ev, uint32_t pos, uint32_t n)
{
	struct event out = ev[pos];

	out.prev_at_loc = NO_POS;
	if (out.flags & EV_WRITE)
		out.taker = out.next_taker = NO_POS;
	if (out.flags & EV_PLACED) {
		out.mo_before = placed_before(ev, pos, n);
		while (out.mo_after != NO_POS && out.mo_after >= n)
			out.mo_after = ev[out.mo_after].mo_after;
	}
	return out;
}

static bool pack_events(struct graph *g, const struct view *v, struct packet *p, struct writer *w)
{
	char *mark = arena_mark(&g->scratch);
	uint32_t *number = arena_take(&g->scratch, (g->nlocs + 1) * sizeof(*number));
	struct packed_location *locs = packet_put(w, (2 * p->n + 1) * sizeof(*locs));
	struct event *ev = packet_put(w, p->n * sizeof(*ev));

	memset(number, 0, (g->nlocs + 1) * sizeof(*number));
	for (uint32_t i = 0; locs && ev && i < p->n; i++) {
		ev[i] = packed_event(v->ev, i, p->n);
		must(ev[i].rf < p->n || ev[i].rf >= RF_NONE || i == p->work.stamp);
		if (ev[i].loc != NO_LOC)
			ev[i].loc = packet_location(g, locs, &p->nlocs, number, ev[i].loc);
		if (ev[i].asks != NO_LOC)
			ev[i].asks = packet_location(g, locs, &p->nlocs, number, ev[i].asks);
	}
	if (locs && ev && p->first_asks != NO_LOC)
		p->first_asks = packet_location(g, locs, &p->nlocs, number, p->first_asks);
	arena_reset(&g->scratch, mark);
	return locs && ev;
}

static bool pack_clocks(const struct graph *g, const struct view *v, const struct packet *p,
			const uint32_t *pool, struct writer *w)
{
	uint32_t *out = packet_put(w, (size_t)p->n * p->nthreads * sizeof(*out));

	for (uint32_t i = 0; out && i < p->n; i++)
		memcpy(out + (size_t)i * p->nthreads, pool + (v->base + i) * g->stride,
		       p->nthreads * sizeof(*out));
	return out != NULL;
}

size_t engine_give(struct engine *e, void *buf, size_t size, struct engine_id *id)
{
	struct graph *g = &e->graph;
	struct writer w = { buf, (char *)buf + size };
	struct packet *p = packet_put(&w, sizeof(*p));
	struct view v;

	must(e->config.names && !((uintptr_t)buf % 16));
	if (e->strategy->give)
		return e->strategy->give(e, buf, size, id);
	/* A read-modify-write is missing in the graph, and items may be about it. */
	if (e->late != NO_POS && !e->late_fits)
		return 0;
	for (;; remove_oldest(e, WORK_SKIPPED)) {
		if (estimate_is_on(e) || !e->nwork || !p)
			return 0;
		v = oldest_graph(e);
		if (!e->nskip || !share_skips(e, v.ev, &e->work[0]))
			break;
	}
	/* Of all threads known: one that was created may have no event yet. */
	*p = (struct packet){ .magic = MAGIC,
			      .n = size_of(&e->work[0]),
			      .nthreads = e->nthreads,
			      .first_asks = e->first_asks,
			      .beyond_hb = g->beyond_hb,
			      .beyond_hb_else = g->beyond_hb_else,
			      .work = e->work[0] };
	p->work.gate = 0;
	p->work.witness = 0;
	must(p->n <= v.n);
	*id = identify(g, v.ev, &e->work[0]);
	if (!pack_events(g, &v, p, &w) || !pack_clocks(g, &v, p, g->pool_porf, &w) ||
	    !pack_clocks(g, &v, p, g->pool_hb, &w) || !pack_clocks(g, &v, p, g->pool_msg, &w))
		return 0;
	open_gates(e, v.ev, p->n);
	remove_oldest(e, WORK_GIVEN);
	return (size_t)(w.at - (char *)buf);
}

/* ---- Taking ---------------------------------------------------------------------------------------- */

static uint32_t unpacked_location(struct graph *g, const struct packet *p,
				  const struct packed_location *locs, uint32_t loc)
{
	if (loc == NO_LOC)
		return NO_LOC;
	must(loc < p->nlocs);
	return graph_find_location(g, locs[loc].addr, locs[loc].size);
}

static void unpack_events(struct engine *e, const struct packet *p, struct reader *r)
{
	struct graph *g = &e->graph;
	const struct packed_location *locs = packet_get(r, (2 * p->n + 1) * sizeof(*locs));
	const struct event *ev = packet_get(r, p->n * sizeof(*ev));

	packet_take_locations(g, locs, p->nlocs);
	for (uint32_t i = 0; i < p->n; i++) {
		must(ev[i].tid < p->nthreads && ev[i].kind < OP_KINDS);
		must(ev[i].rf < p->n || ev[i].rf >= RF_NONE || i == p->work.stamp);
		g->ev[i] = ev[i];
		/* Bits of values, and gates, mean something else here than where it comes from. */
		g->waits[i] = (struct waits){ .gate = 0 };
		g->any_waits |= (ev[i].flags & EV_AWAIT) != 0;
		g->ev[i].loc = unpacked_location(g, p, locs, ev[i].loc);
		g->ev[i].asks = unpacked_location(g, p, locs, ev[i].asks);
	}
	e->first_asks = unpacked_location(g, p, locs, p->first_asks);
}

static void unpack_clocks(const struct graph *g, const struct packet *p, uint32_t *out,
			  struct reader *r)
{
	const uint32_t *in = packet_get(r, (size_t)p->n * p->nthreads * sizeof(*in));

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t *clock = out + (size_t)i * g->stride;

		memset(clock, 0, g->stride * sizeof(*clock));
		memcpy(clock, in + (size_t)i * p->nthreads, p->nthreads * sizeof(*clock));
	}
}

static void unpack(struct engine *e, const void *buf, size_t len)
{
	struct graph *g = &e->graph;
	struct reader r = { buf, (const char *)buf + len };
	const struct packet *p = packet_get(&r, sizeof(*p));

	must(p->magic == MAGIC && p->nthreads <= HEDDLE_EXPLORED_THREADS &&
	     p->n < g->capacity / 2 && !((uintptr_t)buf % 16));
	packet_learn_names(e, p->nthreads);
	unpack_events(e, p, &r);
	g->n = p->n;
	g->beyond_hb |= p->beyond_hb;
	g->beyond_hb_else |= p->beyond_hb_else;
	unpack_clocks(g, p, g->porf, &r);
	unpack_clocks(g, p, g->hb, &r);
	unpack_clocks(g, p, g->msg, &r);
	graph_link(g);
	await_meet(e);
	/* No work lets an await observe what keeps it waiting, but here nothing is known of it yet. */
	if (p->work.kind == WORK_READ && p->work.rf != RF_NONE)
		await_passes(e, p->work.stamp, p->work.rf);
	else if (p->work.kind == WORK_REVISIT)
		await_passes(e, p->work.read, p->work.stamp);
	g->witness.doubt = 0; /* the lists came along, but nobody vouches for them */
	note_work(e, p->work);
}

bool engine_take(struct engine *e, const void *buf, size_t len, const struct engine_id *skip,
		 size_t nskip)
{
	struct engine_outcome unused;

	must(!e->nwork && !e->nframes);
	engine_empty(e);
	e->skip = skip;
	e->nskip = nskip;
	if (!len)
		return true;
	e->first = false;
	if (e->strategy->take)
		e->strategy->take(e, buf, len);
	else
		unpack(e, buf, len);
	e->stats.ledger.taken++;
	return e->strategy->again(e, &unused);
}
