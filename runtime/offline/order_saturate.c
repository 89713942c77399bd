/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_saturate.c - what must come before what in every order
 *
 * With w the write that a locking read r observes and w' another write of the location:
 * w' before r makes w' come before w, and w before w' makes r come before w'. These two
 * rules are applied to the clocks of what is known, until nothing follows or the rounds are
 * up (which costs the search work, not exactness). Reads that do not lock take part in the
 * first round only, where clocks are those of hb.
 *
 * Of each line only the last write before an item matters: the ones before it are ordered
 * before that one, and so are their readers.
 *
 * Invariant: the clocks hold what follows from the edges below `known`, and each edge remembers
 * why it is there and how many were known then, for order_why.c.
 *
 * Cost: O(n l) for l lines while a round finds many edges. What few edges change is followed
 * from item to item, and only the items whose clocks changed are looked at again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "offline/order_groups.h"

enum {
	ROUNDS = 64,
	FEW = 16,  /* edges are few if there are so many times as many items */
	AHEAD = 6, /* clocks are fetched so many accesses before they are used */
	CACHE_LINE = 64 / sizeof(uint32_t)
};

/* Of a group, the writes that come before the line's accesses so far. */
struct cursor {
	uint32_t pos;  /* of the next one */
	uint32_t next; /* its index in its line */
	uint32_t last; /* the one before it, or EX_NONE */
	bool news;     /* since the line's last write */
};

struct saturation {
	struct order *o;
	struct order_groups at;
	struct cursor *cursor; /* of each group of one location */
	uint32_t known;        /* edges that the clocks hold */
	uint32_t *out, *after; /* the last edge from each item; the one before each edge */
	uint32_t nout, room;   /* edges among those */
	uint32_t *changed, nchanged;
	uint32_t *queue; /* a ring of n + 1 */
	uint8_t *mark;   /* of each item: QUEUED, CHANGED */
	struct verdict *v;
	bool first_round;
};

enum {
	QUEUED = 1,
	CHANGED = 2
};

static void release(struct saturation *s)
{
	order_groups_release(&s->at);
	free(s->cursor);
	free(s->out);
	free(s->after);
	free(s->changed);
	free(s->queue);
	free(s->mark);
}

/* ---- What follows ------------------------------------------------------------------------------- */

/* The write `other`, of that line, comes before the read r. */
static bool follow_read(struct saturation *s, uint32_t r, uint32_t other, uint32_t line)
{
	struct order *o = s->o;
	uint32_t w = o->rf[r];

	if (w == EX_INIT) {
		order_refute(o, other, r, s->known, EX_NONE, s->v);
		return false;
	}
	if (other != w && order_row(o, w)[line] <= other - o->first[line])
		order_edge(o, (struct order_edge){ other, w, r, s->known, ORDER_READ });
	return true;
}

/* The readers of what must come before the write w must come before it as well. */
static void follow_write(struct saturation *s, uint32_t w, uint32_t of)
{
	struct order *o = s->o;
	const uint32_t *row = order_row(o, w);

	for (uint32_t j = s->at.lstart[of]; j < s->at.lstart[of + 1]; j++) {
		struct order_reader r = s->at.locking[j];

		if (r.item != w && row[r.line] <= r.item - o->first[r.line])
			order_edge(o, (struct order_edge){ r.item, w, of, s->known, ORDER_FR });
	}
}

static bool asks(const struct saturation *s, uint32_t i)
{
	return (s->o->flags[i] & ITEM_READ) && s->o->rf[i] != EX_NONE &&
	       (s->first_round || (s->o->flags[i] & ITEM_LOCKS));
}

/* How many items of the group's line come before item i. */
static uint32_t count_before(const struct order *o, uint32_t i, uint32_t line)
{
	return line == o->line[i] ? i - o->first[line] : order_row(o, i)[line];
}

static void rewind_cursor(struct saturation *s, struct cursor *c, const struct order_group *g)
{
	uint32_t first = s->o->first[g->line];

	*c = (struct cursor){ g->from, s->at.write[g->from] - first, EX_NONE, false };
}

