/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order.c - saturation: what must come before what in every order
 *
 * With w the write that a locking read r observes and w' another write of the location:
 * w' before r makes w' come before w, and w before w' makes r come before w'. These two
 * rules are applied to the clocks of what is known, and the clocks are computed anew, until
 * nothing follows or the rounds are up (which costs the search work, not exactness). Reads
 * that do not lock take part in the first round only, where clocks are those of hb.
 *
 * Each edge remembers why it is there, for order_why.c.
 *
 * Cost: O(n l) a round, for l lines.
 */
#include "offline/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum {
	ROUNDS = 64
};

struct saturation {
	struct order *o;
	struct verdict *v;
	uint32_t *in_start, *in;   /* edges into each item */
	uint32_t *at;              /* next item of each line */
	uint32_t *wait;            /* of each line that waits: an item */
	uint32_t *wait_edge;       /* and the edge from it; EX_NONE: rf */
	uint32_t known;            /* edges when the clocks were computed */
	uint32_t *wstart, *write;  /* writes by location, then line */
	uint32_t *rstart, *reader; /* locking readers of each write; of init behind those */
	uint32_t *astart, *access; /* reads by location */
	bool first_round;
};

void order_init(struct order *o, uint32_t n, uint32_t lines, uint32_t nlocs)
{
	*o = (struct order){ .n = n, .lines = lines, .nlocs = nlocs };
	o->first = offline_zeroed(lines + 1, sizeof(*o->first));
	o->line = offline_room(n, sizeof(*o->line));
	o->loc = offline_room(n, sizeof(*o->loc));
	o->rf = offline_room(n, sizeof(*o->rf));
	o->event = offline_room(n, sizeof(*o->event));
	o->flags = offline_zeroed(n, sizeof(*o->flags));
}

void order_release(struct order *o)
{
	free(o->first);
	free(o->line);
	free(o->loc);
	free(o->rf);
	free(o->event);
	free(o->flags);
	free(o->edges);
	free(o->clock);
	free(o->found);
	memset(o, 0, sizeof(*o));
}

void order_edge(struct order *o, struct order_edge edge)
{
	if (o->nedges == o->room) {
		o->room = o->room ? o->room * 2 : 256;
		o->edges = offline_grow(o->edges, o->room, sizeof(*o->edges));
	}
	o->edges[o->nedges++] = edge;
}

static uint32_t *clock_at(const struct order *o, uint32_t i)
{
	return o->clock + (size_t)i * o->lines;
}

void order_group(uint32_t n, uint32_t nkeys, const uint32_t *key, uint32_t **start,
		 uint32_t **items)
{
	uint32_t *at = offline_zeroed(nkeys + 2, sizeof(*at));

	for (uint32_t i = 0; i < n; i++)
		if (key[i] != EX_NONE)
			at[key[i] + 2]++;
	for (uint32_t k = 0; k < nkeys; k++)
		at[k + 2] += at[k + 1];
	*items = offline_room(n, sizeof(**items));
	for (uint32_t i = 0; i < n; i++)
		if (key[i] != EX_NONE)
			(*items)[at[key[i] + 1]++] = i;
	*start = at;
}

static void group_all(struct saturation *s)
{
	struct order *o = s->o;
	uint32_t *key = offline_room(o->n, sizeof(*key));

	for (uint32_t i = 0; i < o->n; i++)
		key[i] = o->flags[i] & ITEM_WRITE ? o->loc[i] : EX_NONE;
	order_group(o->n, o->nlocs, key, &s->wstart, &s->write);
	for (uint32_t i = 0; i < o->n; i++)
		key[i] = !(o->flags[i] & ITEM_LOCKS) ? EX_NONE
			 : o->rf[i] == EX_INIT       ? o->n + o->loc[i]
						     : o->rf[i];
	order_group(o->n, o->n + o->nlocs, key, &s->rstart, &s->reader);
	for (uint32_t i = 0; i < o->n; i++)
		key[i] = o->flags[i] & ITEM_READ ? o->loc[i] : EX_NONE;
	order_group(o->n, o->nlocs, key, &s->astart, &s->access);
	free(key);
}

