/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sc_keep.c - see sc_keep.h; letters refer to online.txt
 */
#include "engine/online/sc_keep.h"

#include <string.h>

#include "base/sort.h"
#include "engine/online/marks.h"

/* Numbers of one kind, ascending. */
struct numbers {
	uint64_t *v;
	uint32_t n;
};

/* How many are below that. */
static uint32_t below(const struct numbers *s, uint64_t number)
{
	uint32_t from = 0, to = s->n;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (s->v[mid] < number)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Is one at least `low`, and below `high`? */
static bool any_in(const struct numbers *s, uint64_t low, uint64_t high)
{
	uint32_t i = below(s, low);

	return i < s->n && s->v[i] < high;
}

/* ---- Searches by labels ------------------------------------------------------------------------------------- */

/* The labels that a search at the location may be for. */
static void find_labels(const struct marks *m, uint32_t loc, struct numbers *labels)
{
	const struct modification *o = &m->e->online->mo;

	labels->n = 0;
	labels->v[labels->n++] = mod_label(o, mod_oldest(o, loc));
	for (uint32_t w = o->g->locs[loc].mo_last; w != RF_INIT; w = mod_before(o, w))
		labels->v[labels->n++] = o->of[w].label;
	for (uint32_t t = 0; t < o->g->nthreads; t++)
		for (uint32_t p = mod_last(o, loc, t); p != NO_POS; p = o->of[p].prev) {
			uint32_t w = o->of[p].last_write;

			if (m->keep[p] && w != NO_POS)
				labels->v[labels->n++] = o->of[w].label;
		}
	sort_u64(labels->v, labels->n);
}

/* Of a list the last event up to each label, the last below it, and the first above it. */
static void keep_of_list(struct marks *m, const struct numbers *labels, uint32_t last)
{
	const struct modification *o = &m->e->online->mo;

	for (uint32_t a = last, b; a != NO_POS; a = b) {
		uint64_t high = mod_label_of(o, a), low;

		b = o->of[a].prev;
		low = b == NO_POS ? 0 : mod_label_of(o, b);
		if (low == high && b != NO_POS)
			continue;
		if (any_in(labels, low, high))
			marks_listed(m, a);
		if (b != NO_POS && any_in(labels, low, high + 1))
			marks_listed(m, b);
	}
}

/* ---- Fences -------------------------------------------------------------------------------------------------- */

static void keep_fences(struct marks *m)
{
	const struct online *on = m->e->online;
	const struct modification *o = &on->mo;
	const struct graph *g = o->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t last = on->sc.fences[t];

		if (last == NO_POS)
			continue;
		m->keep[last] = 1;
		for (uint32_t i = 0; i < m->nevents; i++) {
			uint32_t pos = m->events[i];
			const struct event *ev = &g->ev[pos];

			if (ev->loc == NO_LOC)
				continue;
			pos = sc_order_fence_behind(&on->sc, t, ev->tid, ev->index);
			if (pos != NO_POS)
				m->keep[pos] = 1;
		}
	}
}

/* ---- S ------------------------------------------------------------------------------------------------------- */

/* The event whose place that number is stays. */
struct chain {
	struct numbers place;
	uint32_t *pos;
	uint8_t *named;
};

static void name(struct chain *c, uint64_t number)
{
	uint32_t i = below(&c->place, number);

	if (i < c->place.n && c->place.v[i] == number)
		c->named[i] = 1;
}

static void name_known(struct chain *c, const struct sc_known *k)
{
	name(c, k->fence);
	name(c, k->away);
	name(c, k->any);
}

static void name_of_thread(struct chain *c, const struct sc_thread *t)
{
	name_known(c, &t->knows);
	name_known(c, &t->pending);
	name_known(c, &t->released);
	name(c, t->away_here);
	name(c, t->away_other);
	name(c, t->own_last);
	name(c, t->own_other);
}

static void name_of_event(struct chain *c, const struct sc_order *s, uint32_t pos)
{
	const struct event *ev = &s->o->g->ev[pos];
	const struct sc_note *note = &s->note[pos];

	name(c, note->place);
	if (ev->loc != NO_LOC) {
		name(c, note->before);
		name(c, note->fence);
	}
	if (sc_hands_on(ev))
		name_known(c, &note->handed);
}

static void list_chain(struct chain *c, const struct sc_order *s)
{
	uint32_t n = c->place.n;

	for (uint32_t p = s->last; p != NO_POS; p = s->note[p].left) {
		n--;
		c->place.v[n] = s->note[p].place;
		c->pos[n] = p;
	}
}

static void cut_chain(struct marks *m, const struct chain *c, struct sc_order *s)
{
	uint32_t left = NO_POS;

	for (uint32_t i = 0; i < c->place.n; i++) {
		const uint32_t pos = c->pos[i];

		if (!c->named[i] && pos != s->last)
			continue;
		m->keep[pos] = 1;
		s->note[pos].left = left;
		s->note[pos].right = NO_POS;
		if (left != NO_POS)
			s->note[left].right = pos;
		left = pos;
	}
}

static void keep_places(struct marks *m)
{
	struct sc_order *s = &m->e->online->sc;
	struct arena *a = &m->e->graph.scratch;
	struct chain c = { .place.n = 0 };

	for (uint32_t p = s->last; p != NO_POS; p = s->note[p].left)
		c.place.n++;
	c.place.v = arena_take(a, c.place.n * sizeof(*c.place.v));
	c.pos = arena_take(a, c.place.n * sizeof(*c.pos));
	c.named = arena_take(a, c.place.n);
	memset(c.named, 0, c.place.n);
	list_chain(&c, s);
	for (uint32_t t = 0; t < m->e->nthreads; t++)
		name_of_thread(&c, &s->thread[t]);
	for (uint32_t i = 0; i < m->nevents; i++)
		if (m->events[i] >= s->first)
			name_of_event(&c, s, m->events[i]);
	cut_chain(m, &c, s);
}

void sc_keep(struct marks *m)
{
	const struct modification *o = &m->e->online->mo;
	struct numbers labels;

	labels.v = arena_take(&m->e->graph.scratch,
			      (2 * (size_t)marks_most(m) + 1) * sizeof(uint64_t));
	for (uint32_t loc = 0; loc < o->g->nlocs; loc++) {
		if (o->g->locs[loc].last == NO_POS)
			continue;
		find_labels(m, loc, &labels);
		for (uint32_t t = 0; t < o->g->nthreads; t++)
			keep_of_list(m, &labels, mod_last(o, loc, t));
	}
	marks_list(m);
	keep_fences(m);
	marks_list(m);
	keep_places(m);
	marks_list(m);
}
