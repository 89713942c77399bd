/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certain.c - see certain.h
 *
 * Of each event the clock is computed that holds in all executions of the node: what comes before it by po, by creation and join, and by a read that
 * synchronises, of which that counts which all its good writes have in common. Release sequences and fences are left out, so it is less than what may be certain.
 *
 * A write is hidden from a read if another one that comes behind it is before the read, or was read by one that is; or if it was read itself, and overwritten behind that, before the
 * read: by coherence, of which each model has that much.
 *
 * Clocks are kept until their events are taken back (certain_keep()): an event of the graph has the same good writes as long as it is there.
 *
 * Cost: O(threads) for each good write of each event that is new, and of each read of the location.
 */
#include "engine/value/certain.h"

#include <string.h>

struct certain {
	const struct engine *e;
	uint32_t nthreads;
	/* of each event a row: how many events of each thread come before it, or are it */
	uint32_t (*clock)[VALUE_ROW];
	uint32_t known; /* so many events have one */
};

static uint32_t *row_of(const struct certain *c, uint32_t pos)
{
	return c->clock[pos];
}

static void join(const struct certain *c, uint32_t *row, uint32_t from)
{
	const uint32_t *other = row_of(c, from);

	for (uint32_t t = 0; from < c->known && t < c->nthreads; t++)
		row[t] = row[t] > other[t] ? row[t] : other[t];
}

/* What all good writes of the read have in common comes before it. */
static void join_common(const struct certain *c, const struct event *read, uint32_t *row)
{
	const struct value_search *v = c->e->value;
	const struct value_node *node = &v->node[read->slot];
	const struct graph *g = &c->e->graph;
	uint32_t least[VALUE_ROW];

	for (uint32_t i = 0; i < node->ngood; i++) {
		const uint32_t write = value_named(g, v->good[node->good + i]);
		const uint32_t *other;

		if (write >= c->known || !order_hands_on(g, &g->ev[write]))
			return;
		other = row_of(c, write);
		for (uint32_t t = 0; t < c->nthreads; t++)
			least[t] = i && least[t] < other[t] ? least[t] : other[t];
	}
	for (uint32_t t = 0; node->ngood && t < c->nthreads; t++)
		row[t] = row[t] > least[t] ? row[t] : least[t];
}

static void compute(struct certain *c, uint32_t pos)
{
	const struct graph *g = &c->e->graph;
	const struct event *ev = &g->ev[pos];
	uint32_t *row = row_of(c, pos);

	memset(row, 0, c->nthreads * sizeof(*row));
	if (ev->index)
		join(c, row, g->at[ev->tid][ev->index - 1]);
	row[ev->tid] = ev->index + 1;
	if ((ev->kind == OP_START || ev->kind == OP_JOIN) && ev->rf < RF_NONE)
		join(c, row, ev->rf);
	if ((ev->flags & EV_READ) && ev->rf != RF_NONE && order_takes_over(g, ev))
		join_common(c, ev, row);
	c->known = pos + 1;
}

/* Lowers `bound` to what comes before the write; `with`: and the write itself. */
static void lower(const struct certain *c, uint32_t write, bool with, uint32_t *bound)
{
	const struct event *ev = &c->e->graph.ev[write];
	const uint32_t *row = row_of(c, write);

	for (uint32_t t = 0; t < c->nthreads; t++) {
		const uint32_t n = t == ev->tid && !with ? ev->index : row[t];

		bound[t] = bound[t] < n ? bound[t] : n;
	}
}

/*
 * How many events of each thread come before all writes that the read may observe, into bound; `with`: or are such a write, and none of the
 * others comes before it. False: it may observe the initial one.
 */
static bool before_all(const struct certain *c, const struct event *read, bool with,
		       uint32_t *bound)
{
	const struct value_search *v = c->e->value;
	const struct value_node *node = &v->node[read->slot];

	memset(bound, 0xff, c->nthreads * sizeof(*bound));
	for (uint32_t i = 0; i < node->ngood; i++) {
		const uint32_t write = value_named(&c->e->graph, v->good[node->good + i]);

		if (write == RF_INIT)
			return false;
		lower(c, write, with, bound);
	}
	return node->ngood;
}

/* Of each thread the last write of the location that comes before the event with that row, or NO_POS. */
static void last_writes(const struct certain *c, uint32_t loc, const uint32_t *row, uint32_t *last)
{
	const struct graph *g = &c->e->graph;

	for (uint32_t t = 0; t < c->nthreads; t++)
		last[t] = NO_POS;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if ((ev->flags & EV_WRITE) && ev->index < row[ev->tid] &&
		    (last[ev->tid] == NO_POS || g->ev[last[ev->tid]].index < ev->index))
			last[ev->tid] = p;
	}
}

/* Does one of these writes come behind the read? */
static bool is_overwritten(const struct certain *c, const struct event *read, const uint32_t *last)
{
	for (uint32_t t = 0; t < c->nthreads; t++)
		if (last[t] != NO_POS && read->index < row_of(c, last[t])[read->tid])
			return true;
	return false;
}

/* The same of a read that the thread is about to do there, which has a row. */
static void bound(const struct certain *c, uint32_t loc, const uint32_t *row, uint32_t but,
		  struct certain_bounds *b)
{
	const struct graph *g = &c->e->graph;
	uint32_t last[VALUE_ROW];

	memset(b->of, 0, c->nthreads * sizeof(*b->of));
	b->any = false;
	last_writes(c, loc, row, last);
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];
		uint32_t least[VALUE_ROW];

		if (p == but || ev->index >= row[ev->tid])
			continue;
		memset(least, 0xff, c->nthreads * sizeof(*least));
		if (ev->flags & EV_WRITE)
			lower(c, p, false, least);
		else if (!before_all(c, ev, is_overwritten(c, ev, last), least))
			continue;
		b->any = true;
		for (uint32_t t = 0; t < c->nthreads; t++)
			b->of[t] = b->of[t] > least[t] ? b->of[t] : least[t];
	}
}

/* With rows of the first n events. */
static struct certain with_rows(struct engine *e, uint32_t n)
{
	struct value_search *v = e->value;
	struct certain c = {
		.e = e, .nthreads = e->nthreads, .clock = v->certain, .known = v->ncertain
	};

	while (c.known < n)
		compute(&c, c.known);
	v->ncertain = c.known;
	return c;
}

bool certain_bound(struct engine *e, uint32_t tid, uint32_t loc, struct certain_bounds *b)
{
	const struct graph *g = &e->graph;
	static const uint32_t none[VALUE_ROW];
	struct certain c;

	if (g->n >= e->value->room)
		return false;
	c = with_rows(e, g->n);
	bound(&c, loc, g->count[tid] ? row_of(&c, g->at[tid][g->count[tid] - 1]) : none, NO_POS, b);
	return true;
}

bool certain_hides(struct engine *e, uint32_t pos, uint32_t which)
{
	struct value_search *v = e->value;
	const struct value_node *node = &v->node[which];
	struct certain_bounds b;
	bool hidden = true;
	struct certain c;

	if (pos >= v->room)
		return false;
	c = with_rows(e, pos + 1);
	v->ncertain = pos; /* what the read is to observe is not known yet */
	bound(&c, e->graph.ev[pos].loc, row_of(&c, pos), pos, &b);
	for (uint32_t i = 0; i < node->ngood && hidden; i++)
		hidden = certain_is_hidden(&b, v->good[node->good + i]);
	return hidden;
}

const uint32_t *certain_clock(struct engine *e, uint32_t pos)
{
	const struct certain c = with_rows(e, pos + 1);

	return row_of(&c, pos);
}
