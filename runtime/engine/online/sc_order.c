/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sc_order.c - see sc_order.h; numbers P1 ... refer to online.txt
 */
#include "engine/online/sc_order.h"

#include <string.h>

#include "base/prng.h"

/* Numbers of events that are last in S are so far apart. */
#define GAP  ((uint64_t)1 << 32)
#define NONE UINT64_MAX

size_t sc_order_bytes(uint32_t capacity)
{
	return (size_t)capacity * sizeof(struct sc_note) + ARENA_SKEW;
}

void sc_order_init(struct sc_order *s, struct modification *o, struct arena *a, uint32_t capacity,
		   uint64_t *random)
{
	s->o = o;
	s->note = arena_table(a, capacity * sizeof(*s->note));
	s->random = random;
}

void sc_order_begin(struct sc_order *s)
{
	s->first = s->last = NO_POS;
	s->fences_last = s->was_last = false;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void join(struct sc_known *into, const struct sc_known *from)
{
	into->fence = most(into->fence, from->fence);
	into->away = most(into->away, from->away);
	into->any = most(into->any, from->any);
}

/* NULL: nothing is known of it. */
static const struct sc_note *note_of(const struct sc_order *s, uint32_t pos)
{
	return pos < RF_NONE && pos >= s->first ? &s->note[pos] : NULL;
}

/* ---- What comes before an event ------------------------------------------------------------------------ */

/* What the events of any thread at the location that happen before, and, up to a label, all, put before their successors. */
static uint64_t before_at(const struct sc_order *s, const struct sc_question *q,
			  const uint32_t *message)
{
	const struct modification *o = s->o;
	uint64_t label = mod_label(o, q->write), found = 0;

	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		uint32_t last = mod_last(o, q->loc, t), n = q->clock[t];
		const struct sc_note *note;

		if (message && message[t] > n)
			n = message[t];
		note = note_of(s, t == q->tid ? last : mod_below(o, last, n)); /* P3, P4 */
		found = note ? most(found, note->before) : found;
		note = q->writes ? note_of(s, mod_up_to(o, last, label)) : NULL; /* P5 */
		found = note ? most(found, note->before) : found;
	}
	return found;
}

/* The number in S above which an sc access has to be. */
static uint64_t above(const struct sc_order *s, const struct sc_question *q,
		      const uint32_t *message)
{
	const struct sc_thread *t = &s->thread[q->tid];
	uint64_t found = most(t->own_last, t->knows.fence); /* P1 */

	found = most(found,
		     same_cell(s->o->g, q->loc, t->here) ? t->away_other : t->away_here); /* P2 */
	return most(found, before_at(s, q, message));
}

/* ---- What comes behind ----------------------------------------------------------------------------------- */

uint32_t sc_order_fence_behind(const struct sc_order *s, uint32_t t, uint32_t tid, uint32_t index)
{
	const struct modification *o = s->o;
	uint32_t pos = s->fences[t];

	if (pos == NO_POS || graph_hb(o->g, pos)[tid] <= index)
		return NO_POS;
	for (;;) {
		const struct drawn *d = &o->of[pos];

		if (d->jump != NO_POS && graph_hb(o->g, d->jump)[tid] > index)
			pos = d->jump;
		else if (d->prev != NO_POS && graph_hb(o->g, d->prev)[tid] > index)
			pos = d->prev;
		else
			return pos;
	}
}

/* The first in S of the sc fences that an event of a thread happens before. */
static uint64_t first_fence_behind(const struct sc_order *s, uint32_t tid, uint32_t index,
				   uint32_t *which)
{
	uint64_t found = NONE;

	for (uint32_t t = 0; t < s->o->g->nthreads; t++) {
		uint32_t pos = sc_order_fence_behind(s, t, tid, index);

		if (pos != NO_POS && s->note[pos].place < found) {
			found = s->note[pos].place;
			*which = pos;
		}
	}
	return found;
}

/*
 * What the successors in mo of the write are before (P6): the first sc event in S that is one of them or that one of
 * them happens before; *reads: of their readers as well, the fences alone. *which: the event.
 */
static uint64_t behind(const struct sc_order *s, const struct sc_question *q, uint32_t *which,
		       uint64_t *reads)
{
	const struct modification *o = s->o;
	const struct graph *g = o->g;
	uint64_t label = mod_label(o, q->write), found = NONE;

	*reads = NONE;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t last = mod_last(o, q->loc, t), pos, fence;
		uint64_t place;

		pos = mod_first_above(o, last, label);
		if (pos == NO_POS)
			continue;
		*reads = least(*reads, first_fence_behind(s, t, g->ev[pos].index, &fence));
		pos = mod_first_write_above(o, last, label);
		place = pos == NO_POS ? NONE : first_fence_behind(s, t, g->ev[pos].index, &fence);
		if (place < found) {
			found = place;
			*which = fence;
		}
		pos = mod_first_sc_above(o, last, label);
		if (note_of(s, pos) && s->note[pos].place < found) {
			found = s->note[pos].place;
			*which = is_rmw_write(&g->ev[pos]) ? graph_po_before(g, &g->ev[pos]) : pos;
		}
	}
	return found;
}