static void move_cursor(struct saturation *s, struct cursor *c, const struct order_group *g,
			uint32_t count)
{
	uint32_t first = s->o->first[g->line];

	while (c->next < count)
		c->next = ++c->pos < g->to ? s->at.write[c->pos] - first : UINT32_MAX;
	c->last = s->at.write[c->pos - 1];
	c->news = true;
}

/* Both rules for item i, with cursors that its line's accesses before it have moved. */
static bool follow_access(struct saturation *s, uint32_t i, const struct order_group *g,
			  uint32_t ngroups)
{
	bool read = asks(s, i), write = s->o->flags[i] & ITEM_WRITE;

	for (uint32_t k = 0; k < ngroups; k++) {
		struct cursor *c = &s->cursor[k];
		uint32_t count = count_before(s->o, i, g[k].line);

		if (c->next < count)
			move_cursor(s, c, &g[k], count);
		if (read && c->last != EX_NONE && !follow_read(s, i, c->last, g[k].line))
			return false;
		if (write && c->news) {
			follow_write(s, i, c->last);
			c->news = false;
		}
	}
	return true;
}

/* The clocks that an access will ask. */
static inline void fetch(const struct saturation *s, uint32_t i)
{
	const struct order *o = s->o;

	for (uint32_t l = 0; l < o->lines; l += CACHE_LINE) {
		__builtin_prefetch(order_row(o, i) + l);
		if (o->rf[i] < o->n)
			__builtin_prefetch(order_row(o, o->rf[i]) + l);
	}
}

static bool follow_location(struct saturation *s, uint32_t loc)
{
	const struct order_group *g = s->at.groups + s->at.gstart[loc];
	uint32_t n = s->at.gstart[loc + 1] - s->at.gstart[loc], line = EX_NONE;

	for (uint32_t j = s->at.astart[loc]; n && j < s->at.astart[loc + 1]; j++) {
		uint32_t i = s->at.access[j];

		if (j + AHEAD < s->at.astart[loc + 1])
			fetch(s, s->at.access[j + AHEAD]);
		if (s->o->line[i] != line)
			for (uint32_t k = 0; k < n; k++)
				rewind_cursor(s, &s->cursor[k], &g[k]);
		line = s->o->line[i];
		if (!follow_access(s, i, g, n))
			return false;
	}
	for (uint32_t k = 0; k < n; k++)
		follow_write(s, s->at.write[g[k].from], s->o->n + loc);
	return true;
}

static bool follow_all(struct saturation *s)
{
	for (uint32_t loc = 0; loc < s->o->nlocs; loc++)
		if (!follow_location(s, loc))
			return false;
	return true;
}

/* ---- Where few edges are new ---------------------------------------------------------------- */

/* Both rules for an item alone. */
static bool follow_item(struct saturation *s, uint32_t i)
{
	struct order *o = s->o;
	uint32_t loc = o->loc[i];

	if (loc == EX_NONE)
		return true;
	for (uint32_t k = s->at.gstart[loc]; k < s->at.gstart[loc + 1]; k++) {
		const struct order_group *g = &s->at.groups[k];
		uint32_t from = g->from, to = g->to, count = count_before(o, i, g->line);

		while (from < to) {
			uint32_t mid = from + (to - from) / 2;

			if (s->at.write[mid] - o->first[g->line] < count)
				from = mid + 1;
			else
				to = mid;
		}
		if (from == g->from)
			continue;
		if (asks(s, i) && !follow_read(s, i, s->at.write[from - 1], g->line))
			return false;
		if (o->flags[i] & ITEM_WRITE)
			follow_write(s, i, s->at.write[from - 1]);
	}
	return true;
}

