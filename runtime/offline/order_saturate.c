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
#include "offline/order.h"

enum {
	ROUNDS = 64,
	FEW = 16 /* edges are few if there are so many times as many items */
};

/* Writes of one location in one line: write[from..to-1]. */
struct group {
	uint32_t line, from, to;
};

/* The first write of a group that is not known to come before the line's accesses so far. */
struct cursor {
	uint32_t pos, told; /* told: at the line's last write */
};

struct saturation {
	struct order *o;
	uint32_t *wstart, *write;  /* writes by location, then line */
	uint32_t *rstart, *reader; /* reads of each write; of init behind those */
	uint32_t *astart, *access; /* accesses by location, then line */
	uint32_t *gstart;          /* groups of each location */
	struct group *groups;
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

/* ---- Groups ------------------------------------------------------------------------------------ */

static void build_groups(struct saturation *s)
{
	struct order *o = s->o;
	uint32_t n = 0, most = 0, room = 0;

	s->gstart = offline_room((size_t)o->nlocs + 1, sizeof(*s->gstart));
	for (uint32_t loc = 0; loc < o->nlocs; loc++) {
		s->gstart[loc] = n;
		for (uint32_t i = s->wstart[loc]; i < s->wstart[loc + 1]; i++) {
			uint32_t line = o->line[s->write[i]];

			if (n == s->gstart[loc] || s->groups[n - 1].line != line) {
				if (n == room) {
					room = room ? room * 2 : 256;
					s->groups =
						offline_grow(s->groups, room, sizeof(*s->groups));
				}
				s->groups[n++] = (struct group){ line, i, i };
			}
			s->groups[n - 1].to = i + 1;
		}
		most = n - s->gstart[loc] > most ? n - s->gstart[loc] : most;
	}
	s->gstart[o->nlocs] = n;
	s->cursor = offline_room(most, sizeof(*s->cursor));
}

static void group_all(struct saturation *s)
{
	struct order *o = s->o;
	uint32_t *key = offline_room(o->n, sizeof(*key));

	for (uint32_t i = 0; i < o->n; i++)
		key[i] = o->flags[i] & ITEM_WRITE ? o->loc[i] : EX_NONE;
	order_group(o->n, o->nlocs, key, &s->wstart, &s->write);
	for (uint32_t i = 0; i < o->n; i++)
		key[i] = !(o->flags[i] & ITEM_READ) ? EX_NONE
			 : o->rf[i] == EX_INIT      ? o->n + o->loc[i]
						    : o->rf[i];
	order_group(o->n, o->n + o->nlocs, key, &s->rstart, &s->reader);
	order_group(o->n, o->nlocs, o->loc, &s->astart, &s->access);
	free(key);
	build_groups(s);
}

static void release(struct saturation *s)
{
	free(s->wstart);
	free(s->write);
	free(s->rstart);
	free(s->reader);
	free(s->astart);
	free(s->access);
	free(s->gstart);
	free(s->groups);
	free(s->cursor);
	free(s->out);
	free(s->after);
	free(s->changed);
	free(s->queue);
	free(s->mark);
}

/* ---- What follows ------------------------------------------------------------------------------- */

/* The write `other` comes before the read r. */
static bool follow_read(struct saturation *s, uint32_t r, uint32_t other)
{
	struct order *o = s->o;
	uint32_t w = o->rf[r];

	if (w == EX_INIT) {
		order_refute(o, other, r, s->known, EX_NONE, s->v);
		return false;
	}
	if (other != w && !order_before(o, other, w))
		order_edge(o, (struct order_edge){ other, w, r, s->known, ORDER_READ });
	return true;
}

/* The readers of what must come before the write w must come before it as well. */
static void follow_write(struct saturation *s, uint32_t w, uint32_t of)
{
	struct order *o = s->o;

	for (uint32_t j = s->rstart[of]; j < s->rstart[of + 1]; j++) {
		uint32_t r = s->reader[j];

		if (!(o->flags[r] & ITEM_LOCKS) || r == w)
			continue;
		/* The last one of a line says it of those before it. */
		if (j + 1 < s->rstart[of + 1] && o->line[s->reader[j + 1]] == o->line[r] &&
		    (o->flags[s->reader[j + 1]] & ITEM_LOCKS) && s->reader[j + 1] != w)
			continue;
		if (!order_before(o, r, w))
			order_edge(o, (struct order_edge){ r, w, of, s->known, ORDER_FR });
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

/* Both rules for item i, with cursors that its line's accesses before it have moved. */
static bool follow_access(struct saturation *s, uint32_t i, const struct group *g, uint32_t ngroups)
{
	struct order *o = s->o;
	bool read = asks(s, i);

	for (uint32_t k = 0; k < ngroups; k++) {
		struct cursor c = s->cursor[k];
		uint32_t first = o->first[g[k].line], count = count_before(o, i, g[k].line);

		while (c.pos < g[k].to && s->write[c.pos] - first < count)
			c.pos++;
		if (read && c.pos > g[k].from && !follow_read(s, i, s->write[c.pos - 1]))
			return false;
		if ((o->flags[i] & ITEM_WRITE) && c.pos != c.told) {
			follow_write(s, i, s->write[c.pos - 1]);
			c.told = c.pos;
		}
		s->cursor[k] = c;
	}
	return true;
}

static bool follow_location(struct saturation *s, uint32_t loc)
{
	const struct group *g = s->groups + s->gstart[loc];
	uint32_t n = s->gstart[loc + 1] - s->gstart[loc], line = EX_NONE;

	for (uint32_t j = s->astart[loc]; n && j < s->astart[loc + 1]; j++) {
		uint32_t i = s->access[j];

		if (s->o->line[i] != line)
			for (uint32_t k = 0; k < n; k++)
				s->cursor[k] = (struct cursor){ g[k].from, g[k].from };
		line = s->o->line[i];
		if (!follow_access(s, i, g, n))
			return false;
	}
	for (uint32_t k = 0; k < n; k++)
		follow_write(s, s->write[g[k].from], s->o->n + loc);
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
	for (uint32_t k = s->gstart[loc]; k < s->gstart[loc + 1]; k++) {
		const struct group *g = &s->groups[k];
		uint32_t from = g->from, to = g->to, count = count_before(o, i, g->line);

		while (from < to) {
			uint32_t mid = from + (to - from) / 2;

			if (s->write[mid] - o->first[g->line] < count)
				from = mid + 1;
			else
				to = mid;
		}
		if (from == g->from)
			continue;
		if (asks(s, i) && !follow_read(s, i, s->write[from - 1]))
			return false;
		if (o->flags[i] & ITEM_WRITE)
			follow_write(s, i, s->write[from - 1]);
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
	for (uint32_t j = s->rstart[i]; j < s->rstart[i + 1]; j++)
		if (!(o->flags[s->reader[j]] & ITEM_EARLY) && !pass_on(s, i, s->reader[j], end))
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

	group_all(&s);
	for (int round = 0; ok && (!round || o->nedges != s.known); round++) {
		ok = saturate_once(&s, round < ROUNDS);
		s.first_round = false;
	}
	o->saturated = true;
	release(&s);
	return ok;
}