/* ---- Places in S ------------------------------------------------------------------------------------------ */

/*
 * A place above a number, and below that of `next` unless that is NO_POS: directly below it, or further on, each
 * step half as likely.
 */
static struct sc_place draw_between(struct sc_order *s, uint64_t low, uint32_t next)
{
	uint32_t at = next == NO_POS ? s->last : s->note[next].left;

	while (at != NO_POS && s->note[at].place > low && prng_below(s->random, 2))
		at = s->note[at].left;
	return (struct sc_place){ .behind = at };
}

static bool rarely(struct sc_order *s)
{
	return !prng_below(s->random, 16);
}

/* Is there a number left between that place and the next? */
static bool has_number(const struct sc_order *s, struct sc_place place)
{
	const struct sc_note *note = s->note;
	uint32_t next = NO_POS;

	if (place.behind == s->last)
		return true;
	if (place.behind != NO_POS)
		return note[note[place.behind].right].place - note[place.behind].place >= 2;
	for (uint32_t p = s->last; p != NO_POS; p = note[p].left)
		next = p;
	return note[next].place >= 2;
}

bool sc_order_admits(struct sc_order *s, const struct sc_question *q, struct sc_place *place)
{
	const struct graph *g = s->o->g;
	const bool sc = q->order == ORDER_SC, is_last = g->locs[q->loc].mo_last == q->write;
	const struct sc_note *from = q->reads ? note_of(s, q->write) : NULL;
	const bool learns = q->reads && q->write != RF_INIT && order_acquires(q->order);
	uint64_t fence = s->thread[q->tid].knows.fence, next = NONE, reads = NONE, low = 0;
	uint32_t which = NO_POS;

	place->behind = s->last;
	if (s->first == NO_POS)
		return true;
	if (!is_last) {
		if (learns && from)
			fence = most(fence, from->handed.fence);
		next = behind(s, q, &which, &reads);
		if (fence >= next || fence >= reads)
			return false;
	}
	if (!sc || (next == NONE && !rarely(s)))
		return true;
	low = above(s, q, learns ? graph_msg(g, q->write) : NULL);
	if (low >= next)
		return false;
	*place = draw_between(s, low, which);
	if (!has_number(s, *place))
		place->behind = s->last;
	return next == NONE || place->behind != s->last;
}

/* What the accesses of a location that happen before a fence have to be above (P7). */
static uint64_t before_fence_at(const struct sc_order *s, uint32_t loc, uint32_t tid,
				const uint32_t *clock)
{
	const struct modification *o = s->o;
	uint64_t written = 0, met = 0, found = 0;
	uint32_t write = RF_INIT;

	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		uint32_t pos = mod_known(o, loc, t, tid, clock);

		if (pos == NO_POS)
			continue;
		if (o->of[pos].last_write != NO_POS)
			written = most(written, o->of[o->of[pos].last_write].label);
		if (mod_label_of(o, pos) >= met) {
			met = mod_label_of(o, pos);
			write = o->of[pos].write;
		}
	}
	if (note_of(s, write))
		found = s->note[write].fence;
	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		uint32_t last = mod_last(o, loc, t);
		const struct sc_note *note =
			written ? note_of(s, mod_up_to(o, last, written - 1)) : NULL;

		found = note ? most(found, note->before) : found;
		note = met ? note_of(s, mod_up_to(o, last, met - 1)) : NULL;
		found = note ? most(found, note->fence) : found;
	}
	return found;
}

struct sc_place sc_order_draw_fence(struct sc_order *s, uint32_t pos)
{
	const struct graph *g = s->o->g;
	const uint32_t tid = g->ev[pos].tid;
	const struct sc_thread *t = &s->thread[tid];
	struct sc_place place = { .behind = s->last };
	uint64_t low;

	if (s->first == NO_POS || prng_below(s->random, 16 + g->nlocs))
		return place;
	if (s->fences_last) {
		s->was_last = true;
		return place;
	}
	low = most(most(t->own_last, t->knows.fence), t->knows.any);
	low = most(low, most(t->pending.fence, t->pending.any));
	for (uint32_t l = 0; l < g->nlocs; l++)
		if (g->locs[l].last != NO_POS)
			low = most(low, before_fence_at(s, l, tid, graph_hb(g, pos)));
	place = draw_between(s, low, NO_POS);
	if (!has_number(s, place))
		place.behind = s->last;
	return place;
}

/* ---- An event happens -------------------------------------------------------------------------------------- */