/* ---- Clocks of what is known ----------------------------------------------------------------- */

static bool done(const struct saturation *s, uint32_t i)
{
	return i < s->at[s->o->line[i]];
}

/* Whether item i, the next of its line, can come; else what it waits for. */
static bool comes(struct saturation *s, uint32_t i)
{
	struct order *o = s->o;
	uint32_t l = o->line[i], w = o->rf[i];

	if ((o->flags[i] & ITEM_READ) && !(o->flags[i] & ITEM_EARLY) && w < o->n && !done(s, w)) {
		s->wait[l] = w;
		s->wait_edge[l] = EX_NONE;
		return false;
	}
	for (uint32_t j = s->in_start[i]; j < s->in_start[i + 1]; j++) {
		const struct order_edge *e = &o->edges[s->in[j]];

		if (!done(s, e->from)) {
			s->wait[l] = e->from;
			s->wait_edge[l] = s->in[j];
			return false;
		}
	}
	return true;
}

static void join(const struct order *o, uint32_t *to, uint32_t from)
{
	const uint32_t *row = clock_at(o, from);

	for (uint32_t l = 0; l < o->lines; l++)
		to[l] = to[l] < row[l] ? row[l] : to[l];
}

static void compute_clock(struct saturation *s, uint32_t i)
{
	struct order *o = s->o;
	uint32_t *row = clock_at(o, i), l = o->line[i];

	if (i > o->first[l])
		memcpy(row, clock_at(o, i - 1), o->lines * sizeof(*row));
	else
		memset(row, 0, o->lines * sizeof(*row));
	if ((o->flags[i] & ITEM_READ) && !(o->flags[i] & ITEM_EARLY) && o->rf[i] < o->n)
		join(o, row, o->rf[i]);
	for (uint32_t j = s->in_start[i]; j < s->in_start[i + 1]; j++)
		join(o, row, o->edges[s->in[j]].from);
	row[l] = i - o->first[l] + 1;
}

/*
 * Every line that is not at its end waits: follow them until one comes back. The last edge
 * found on that way closes the cycle.
 */
static void waiting_cycle(struct saturation *s)
{
	struct order *o = s->o;
	uint8_t *seen = offline_zeroed(o->lines, 1);
	uint32_t l = 0, last = EX_NONE;

	while (s->at[l] == o->first[l + 1])
		l++;
	for (; !seen[l]; l = o->line[s->wait[l]])
		seen[l] = 1;
	for (; seen[l] == 1; l = o->line[s->wait[l]]) {
		seen[l] = 2;
		if (s->wait_edge[l] != EX_NONE && (last == EX_NONE || s->wait_edge[l] > last))
			last = s->wait_edge[l];
	}
	/* Without a new edge it would be a cycle of po and rf, and there is none. */
	must(last != EX_NONE);
	order_refute(o, s->in_start, s->in, o->edges[last].to, o->edges[last].from, last, s->v);
	free(seen);
}

static bool compute_clocks(struct saturation *s)
{
	struct order *o = s->o;
	uint32_t *key = offline_room(o->nedges, sizeof(*key));
	bool moved = true, all = true;

	for (uint32_t j = 0; j < o->nedges; j++)
		key[j] = o->edges[j].to;
	free(s->in_start);
	free(s->in);
	order_group(o->nedges, o->n, key, &s->in_start, &s->in);
	free(key);
	memcpy(s->at, o->first, o->lines * sizeof(*s->at));
	while (moved) {
		moved = false;
		for (uint32_t l = 0; l < o->lines; l++)
			for (; s->at[l] < o->first[l + 1] && comes(s, s->at[l]); moved = true)
				compute_clock(s, s->at[l]++);
	}
	for (uint32_t l = 0; l < o->lines; l++)
		all &= s->at[l] == o->first[l + 1];
	if (!all)
		waiting_cycle(s);
	return all;
}