/* Notes the edges that are new as edges from their items. */
static void add_out(struct saturation *s)
{
	struct order *o = s->o;

	if (!s->out) {
		s->out = offline_room(o->n, sizeof(*s->out));
		memset(s->out, 0xff, o->n * sizeof(*s->out));
		s->changed = offline_room(o->n, sizeof(*s->changed));
		s->queue = offline_room((size_t)o->n + 1, sizeof(*s->queue));
		s->mark = offline_zeroed(o->n, 1);
	}
	if (o->nedges > s->room) {
		s->room = o->nedges * 2;
		s->after = offline_grow(s->after, s->room, sizeof(*s->after));
	}
	for (; s->nout < o->nedges; s->nout++) {
		uint32_t from = o->edges[s->nout].from;

		s->after[s->nout] = s->out[from];
		s->out[from] = s->nout;
	}
}

/* What must come before a must come before b. False: b is among that. */
static bool pass_on(struct saturation *s, uint32_t a, uint32_t b, uint32_t *end)
{
	struct order *o = s->o;
	const uint32_t *from = order_row(o, a);
	uint32_t *to = order_row(o, b), more = 0;

	if (order_before(o, b, a))
		return false;
	for (uint32_t l = 0; l < o->lines; l++) {
		more |= from[l] > to[l];
		to[l] = to[l] < from[l] ? from[l] : to[l];
	}
	if (!more)
		return true;
	if (!(s->mark[b] & CHANGED))
		s->changed[s->nchanged++] = b;
	if (!(s->mark[b] & QUEUED)) {
		s->queue[*end] = b;
		*end = *end == o->n ? 0 : *end + 1;
	}
	s->mark[b] = QUEUED | CHANGED;
	return true;
}

/* From item i to all that comes after it at once. */
static bool pass_from(struct saturation *s, uint32_t i, uint32_t *end)
{
	struct order *o = s->o;

	if (i + 1 < o->first[o->line[i] + 1] && !pass_on(s, i, i + 1, end))
		return false;
	for (uint32_t j = s->at.rstart[i]; j < s->at.rstart[i + 1]; j++)
		if (!(o->flags[s->at.reads[j]] & ITEM_EARLY) && !pass_on(s, i, s->at.reads[j], end))
			return false;
	for (uint32_t j = s->out[i]; j != EX_NONE; j = s->after[j])
		if (!pass_on(s, i, o->edges[j].to, end))
			return false;
	return true;
}

/* Brings the clocks up to date. False: a cycle. */
static bool pass_edges(struct saturation *s)
{
	struct order *o = s->o;
	uint32_t from = s->known, at = 0, end = 0;
	bool ok = true;

	add_out(s);
	for (; ok && from < o->nedges; from++)
		ok = pass_on(s, o->edges[from].from, o->edges[from].to, &end);
	while (ok && at != end) {
		uint32_t i = s->queue[at];

		at = at == o->n ? 0 : at + 1;
		s->mark[i] &= (uint8_t)~QUEUED;
		ok = pass_from(s, i, &end);
	}
	return ok;
}

/* The items whose clocks changed, again. */
static bool follow_changed(struct saturation *s)
{
	bool ok = true;

	for (uint32_t j = 0; j < s->nchanged; j++) {
		s->mark[s->changed[j]] = 0;
		ok = ok && follow_item(s, s->changed[j]);
	}
	s->nchanged = 0;
	return ok;
}

/* One round; false: refuted. */
static bool saturate_once(struct saturation *s, bool follow)
{
	struct order *o = s->o;
	bool few = !s->first_round && (o->nedges - s->known) * (uint64_t)FEW < o->n, ok;

	if (few && !pass_edges(s)) {
		ok = order_clocks(o, s->v);
		must(!ok);
		return false;
	}
	if (!few && !order_clocks(o, s->v))
		return false;
	s->known = o->nedges;
	return !follow || (few ? follow_changed(s) : follow_all(s));
}

bool order_saturate(struct order *o, struct verdict *v)
{
	struct saturation s = { .o = o, .v = v, .first_round = !o->saturated };
	bool ok = true;

	order_groups_build(&s.at, o);
	s.cursor = offline_room(s.at.most, sizeof(*s.cursor));
	for (int round = 0; ok && (!round || o->nedges != s.known); round++) {
		ok = saturate_once(&s, round < ROUNDS);
		s.first_round = false;
	}
	o->saturated = true;
	release(&s);
	return ok;
}
