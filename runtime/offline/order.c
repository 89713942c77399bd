/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order.c - items and edges of a total order to be found, and their clocks
 *
 * A row of an item's clock says how many items of each line must come before it or are it, by the
 * lines, by rf and by the edges.
 *
 * Cost: O((n + edges) l) for l lines.
 */
#include "offline/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* Lines that have come so far, and what they wait for. */
struct clocks_run {
	struct order *o;
	uint32_t *in_start, *in; /* edges into each item */
	uint32_t *at;            /* next item of each line */
	uint32_t *wait;          /* of each line that waits: an item */
	uint32_t *wait_edge;     /* and the edge from it; EX_NONE: rf */
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
	free(o->hint);
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

/* ---- Clocks of what is known ----------------------------------------------------------------- */

static bool done(const struct clocks_run *s, uint32_t i)
{
	return i < s->at[s->o->line[i]];
}

/* Whether item i, the next of its line, can come; else what it waits for. */
static bool comes(struct clocks_run *s, uint32_t i)
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
	const uint32_t *row = order_row(o, from);

	for (uint32_t l = 0; l < o->lines; l++)
		to[l] = to[l] < row[l] ? row[l] : to[l];
}

static void compute_clock(struct clocks_run *s, uint32_t i)
{
	struct order *o = s->o;
	uint32_t *row = order_row(o, i), l = o->line[i];

	if (i > o->first[l])
		memcpy(row, order_row(o, i - 1), o->lines * sizeof(*row));
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
static void waiting_cycle(struct clocks_run *s, struct verdict *v)
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
	order_refute(o, o->edges[last].to, o->edges[last].from, o->nedges, last, v);
	free(seen);
}

void order_edges_into(const struct order *o, uint32_t **start, uint32_t **edges)
{
	uint32_t *key = offline_room(o->nedges, sizeof(*key));

	for (uint32_t j = 0; j < o->nedges; j++)
		key[j] = o->edges[j].to;
	order_group(o->nedges, o->n, key, start, edges);
	free(key);
}

bool order_clocks(struct order *o, struct verdict *v)
{
	struct clocks_run s = { .o = o };
	bool moved = true, all = true;

	if (!o->clock)
		o->clock = offline_room((size_t)o->n * o->lines, sizeof(*o->clock));
	s.at = offline_room(o->lines, sizeof(*s.at));
	s.wait = offline_room(o->lines, sizeof(*s.wait));
	s.wait_edge = offline_room(o->lines, sizeof(*s.wait_edge));
	order_edges_into(o, &s.in_start, &s.in);
	memcpy(s.at, o->first, o->lines * sizeof(*s.at));
	while (moved) {
		moved = false;
		for (uint32_t l = 0; l < o->lines; l++)
			for (; s.at[l] < o->first[l + 1] && comes(&s, s.at[l]); moved = true)
				compute_clock(&s, s.at[l]++);
	}
	for (uint32_t l = 0; l < o->lines; l++)
		all &= s.at[l] == o->first[l + 1];
	if (!all)
		waiting_cycle(&s, v);
	free(s.at);
	free(s.wait);
	free(s.wait_edge);
	free(s.in_start);
	free(s.in);
	return all;
}