/* ---- What follows ----------------------------------------------------------------------------- */

/* The last write among write[from..to-1], all of one line, that must come before i. */
static uint32_t last_before(const struct saturation *s, uint32_t from, uint32_t to, uint32_t i)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (s->write[mid] != i && order_before(s->o, s->write[mid], i))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* r observes w; the writes that must come before r must come before w. */
static bool follow_read(struct saturation *s, uint32_t r, uint32_t from, uint32_t to)
{
	struct order *o = s->o;
	uint32_t w = o->rf[r], last = last_before(s, from, to, r), other;

	if (last > from && s->write[last - 1] == w)
		last--;
	if (last == from)
		return true;
	other = s->write[last - 1];
	if (w == EX_INIT) {
		order_refute(o, s->in_start, s->in, other, r, EX_NONE, s->v);
		return false;
	}
	if (!order_before(o, other, w))
		order_edge(o, (struct order_edge){ other, w, r, s->known, ORDER_READ });
	return true;
}

/* The readers of what must come before the write w must come before it as well. */
static void follow_write(struct saturation *s, uint32_t w, uint32_t of)
{
	struct order *o = s->o;

	for (uint32_t j = s->rstart[of]; j < s->rstart[of + 1]; j++)
		if (s->reader[j] != w && !order_before(o, s->reader[j], w))
			order_edge(o,
				   (struct order_edge){ s->reader[j], w, of, s->known, ORDER_FR });
}

/* Writes of one location in one line, write[from..to-1], against its accesses. */
static bool follow_group(struct saturation *s, uint32_t loc, uint32_t from, uint32_t to)
{
	struct order *o = s->o;

	for (uint32_t j = s->astart[loc]; j < s->astart[loc + 1]; j++) {
		uint32_t r = s->access[j];

		if ((s->first_round || (o->flags[r] & ITEM_LOCKS)) && o->rf[r] != EX_NONE &&
		    !follow_read(s, r, from, to))
			return false;
	}
	for (uint32_t j = s->wstart[loc], seen = from; j < s->wstart[loc + 1]; j++) {
		uint32_t w = s->write[j];
		uint32_t last = last_before(s, from, to, w);

		if (j > s->wstart[loc] && o->line[s->write[j - 1]] != o->line[w])
			seen = from;
		for (; seen < last; seen++)
			follow_write(s, w, s->write[seen]);
	}
	follow_write(s, s->write[from], o->n + loc);
	return true;
}

static bool follow(struct saturation *s)
{
	struct order *o = s->o;

	for (uint32_t loc = 0; loc < o->nlocs; loc++)
		for (uint32_t from = s->wstart[loc], to; from < s->wstart[loc + 1]; from = to) {
			for (to = from; to < s->wstart[loc + 1] &&
					o->line[s->write[to]] == o->line[s->write[from]];)
				to++;
			if (!follow_group(s, loc, from, to))
				return false;
		}
	return true;
}

bool order_saturate(struct order *o, struct verdict *v)
{
	struct saturation s = { .o = o, .v = v, .first_round = !o->saturated };
	bool ok = true;

	if (!o->clock)
		o->clock = offline_room((size_t)o->n * o->lines, sizeof(*o->clock));
	s.at = offline_room(o->lines, sizeof(*s.at));
	s.wait = offline_room(o->lines, sizeof(*s.wait));
	s.wait_edge = offline_room(o->lines, sizeof(*s.wait_edge));
	s.known = EX_NONE;
	group_all(&s);
	for (int round = 0; ok && o->nedges != s.known; round++) {
		s.known = o->nedges;
		ok = compute_clocks(&s) && (round >= ROUNDS || follow(&s));
		s.first_round = false;
	}
	o->saturated = true;
	free(s.at);
	free(s.wait);
	free(s.wait_edge);
	free(s.in_start);
	free(s.in);
	free(s.wstart);
	free(s.write);
	free(s.rstart);
	free(s.reader);
	free(s.astart);
	free(s.access);
	return ok;
}