static void put_in(struct sc_order *s, uint32_t pos, struct sc_place place)
{
	struct sc_note *note = s->note;
	uint32_t left = place.behind, right;
	uint64_t from = left == NO_POS ? 0 : note[left].place;

	if (left == s->last) {
		right = NO_POS;
	} else if (left != NO_POS) {
		right = note[left].right;
	} else {
		right = s->last;
		while (note[right].left != NO_POS)
			right = note[right].left;
	}
	note[pos].left = left;
	note[pos].right = right;
	note[pos].place = right == NO_POS ? from + GAP : from + (note[right].place - from) / 2;
	if (left != NO_POS)
		note[left].right = pos;
	if (right != NO_POS)
		note[right].left = pos;
	else
		s->last = pos;
}

static void begin(struct sc_order *s, uint32_t pos)
{
	s->first = pos;
	memset(s->thread, 0, sizeof(s->thread));
	memset(s->fences, 0xff, sizeof(s->fences));
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		s->thread[t].here = s->thread[t].own = NO_LOC;
}

/* What the thread learns by the event. */
static void learn(struct sc_order *s, struct sc_thread *t, const struct event *ev)
{
	const struct sc_note *from = note_of(s, ev->rf);

	if (ev->flags & EV_READ) {
		if (from && order_acquires(ev->order))
			join(&t->knows, &from->handed);
		else if (from && ev->order != ORDER_NA)
			join(&t->pending, &from->handed);
	} else if (from) { /* a start, a join, or a wait that is over */
		join(&t->knows, &from->handed);
	}
	if ((ev->flags & EV_FENCE) && order_acquires(ev->order)) {
		join(&t->knows, &t->pending);
		t->pending = (struct sc_known){ 0 };
	}
	t->knows.away = most(t->knows.away,
			     same_cell(s->o->g, ev->loc, t->own) ? t->own_other : t->own_last);
}

/* What whoever comes after it by hb learns from the thread, by now. */
static struct sc_known hands_on(const struct sc_thread *t)
{
	struct sc_known k = t->knows;

	k.any = most(k.any, t->own_last);
	return k;
}

static void hand_on(struct sc_order *s, struct sc_note *note, const struct event *ev)
{
	const struct graph *g = s->o->g;
	const struct sc_thread *t = &s->thread[ev->tid];
	const struct sc_note *from;

	note->handed = (struct sc_known){ 0 };
	if (!(ev->flags & EV_WRITE) || order_releases(ev->order)) {
		note->handed = hands_on(t);
	} else if (ev->order != ORDER_NA) {
		note->handed = t->released;
		from = note_of(s, ev->head);
		if (from)
			join(&note->handed, &from->handed);
	}
	from = is_rmw_write(ev) ? note_of(s, graph_rmw_source(g, ev)) : NULL;
	if (from)
		join(&note->handed, &from->handed);
}

static void note_own(const struct graph *g, struct sc_thread *t, uint32_t loc, uint64_t place)
{
	if (!same_cell(g, loc, t->own))
		t->own_other = t->own_last;
	t->own = loc;
	t->own_last = place;
}

static void note_where(const struct graph *g, struct sc_thread *t, uint32_t loc)
{
	if (!same_cell(g, loc, t->here))
		t->away_other = t->away_here;
	t->here = loc;
	t->away_here = t->knows.away;
}

void sc_order_takes_in(struct sc_order *s, uint32_t pos, struct sc_place place)
{
	const struct modification *o = s->o;
	const struct event *ev = &o->g->ev[pos];
	const bool sc = ev->order == ORDER_SC && ((ev->flags & EV_FENCE) || ev->loc != NO_LOC);
	struct sc_note *note = &s->note[pos];
	struct sc_thread *t = &s->thread[ev->tid];
	const struct sc_note *earlier;

	if (s->first == NO_POS && !sc)
		return;
	if (s->first == NO_POS)
		begin(s, pos);
	learn(s, t, ev);
	note->place = 0;
	if (sc && is_rmw_write(ev))
		note->place = s->note[graph_po_before(o->g, ev)].place;
	else if (sc)
		put_in(s, pos, place);
	if (is_sc_fence(ev)) {
		t->knows.fence = most(t->knows.fence, note->place);
		mod_list_add(s->o, &s->fences[ev->tid], pos);
	}
	if (ev->loc != NO_LOC) {
		earlier = note_of(s, o->of[pos].prev);
		note->before = most(earlier ? earlier->before : 0, t->knows.fence);
		note->before = most(note->before, note->place);
		note->fence = t->knows.fence;
		if (sc)
			note_own(o->g, t, ev->loc, note->place);
	}
	note_where(o->g, t, ev->loc);
	if (sc_hands_on(ev))
		hand_on(s, note, ev);
	if ((ev->flags & EV_FENCE) && order_releases(ev->order))
		t->released = hands_on(t);
}
